"""The cage's payments beside ours: every mismatch, explanations, files that are replaced."""

import asyncio
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from progressive.adapters.reports.render import FORMATS, render
from progressive.application.finance.report import Report
from progressive.application.finance.reports.cage_matching import Match, Ours, Theirs, matched
from progressive.domain.finance_events import CagePayment, Explanation
from progressive.domain.ids import AwardId
from tests.support.asked import asked, row, rows
from tests.support.forgeries import lie_at, put
from tests.support.journals import JournalFile
from tests.support.reports import PRINTED_AT
from tests.support.stated_figures import (
    FRIDAY,
    LATER,
    SATURDAY,
    SUNDAY,
    a_file,
    act_later,
    entered,
    paid,
    write_cage_days,
)

ON_FRIDAY, ON_SATURDAY = "2026-10-30T22:00:00.000000Z", "2026-10-31T22:00:00.000000Z"
P = "main-P00000"


def our(document: str, cents: int = 500, day: str = FRIDAY) -> Ours:
    return Ours(
        document=document, award=AwardId("main.1.1"), table="BJ-01", cents=cents, at=ON_FRIDAY,
        day=day, first_seq=1, last_seq=2,
    )  # fmt: skip


def their(reference: str, document: str, cents: int = 500, *days: str) -> Theirs:
    file_day, at_day = (*days, FRIDAY, "")[:2] if len(days) != 1 else (days[0], "")
    return Theirs(
        payment=CagePayment(reference, document, cents, ""), file_day=file_day, at="",
        at_day=at_day, seq=9,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("ours", "theirs", "expected"),
    [
        ([], [], []),
        ([our("D1")], [their("R1", "D1")], [("matched", "D1", "R1")]),
        ([our("D1")], [their("R1", "d1")], [("matched", "D1", "R1")]),
        ([our("D1")], [], [("ours only", "D1", "")]),
        ([], [their("R1", "D1")], [("theirs only", "", "R1")]),
        ([our("D1")], [their("R1", "")], [("ours only", "D1", ""), ("theirs only", "", "R1")]),
        ([our("D1")], [their("R1", "D1", 501)], [("amount differs", "D1", "R1")]),
        ([our("D1")], [their("R1", "D1", 500, SATURDAY)], [("day differs", "D1", "R1")]),
        ([our("D1")], [their("R1", "D1", 500, FRIDAY, SATURDAY)], [("day differs", "D1", "R1")]),
        ([our("D1")], [their("R1", "D1", 500, FRIDAY, FRIDAY)], [("matched", "D1", "R1")]),
        ([our("D1")], [their("R1", "D1", 501, SATURDAY)], [("amount differs", "D1", "R1")]),
        # The right amount is taken for it, then the right day, then the first.
        (
            [our("D1")],
            [their("R1", "D1", 501), their("R2", "D1", 500, SATURDAY), their("R3", "D1")],
            [("matched", "D1", "R3"), ("twice", "", "R1"), ("twice", "", "R2")],
        ),
        (
            [our("D1")],
            [their("R1", "D1"), their("R2", "D1")],
            [("matched", "D1", "R1"), ("twice", "", "R2")],
        ),
        # Nobody knows the document: none of them is the one that was right.
        (
            [],
            [their("R1", "D1"), their("R2", "D1")],
            [("theirs only", "", "R1"), ("theirs only", "", "R2")],
        ),
    ],
)
def test_documents_are_matched(
    ours: list[Ours], theirs: list[Theirs], expected: list[tuple[str, str, str]]
) -> None:
    found = [
        (
            match.status,
            "" if match.ours is None else match.ours.document,
            "" if match.theirs is None else match.theirs.payment.reference,
        )
        for match in matched(ours, theirs)
    ]
    assert found == expected


_documents = st.sampled_from(["", "A", "a", "B", "C"])


