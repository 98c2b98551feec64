"""`progressive verify` on a journal with awards: what was won, and what has become of it."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from progressive.entry.cli import main
from tests.support.award_journals import AwardShelf
from tests.support.journals import JournalFile


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> AwardShelf:
    return AwardShelf(tmp_path_factory.mktemp("shelf") / "good")


@pytest.fixture
def journal(shelf: AwardShelf, tmp_path: Path) -> JournalFile:
    return shelf.copy_to(tmp_path / "data")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["verify", *[str(each) for each in arguments]])


def test_awards_are_told_with_what_became_of_them(journal: JournalFile) -> None:
    result = run("--data", journal.directory)
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[2:-3] == [
        "  meter          primary       reset    overflow",
        "  mega   25,005.41500000  0.45000000  0.00000000",
        "  major  15,004.20000000  0.33000000  0.00000000",
        "  minor   2,501.20000000  0.15000000  0.00000000",
        "  mini       50.05000000  0.00000000  0.00000000",
        "  in:  wagers 98.00000000 in chips, 0.00000000 in coupons, funding 173,050.00000000",
        "  now: meters 42,561.79500000, hold -988.75000000, "
        "refunds 0.00000000 in chips, 0.00000000 in coupons",
        "  won: awards paid 105,970.60000000, pending 25,576.35000000, stakes returned "
        "28.00000000; corrections -0.00500000",
        "  awards: 14 made, 6 of them from the rack; 2 pending, 0 validated, 3 paid, 3 void; "
        "corrections approved: 1",
        "  hits: mega 3 (1 void), major 1 (1 void), minor 2",
        "  chain ok, books balance to 0",
    ]


def test_awards_are_told_to_machines(journal: JournalFile) -> None:
    link = json.loads(run("--data", journal.directory, "--json").stdout)["links"][0]
    assert link["awards"] == {
        "made": 14,
        "from_rack": 6,
        "pending": 2,
        "validated": 0,
        "paid": 3,
        "void": 3,
        "corrections": 1,
        "documents": 2,
        "meters": [
            _hits("mega", 3, 22_500_495, 1, 10_000_180),
            _hits("major", 1, 1_500_330, 1, 1_500_330),
            _hits("minor", 2, 550_180, 0, 0),
            _hits("mini", 0, 0, 0, 0),
        ],
    }
    assert (link["totals"]["pending"], link["totals"]["corrections"]) == (
        2_557_635_000_000,
        -500_000,
    )


def _hits(meter: str, hits: int, wins: int, voided_hits: int, voided: int) -> dict[str, object]:
    return {
        "id": meter,
        "hits": hits,
        "wins_cents": wins,
        "voided_hits": voided_hits,
        "voided_cents": voided,
    }


def test_forged_award_is_named_with_what_it_should_be(journal: JournalFile) -> None:
    journal.forge(lambda records: records[3]["event"]["awards"][0].update(amount_cents=10_000_181))
    result = run("--data", journal.directory)
    assert result.exit_code == 1
    assert result.stdout == (
        "link main, record 4 (2026-01-02T03:04:42.500000Z, round_settled): award of seat 5 on "
        "blazing7, amount_cents: stored 10000181, recomputed 10000180\n"
    )
    told = json.loads(run("--data", journal.directory, "--json").stdout)
    assert told["links"][0]["awards"] is None
