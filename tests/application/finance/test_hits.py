"""Wagers between hits: counted once more from the records, and the law with plain fractions."""

import json
import sqlite3
from contextlib import closing
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from progressive.application.finance.reports.hits import law_ppm
from tests.support.asked import asked
from tests.support.finance_floor import NOW, TODAY, write

METERS = ("mega", "major", "minor")


@pytest.fixture(scope="module")
def month(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("floor") / "data"
    write(data, days=20, rounds=9)
    return data


def events(data: Path) -> list[dict[str, Any]]:
    with closing(sqlite3.connect(data / "journal.sqlite3")) as db:
        bodies = [body for (body,) in db.execute("SELECT body FROM batch ORDER BY first_seq")]
    return [json.loads(line)["event"] for body in bodies for line in body.splitlines()]


def wagers_of(event: dict[str, Any], bet: str) -> int:
    plain = event.get("plain")
    if plain:
        return len(plain[2]) if plain[0] == bet else 0
    return sum(each[1] == bet if isinstance(each, list) else each["bet"] == bet
               for each in event["wagers"])  # fmt: skip


def gaps_by_the_records(data: Path, meter: str, bet: str = "blazing7") -> list[int]:
    """A plain count: lock-outs up, voids down, a mark at every hit."""
    count, hits, locked = 0, [], {}
    for event in events(data):
        match event["type"]:
            case "wagers_registered":
                locked[event["table"]] = wagers_of(event, bet)
                count += locked[event["table"]]
            case "round_voided":
                count -= locked.pop(event["table"])
            case "round_settled":
                hits += [count for award in event.get("awards", []) if award.get("meter") == meter]
    return sorted(later - earlier for earlier, later in pairwise(hits))


@pytest.mark.parametrize("meter", METERS)
def test_the_gaps_of_a_chart_are_those_of_the_records(month: Path, meter: str) -> None:
    first = "2026-10-15"
    report = asked(month, "hold", first, TODAY, now=NOW)
    gaps = gaps_by_the_records(month, meter)
    charts = [each for each in report.charts if each.title == f"{meter}: wagers between hits"]
    assert bool(charts) == bool(gaps)
    for chart in charts:
        seen, law = chart.series
        assert seen.name == f"Seen ({len(gaps)})"
        for at, value in zip(chart.x, seen.values, strict=True):
            within = sum(gap <= int(at) for gap in gaps)
            assert value == within * 1_000_000 // len(gaps)
        assert list(law.values) == sorted(law.values, key=lambda each: each or 0)
        (band,) = chart.bands
        assert all(
            low <= value <= high
            for low, value, high in zip(band.low, law.values, band.high, strict=True)
            if low is not None and value is not None and high is not None
        )


def test_there_were_gaps_to_count(month: Path) -> None:
    assert [len(gaps_by_the_records(month, meter)) for meter in METERS] == [0, 1, 4]


@pytest.mark.parametrize(
    ("chance", "wagers"),
    [(Fraction(1, 2), 0), (Fraction(1, 2), 1), (Fraction(1, 2), 2), (Fraction(3, 1000), 231),
     (Fraction(1, 5525), 3_829), (Fraction(1, 10**9), 1)],
)  # fmt: skip
def test_the_law_is_that_of_plain_fractions(chance: Fraction, wagers: int) -> None:
    exact = (1 - (1 - chance) ** wagers) * 1_000_000
    assert law_ppm(chance, wagers) == int(exact)


def test_one_hit_has_no_gap(tmp_path: Path) -> None:
    data = tmp_path / "data"
    write(data, days=3, rounds=4)
    report = asked(data, "hold", "2026-11-01", TODAY, now=NOW)
    assert not [each for each in report.charts if each.title.endswith("between hits")]
    assert report.notes


def test_liability_is_drawn_day_by_day(month: Path) -> None:
    days = ("2026-10-30", "2026-10-31", "2026-11-01", "2026-11-02", TODAY)
    (chart,) = asked(month, "liability", days[0], TODAY, now=NOW).charts
    assert chart.x == days
    displayed, owed, put_by = chart.series
    for place, day in enumerate(days):
        totals = asked(month, "liability", day, now=NOW).totals
        assert displayed.values[place] == totals["displayed_microcents"]
        assert owed.values[place] == totals["pending_cents"] * 1_000_000
        assert put_by.values[place] == totals["reserve_microcents"] + totals["overflow_microcents"]