@given(
    st.lists(st.sampled_from("ABC"), max_size=3, unique=True),
    st.lists(st.tuples(_documents, st.integers(1, 2)), max_size=6),
)
def test_every_payment_stands_in_exactly_one_row(
    ours: list[str], theirs: list[tuple[str, int]]
) -> None:
    mine = [our(document, 1) for document in ours]
    his = [their(f"R{at}", document, cents) for at, (document, cents) in enumerate(theirs)]
    found = matched(mine, his)
    assert [each.ours for each in found if each.ours is not None] == mine
    listed = [each.theirs for each in found if each.theirs is not None]
    assert sorted(listed, key=lambda each: each.payment.reference) == his
    assert all(each.item for each in found)
    assert Match("ours only", None, None).item == ""


# --- on days of play ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("cage") / "data"
    directory.mkdir()
    asyncio.run(write_cage_days(directory))
    return directory


@pytest.fixture(scope="module")
def data(played: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Friday's file has a mismatch of every kind, and replaces one; Saturday has none."""
    directory = tmp_path_factory.mktemp("entered") / "data"
    shutil.copytree(played, directory)
    cents = paid(JournalFile(directory))
    file = a_file(
        CagePayment("R1", f"{P}1", cents[f"{P}1"], ON_FRIDAY),
        CagePayment("R2", f"{P}2", cents[f"{P}2"] + 1, ""),
        CagePayment("R3", f"{P}3", cents[f"{P}3"], ""),
        CagePayment("R4", f"{P}3", cents[f"{P}3"], ""),
        CagePayment("R5", f"{P}5", cents[f"{P}5"], ON_SATURDAY),
        CagePayment("R6", f"{P}6", cents[f"{P}6"], ""),
        CagePayment("R7", "CAGE-77", 12_345, ""),
        CagePayment("R8", "", 200, ""),
    )
    act_later(
        directory,
        LATER,
        *entered(
            FRIDAY,
            a_file(CagePayment("R0", "typed by mistake", 1, "")),
            file,
            Explanation(check="cage", item=f"{P}2", text="a coin too many"),
            Explanation(check="cage", item="R7", text="a slot jackpot"),
            Explanation(check="cage", item=f"{P}1", text="matched, so it needs none"),
            Explanation(check="readings", item=f"{P}4", text="of another check"),
        ),
    )
    return directory


def cage(data: Path, *days: str) -> Report:
    return asked(data, "cage", *days, now="2026-11-02T20:00:00.000000Z")


def test_a_file_with_every_kind_of_mismatch(data: Path) -> None:
    report = cage(data, FRIDAY)
    cents = paid(JournalFile(data))
    assert [(each["document"], each["cage_ref"], each["status"]) for each in report.rows] == [
        (f"{P}1", "R1", "matched"),
        (f"{P}2", "R2", "amount differs"),
        (f"{P}3", "R3", "matched"),
        (f"{P}4", None, "ours only"),
        (f"{P}5", "R5", "day differs"),
        (f"{P}6", "R6", "day differs"),
        (f"{P}3", "R4", "twice"),
        ("CAGE-77", "R7", "theirs only"),
        (None, "R8", "theirs only"),
    ]
    assert [each["difference_cents"] for each in report.rows] == [
        *(0, -1, 0, cents[f"{P}4"], 0, -cents[f"{P}6"], -cents[f"{P}3"], -12_345, -200)
    ]
    late = row(report, document=f"{P}6")
    assert (late["system_day"], late["cage_day"]) == (SATURDAY, FRIDAY)
    assert (late["system_cents"], late["cage_cents"]) == (None, cents[f"{P}6"])
    early = row(report, document=f"{P}5")
    assert (early["system_day"], early["cage_day"]) == (FRIDAY, SATURDAY)
    assert early["cage_at"] == ON_SATURDAY
    first = row(report, document=f"{P}1")
    assert (first["award"], first["table"], first["system_cents"]) == (
        *("main.5.1", "BJ-01"),
        cents[f"{P}1"],
    )
    assert (first["first_seq"], first["last_seq"]) == (5, 22)
    assert row(report, cage_ref="R8")["first_seq"] == first["entered_seq"]
    # Both sums are those of the day: of its documents, and of its file.
    of_friday = asked(data, "awards", FRIDAY, now=LATER).rows
    assert report.totals["system_cents"] == sum(
        int(each["paid_cents"] or 0) for each in of_friday if each["document"]
    )
    (entry,) = [
        record["event"]["entry"]
        for record in JournalFile(data).records()
        if record["seq"] == first["entered_seq"]
    ]
    assert report.totals["cage_cents"] == sum(each[2] for each in entry["payments"])
    assert report.totals["difference_cents"] == sum(
        int(each["difference_cents"] or 0) for each in report.rows
    )


def test_explanations_stand_beside_what_is_not_matched(data: Path) -> None:
    report = cage(data, FRIDAY)
    assert {
        each["cage_ref"]: each["explanation"] for each in report.rows if each["explanation"]
    } == {"R2": "a coin too many", "R7": "a slot jackpot"}
    assert row(report, cage_ref="R2")["explained_by"] == "Fay"


def test_notes_name_the_file_and_leave_the_rack_out(data: Path) -> None:
    report = cage(data, FRIDAY)
    assert (
        "In these days: 1 amount differs, 2 day differs, 2 matched, 1 ours only, 2 theirs only, "
        "1 twice." in report.notes
    )
    assert any(": cage.csv, 8 payments, entered by Fay in record " in note for note in report.notes)
    # One 7 pays $10 at once.
    assert any(note.endswith("stand in no row: $10.00 at 1 table.") for note in report.notes)
    (chart,) = report.charts
    assert chart.x == ("BJ-01", "BJ-02", "BJ-03")
    assert chart.series[0].values == (0, 0, 1_000)
    cents = paid(JournalFile(data))
    assert chart.series[1].values[0] == cents[f"{P}1"] + cents[f"{P}3"] + cents[f"{P}5"]


def test_a_payment_of_another_day_is_found_from_either_side(data: Path) -> None:
    saturday = cage(data, SATURDAY)
    assert saturday.charts == ()
    (found,) = saturday.rows
    assert (found["document"], found["status"]) == (f"{P}6", "day differs")
    assert found["difference_cents"] == found["system_cents"] == 59_155
    assert (found["cage_cents"], found["cage_ref"]) == (None, "R6")
    assert f"{SATURDAY}: no file of the cage is entered." in saturday.notes
    both = cage(data, FRIDAY, SATURDAY)
    assert len(both.rows) == 9
    assert row(both, document=f"{P}6")["difference_cents"] == 0
    assert cage(data, SUNDAY).rows == ()


def test_without_a_file_all_is_ours_only(played: Path) -> None:
    report = cage(played, FRIDAY)
    assert {each["status"] for each in report.rows} == {"ours only"}
    assert len(report.rows) == 5
    assert f"{FRIDAY}: no file of the cage is entered." in report.notes


def test_a_forged_entry_shows_and_breaks_the_sealed_chain(data: Path, tmp_path: Path) -> None:
    """A payment that is lowered in the journal, with every hash after it made to fit again."""
    shutil.copytree(data, tmp_path / "data")
    journal = JournalFile(tmp_path / "data")
    seq = int(row(cage(data, FRIDAY), cage_ref="R1")["entered_seq"] or 0)
    before = cage(data, FRIDAY).journal.head
    journal.forge(lie_at(seq, put("entry", "payments", 0, 2, value=1)))
    report = cage(tmp_path / "data", FRIDAY)
    forged = row(report, document=f"{P}1")
    assert (forged["status"], forged["cage_cents"]) == ("amount differs", 1)
    assert forged["difference_cents"] == paid(journal)[f"{P}1"] - 1
    # The days before it are as they were; the head of the journal is another one.
    assert report.journal.head == before
    lines = JournalFile(data).lines()
    assert journal.lines()[: seq - 1] == lines[: seq - 1]
    assert journal.lines()[seq:] != lines[seq:]


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_shows_it(data: Path, form: str) -> None:
    report = cage(data, FRIDAY, SATURDAY)
    body = render(report, form, PRINTED_AT)  # type: ignore[arg-type]
    assert body == render(report, form, PRINTED_AT)  # type: ignore[arg-type]
    if form in ("table", "csv", "json", "html"):
        assert b"amount differs" in body
        assert b"a slot jackpot" in body


def test_rows_are_those_of_the_documents_once(data: Path) -> None:
    report = cage(data, FRIDAY, SATURDAY)
    assert len(rows(report, document=f"{P}6")) == 1
