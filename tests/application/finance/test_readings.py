"""What people read off signs, beside the sign log and the journal of that moment."""

import asyncio
import shutil
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from progressive.adapters.reports.render import FORMATS, render
from progressive.adapters.sqlite.sign_log_reader import open_sign_log
from progressive.application.finance.questions.asking import Question, answer
from progressive.application.finance.questions.readings import NO_DOCUMENT
from progressive.application.finance.report import Report
from progressive.application.finance.reports.readings_then import RULE, moments_of, off_by
from progressive.domain.finance_events import Explanation, SignReading
from progressive.domain.ids import MeterId, SignId
from tests.support.asked import around, row, rows
from tests.support.finance_days import FinanceShelf
from tests.support.forgeries import lie_at, put
from tests.support.journals import JournalFile
from tests.support.reports import PRINTED_AT
from tests.support.stated_figures import (
    FRIDAY,
    LATER,
    SATURDAY,
    SUNDAY,
    act_later,
    entered,
    sign_reports,
    write_cage_days,
)

NOW = "2026-11-02T20:00:00.000000Z"


@pytest.mark.parametrize(
    ("shown", "amounts", "off"),
    [
        (5, [], None),
        (5, [5], 0),
        (5, [3, 8], 0),
        (3, [3, 8], 0),
        (2, [3, 8], -1),
        (9, [3, 8], 1),
        (0, [3, 8], -3),
        # A hit: the digits that it skipped were never there.
        (50, [98, 100, 10, 12], 38),
        (60, [98, 100, 10, 12], -38),
        (99, [98, 100, 10, 12], 0),
        (11, [98, 100, 10, 12], 0),
        (97, [98, 100, 10, 12], -1),
    ],
)
def test_a_reading_is_beside_all_that_the_meter_was(
    shown: int, amounts: list[int], off: int | None
) -> None:
    assert off_by(shown, amounts) == off


@given(st.integers(0, 50), st.lists(st.integers(0, 50), min_size=1, max_size=8))
def test_zero_means_that_the_meter_stood_there_or_rose_through_it(
    shown: int, amounts: list[int]
) -> None:
    found = off_by(shown, amounts)
    been = set(amounts)
    for low, high in pairwise(amounts):
        been |= set(range(low, high + 1))
    assert found is not None
    assert (found == 0) == (shown in been)
    assert shown - found in been
    assert abs(found) == min(abs(shown - cents) for cents in been)


def test_a_time_in_whole_minutes_means_all_of_its_minute() -> None:
    assert moments_of("2026-10-30T12:01:00.000000Z") == (
        "2026-10-30T12:00:30.000000Z",
        "2026-10-30T12:01:00.000000Z",
        "2026-10-30T12:01:59.999999Z",
    )
    exact = moments_of("2026-10-30T12:01:07.000000Z")
    assert exact[1] == exact[2] == "2026-10-30T12:01:07.000000Z"


# --- on days of play ------------------------------------------------------------------------------


def a_reading(at: str, cents: int, sign: str = "entrance") -> SignReading:
    return SignReading(
        sign=SignId(sign), meter=MeterId("progressive"), shown_cents=cents, read_by="Rita",
        read_at=at,
    )  # fmt: skip


EARLY, NOON = "2026-10-30T12:01:12Z", "2026-10-30T18:00:00Z"
"""Two seconds after the first tenth; after all of Friday's play."""
LATE, TYPO = "2026-10-31T15:00:00Z", "2026-10-31T16:00:00Z"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The meter stands at $9,003.60 after the first tenth, at $5,323.91 after Friday's play and at
    $5,324.91 after Saturday's."""
    directory = tmp_path_factory.mktemp("readings") / "data"
    directory.mkdir()
    asyncio.run(write_cage_days(directory))
    act_later(
        directory,
        LATER,
        *entered(
            FRIDAY,
            a_reading(EARLY, 1_000_400),
            a_reading(NOON, 532_391),
            a_reading(NOON, 532_491, "high limit"),
            Explanation(check="readings", item="high limit progressive", text="misread"),
        ),
        *entered(SATURDAY, a_reading(LATE, 999), a_reading(LATE, 532_491), a_reading(TYPO, 1)),
    )
    sign_reports(directory, "entrance", "2026-10-30T12:01:11.000000Z", 1_000_400)
    sign_reports(directory, "entrance", "2026-10-30T18:00:00.000000Z", 532_391)
    sign_reports(directory, "bar", "2026-10-30T18:00:00.000000Z", 532_391, state="stale")
    return directory


