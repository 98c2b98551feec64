"""The process that seals, as whoever asks it sees it."""

import asyncio
from pathlib import Path

import pytest

from progressive.adapters.seals.files import LinkSeals
from progressive.adapters.seals.key_file import new_signer, write_key
from progressive.adapters.seals.messages import Orders
from progressive.adapters.seals.process import ProcessSealer
from progressive.adapters.sqlite.journal_reader import SqliteJournalReader
from progressive.application.seals.link_log import Target
from progressive.domain.ids import LinkId
from progressive.entry.sealer import PART_RECORDS
from tests.support.long_journal import LongJournal, make_long_journal
from tests.support.sealed import checkpoint_of

pytestmark = pytest.mark.slow

MAIN = LinkId("main")
ANSWER_SECONDS = 60
"""A safety net for a hung test, never a measure of speed."""


@pytest.fixture
def journal(tmp_path: Path) -> LongJournal:
    return make_long_journal(tmp_path / "long", records=3 * PART_RECORDS, tables=5, days=0.1)


async def test_a_long_first_seal_says_how_far_it_has_got(
    journal: LongJournal, tmp_path: Path
) -> None:
    """One that took longer than the service waits for an answer was ended as if it hung."""
    key = tmp_path / "seal-key"
    write_key(key, new_signer("house"))
    end = await SqliteJournalReader(journal.data, unchanged=True).journal_end(MAIN)
    target = Target(MAIN, "", end.seq, end.head)
    orders = Orders(
        data=str(journal.data), key=str(key), rest=0, witness_seconds=0.0, part_seconds=0.0
    )
    sealer = ProcessSealer(orders)
    answers = []
    async with asyncio.timeout(ANSWER_SECONDS):
        try:
            while not answers or not answers[-1].done:
                answers.append(await sealer.ask("seal", target))
        finally:
            await sealer.stop()
    hashed = [each.hashed for each in answers]
    assert len(hashed) >= 3
    assert hashed == [min(part * PART_RECORDS, end.seq) for part in range(1, len(hashed) + 1)]
    # Nothing is signed before all of it is hashed.
    assert [each.size for each in answers] == [0] * (len(answers) - 1) + [end.seq]
    assert checkpoint_of(LinkSeals(journal.data, MAIN).newest()).size == end.seq
