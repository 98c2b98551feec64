"""Any meter at any record, from its last reset: the lines sum to what the record names."""

import asyncio
from pathlib import Path

import pytest

from progressive.adapters.sqlite.journal_reader import SqliteJournalReader
from progressive.application.finance.days import LinkDays
from progressive.application.finance.questions.books import Books
from progressive.application.finance.questions.explain import Explanation, explain
from progressive.application.finance.refusals import NotThereError
from progressive.domain.ids import LinkId
from tests.support.award_journals import write_award_journal
from tests.support.journals import JournalFile

MAIN = LinkId("main")


def explained(data: Path, meter: str, *seqs: int) -> list[Explanation]:
    async def ask() -> list[Explanation]:
        reader = SqliteJournalReader(data, unchanged=True)
        days = await LinkDays.load(reader, MAIN)
        books = Books(reader, MAIN, days)
        return [await explain(reader, MAIN, meter, books, seq=seq) for seq in seqs]

    return asyncio.run(ask())


@pytest.mark.slow
def test_after_every_record_the_sum_is_what_the_record_names(data: Path) -> None:
    records = JournalFile(data).records()
    found = explained(data, "progressive", *range(1, len(records) + 1))
    for record, each in zip(records, found, strict=True):
        named = record["event"].get("meters", [1_000_000 * 1_000_000])[0]
        assert each.microcents == each.sum_microcents == named
        assert each.difference_microcents == 0
        assert (each.seq, each.at) == (record["seq"], record["at"])


@pytest.mark.slow
def test_of_every_meter_of_a_journal_with_every_kind_of_award(tmp_path: Path) -> None:
    asyncio.run(write_award_journal(tmp_path))
    records = JournalFile(tmp_path).records()
    for place, meter in enumerate(("mega", "major", "minor")):
        for each in explained(tmp_path, meter, *range(2, len(records) + 1)):
            assert each.microcents == records[each.seq - 1]["event"]["meters"][place]
            assert each.difference_microcents == 0


def test_the_lines_by_hand(data: Path) -> None:
    """Record 40: the whole meter was won by record 36; since then one wager of $5 at 21 percent.

    Before it stood what the reset left: $2,000 of the house, what the reset meter held, a fraction.
    """
    (found,) = explained(data, "progressive", 40)
    assert found.from_seq == 36
    award, wager, house, reserve = found.lines
    assert (award.first_seq, award.table) == (36, "BJ-01")
    assert found.opening_microcents + award.microcents < 1_000_000
    assert (wager.wager_cents, wager.rate_ppm, wager.microcents) == (500, 210_000, 105_000_000)
    assert (wager.table, wager.terms_version) == ("BJ-01", 2)
    assert house.microcents == 200_000 * 1_000_000
    assert reserve.what == "from the reset meter"


def test_a_voided_hit_is_no_reset(data: Path) -> None:
    """The whole meter was claimed by record 11 and voided by record 13."""
    during, after = explained(data, "progressive", 12, 13)
    assert (during.from_seq, after.from_seq) == (11, 1)


def test_a_meter_that_is_not_there_is_named_with_those_that_are(data: Path) -> None:
    with pytest.raises(
        NotThereError, match=r"no meter 'mega' at record 5 \(there are: progressive"
    ):
        explained(data, "mega", 5)