def readings(data: Path, *days: str, log: bool = True) -> Report:
    surroundings = around(data, now=NOW)
    if log:
        surroundings = structs.replace(surroundings, sign_log=partial(open_sign_log, data))
    question = Question(kind="readings", from_day=days[0], to_day=days[-1])
    return asyncio.run(answer(question, surroundings))


def test_a_reading_beside_the_sign_log_and_the_journal(data: Path) -> None:
    found = row(readings(data, FRIDAY), at="2026-10-30T18:00:00.000000Z", sign="entrance")
    assert (found["shown_cents"], found["difference_cents"]) == (532_391, 0)
    assert (found["sign_log_cents"], found["sign_log"]) == (532_391, "live")
    assert found["sign_log_at"] == "2026-10-30T18:00:00.000000Z"
    assert found["journal_microcents"] == 532_391 * 10**6
    assert (found["read_by"], found["reviewed_by"]) == ("Rita", "Fay")
    assert (found["first_seq"], found["last_seq"]) == (28, 28)
    assert (found["previous_at"], found["previous_cents"]) == (
        "2026-10-30T12:01:12.000000Z",
        1_000_400,
    )
    assert found["change_cents"] == 532_391 - 1_000_400


def test_a_sign_may_be_half_a_minute_behind(data: Path) -> None:
    """Two seconds after the hit the glass still has what the meter stood at before it."""
    found = row(readings(data, FRIDAY), at="2026-10-30T12:01:12.000000Z")
    assert (found["difference_cents"], found["journal_microcents"]) == (0, 900_360 * 10**6)
    assert (found["first_seq"], found["last_seq"]) == (3, 5)
    assert found["sign_log_cents"] == 1_000_400


def test_a_difference_stands_with_its_explanation(data: Path) -> None:
    report = readings(data, FRIDAY)
    found = row(report, entry="reading", sign="high limit")
    assert (found["difference_cents"], found["explanation"]) == (100, "misread")
    assert found["explained_by"] == "Fay"
    assert str(found["sign_log"]).startswith("no report between the beginning of the log and now")
    assert RULE in report.notes


def test_a_reading_entered_again_replaces_the_one_before(data: Path) -> None:
    report = readings(data, SATURDAY)
    found = rows(report, entry="reading")
    assert [(each["shown_cents"], each["difference_cents"]) for each in found] == [
        (532_491, 0),
        (1, 1 - 532_491),
    ]
    # Before it this sign was read on Friday: the days before the range are looked at.
    assert (found[0]["previous_cents"], found[0]["change_cents"]) == (532_391, 100)


def test_every_decrease_since_has_its_document(data: Path) -> None:
    """Five tenths and the contributions of a voided round on Friday; nothing on Saturday."""
    report = readings(data, FRIDAY)
    found = rows(report, entry="decrease")
    assert [each["document"] for each in found] == [
        *(f"award main.{3 + 2 * n}.1, document main-P00000{n}" for n in range(1, 6)),
        "award main.15.1, validated",
        "round r3 at BJ-03 voided",
    ]
    assert found[0]["decrease_microcents"] == -100_040 * 10**6
    assert found[-1]["decrease_microcents"] == -300 * 10**6
    journal = dict(enumerate(JournalFile(data).records(), 1))
    for each in found:
        seq = int(each["first_seq"] or 0)
        before, after = (journal[n]["event"]["meters"][0] for n in (seq - 1, seq))
        assert each["decrease_microcents"] == after - before
    assert report.totals["decrease_microcents"] == sum(
        int(each["decrease_microcents"] or 0) for each in found
    )
    times = [str(each["at"]) for each in report.rows if each["at"]]
    assert times == sorted(times)
    # Since the reading of Friday's 18:00 nothing took from the meter.
    assert rows(readings(data, SATURDAY), entry="decrease") == []


def test_the_document_of_a_later_day_stands_beside_the_decrease(data: Path) -> None:
    whole = readings(data, FRIDAY, SATURDAY)
    sixth = row(whole, entry="decrease", first_seq=15)
    assert sixth["document"] == "award main.15.1, document main-P000006"


def test_what_was_not_read_is_a_row_and_a_note(data: Path) -> None:
    friday = readings(data, FRIDAY)
    assert [(each["sign"], each["meter"]) for each in rows(friday, entry="not read")] == [
        ("bar", "progressive")
    ]
    note = "Every meter is to be read once in 7 days. Not read for longer: progressive on bar."
    assert note in friday.notes
    sunday = readings(data, SUNDAY)
    (found,) = sunday.rows
    # No sign reported on Sunday: the meter stands with where it was read last.
    assert (found["entry"], found["sign"], found["previous_cents"]) == ("not read", "entrance", 1)
    assert not any("Not read for longer" in note for note in sunday.notes)


def test_without_a_sign_log_readings_stand_beside_the_journal(data: Path, tmp_path: Path) -> None:
    report = readings(data, FRIDAY, log=False)
    found = row(report, at="2026-10-30T18:00:00.000000Z", sign="entrance")
    assert (found["difference_cents"], found["sign_log_cents"], found["sign_log"]) == (
        0,
        None,
        None,
    )
    assert "Nothing is known of the sign log: it was not asked." in report.notes
    copy = tmp_path / "data"
    shutil.copytree(data, copy)
    (copy / "signs.sqlite3").unlink()
    notes = readings(copy, FRIDAY).notes
    assert "Nothing is known of the sign log: there is none that can be read." in notes


def test_a_forged_entry_is_a_difference(data: Path, tmp_path: Path) -> None:
    shutil.copytree(data, tmp_path / "data")
    journal = JournalFile(tmp_path / "data")
    found = row(readings(data, FRIDAY), at="2026-10-30T18:00:00.000000Z", sign="entrance")
    journal.forge(
        lie_at(int(found["entered_seq"] or 0), put("entry", "shown_cents", value=532_392))
    )
    forged = row(readings(journal.directory, FRIDAY), entered_seq=int(found["entered_seq"] or 0))
    assert forged["difference_cents"] == 1


def test_a_meter_that_was_forged_is_a_difference(data: Path, tmp_path: Path) -> None:
    """One cent on a meter that was read: the reading no longer agrees."""
    shutil.copytree(data, tmp_path / "data")
    journal = JournalFile(tmp_path / "data")
    journal.forge(lie_at(28, put("meters", 0, value=532_392 * 10**6)))
    found = row(readings(journal.directory, FRIDAY), entry="reading", shown_cents=532_391)
    assert found["difference_cents"] == -1


def test_a_decrease_without_a_cause_says_so(data: Path, tmp_path: Path) -> None:
    """A payment moves no meter: the record that pays names a cent less than stood there."""
    shutil.copytree(data, tmp_path / "data")
    journal = JournalFile(tmp_path / "data")
    journal.forge(lie_at(22, put("meters", 0, value=532_390 * 10**6)))
    report = readings(journal.directory, FRIDAY)
    found = row(report, entry="decrease", first_seq=22)
    assert found["document"] == NO_DOCUMENT
    assert found["decrease_microcents"] == -(10**6)
    assert any(note.startswith("DIFFERENCE: record 22: ") for note in report.notes)


def test_decreases_of_corrections_voids_and_resets(tmp_path: Path) -> None:
    shelf = FinanceShelf(tmp_path / "data")
    act_later(
        shelf.directory,
        "2026-11-03T20:00:00+00:00",
        *entered("2026-11-01", a_reading("2026-11-01T12:30:00Z", 1)),
        rate_ppm=210_000,
    )
    report = readings_until(shelf.directory, "2026-10-30", "2026-11-01")
    documents = [str(each["document"]) for each in rows(report, entry="decrease")]
    assert "award main.6.1, document CAGE-9" in documents
    assert "award main.11.1, void; award main.11.2, document main-P000001" in documents
    assert sum(each.startswith("correction main.") for each in documents) == 1
    assert sum(each.startswith("round ") for each in documents) == 2
    records = JournalFile(shelf.directory).records()
    shown = {record["seq"]: record["event"].get("meters") for record in records}
    fell = [
        record["seq"]
        for record in records
        if record["at"] < "2026-11-02T11"
        and shown.get(record["seq"] - 1)
        and record["event"].get("meters", [0])[0] < shown[record["seq"] - 1][0]
    ]
    assert fell == [each["first_seq"] for each in rows(report, entry="decrease")]


def readings_until(data: Path, first: str, last: str) -> Report:
    question = Question(kind="readings", from_day=first, to_day=last)
    return asyncio.run(answer(question, around(data, now="2026-11-03T21:00:00.000000Z")))


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_shows_it(data: Path, form: str) -> None:
    report = readings(data, FRIDAY, SATURDAY)
    body = render(report, form, PRINTED_AT)  # type: ignore[arg-type]
    assert body == render(report, form, PRINTED_AT)  # type: ignore[arg-type]
    if form in ("table", "csv", "json", "html"):
        assert b"high limit" in body
        assert b"not read" in body
