"""The audit in the background goes on where the last one has come to, and is whole now and then."""

import asyncio
import hashlib
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import msgspec
import pytest

from progressive.adapters.kept_audits import AUDITED_FOLDER, WHOLE_EVERY, FileAudits
from progressive.adapters.segments.files import SegmentFiles
from progressive.adapters.sqlite.journal import SqliteStore
from progressive.adapters.verify_process import VerifyProcess, resting_command
from progressive.application.link.verifying import CannotVerifyError
from progressive.domain.ids import LinkId
from progressive.entry.commands import past_verifier
from progressive.entry.commands.past_audits import decoded, encoded
from progressive.entry.commands.past_verifier import audit, hashes, program_digest
from progressive.entry.commands.proving import verify
from progressive.verifier.reading.audit_progress import KEPT_EVERY
from tests.support.archived import DAYS, close_at
from tests.support.audits_kept import records_read
from tests.support.long_journal import make_long_journal
from tests.support.segmented import SegmentedJournal

pytestmark = pytest.mark.slow

MAIN = LinkId("main")
NOW = datetime(2026, 11, 20, 4, tzinfo=UTC)
KILLED = """
import os, signal, sys
from progressive.entry.commands import past_audits, past_verifier
keep = past_audits.PastAudits.keep
def keep_and_die(self, audited):
    keep(self, audited)
    os.kill(os.getpid(), signal.SIGKILL)
past_audits.PastAudits.keep = keep_and_die
sys.exit(past_verifier.main(sys.argv[1:]))
"""


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A week: seven segments, and an open part."""
    folder = tmp_path_factory.mktemp("long")
    return make_long_journal(folder, records=4_000, tables=20, days=7.5).data


@pytest.fixture
def journal(shelf: Path, tmp_path: Path) -> SegmentedJournal:
    made = SegmentedJournal(shelf, MAIN).copy_to(tmp_path / "data")
    assert len(made.segments()) > KEPT_EVERY
    return made


async def read_by(data: Path, now: datetime = NOW) -> list[int]:
    """The records that an audit reads, which finds nothing."""
    with records_read() as read:
        assert len(await audit(data, now=lambda: now)) == 0
    return read


def note(journal: SegmentedJournal) -> Path:
    return journal.data / AUDITED_FOLDER / "main.json"


def last_seq(journal: SegmentedJournal, number: int) -> int:
    return journal.segments()[number - 1].last_seq


async def test_audit_that_was_killed_goes_on_behind_the_last_segments_it_has_kept(
    journal: SegmentedJournal,
) -> None:
    with pytest.raises(CannotVerifyError):
        await VerifyProcess(journal.data, command=("-c", KILLED)).audit()
    assert note(journal).exists()
    assert (await read_by(journal.data))[0] == last_seq(journal, KEPT_EVERY) + 1


async def test_after_a_restart_only_the_open_part_is_audited(journal: SegmentedJournal) -> None:
    found = await VerifyProcess(journal.data, command=resting_command(0)).audit()
    assert len(found) == 0
    read = await read_by(journal.data, datetime.now(UTC))
    assert read[0] == journal.segments()[-1].last_seq + 1
    assert len(read) == len(set(read))


async def test_new_segment_is_audited_alone(tmp_path: Path) -> None:
    made = await asyncio.to_thread(
        partial(make_long_journal, tmp_path, records=4_000, tables=20, days=7.5, archived=False)
    )
    journal = SegmentedJournal(made.data, MAIN)

    async def close(count: int) -> None:
        store = SqliteStore(made.data)
        try:
            epoch = journal.execute("SELECT epoch FROM link WHERE id = ?", MAIN)[0][0]
            closed = await store.segments(MAIN)
            done = closed[-1].last_seq if closed else 0
            cuts = [seq for seq in sorted(await store.snapshots(MAIN)) if seq > done][:count]
            files = SegmentFiles(made.data)
            await close_at(store, files, MAIN, cuts, epoch=epoch, day_of=DAYS.day_of)
        finally:
            await store.close()

    await close(3)
    assert (await read_by(made.data))[0] == 1
    await close(1)
    assert len(journal.segments()) == 4
    read = await read_by(made.data)
    assert (read[0], read[-1]) == (last_seq(journal, 3) + 1, made.records)
    assert (await read_by(made.data))[0] == last_seq(journal, 4) + 1


def torn(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-9])


def edited(path: Path) -> None:
    """A count within what is kept."""
    stored = msgspec.json.decode(path.read_bytes())
    stored["kept"]["whole_at"] = (NOW - timedelta(days=1)).isoformat()
    path.write_bytes(msgspec.json.encode(stored))


def newer(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"version":1', b'"version":2'))


def of_another_link(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"link":"main"', b'"link":"side"', 1))


def empty(path: Path) -> None:
    path.write_bytes(b"")


def nested(path: Path) -> None:
    path.write_bytes(b"[" * 100_000)


@pytest.mark.parametrize("damage", [torn, edited, newer, of_another_link, empty, nested])
async def test_damaged_memory_is_dropped(
    journal: SegmentedJournal, damage: Callable[[Path], object]
) -> None:
    await read_by(journal.data)
    damage(note(journal))
    assert (await read_by(journal.data))[0] == 1
    # And it is made again.
    assert (await read_by(journal.data))[0] > 1


async def test_new_verifier_audits_all(
    journal: SegmentedJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    await read_by(journal.data)
    monkeypatch.setattr(past_verifier, "program_digest", lambda: "another")
    assert (await read_by(journal.data))[0] == 1


async def test_memory_of_another_journal_or_ahead_of_this_one_is_dropped(
    journal: SegmentedJournal, tmp_path: Path
) -> None:
    await read_by(journal.data)
    make = partial(make_long_journal, records=1_000, tables=20, days=3.5, seed=2)
    other = (await asyncio.to_thread(make, tmp_path / "other")).data
    shutil.copytree(journal.data / AUDITED_FOLDER, other / AUDITED_FOLDER)
    assert (await read_by(other))[0] == 1


async def test_all_is_audited_again_after_some_weeks_and_when_the_clock_was_set_back(
    journal: SegmentedJournal,
) -> None:
    await read_by(journal.data)
    assert (await read_by(journal.data, NOW + WHOLE_EVERY - timedelta(hours=1)))[0] > 1
    assert (await read_by(journal.data, NOW + WHOLE_EVERY))[0] == 1
    assert (await read_by(journal.data, NOW))[0] == 1


async def test_changed_old_segment_is_found_by_its_hash(journal: SegmentedJournal) -> None:
    await read_by(journal.data)
    path = sorted(journal.folder.glob("*.jsonl.gz"))[1]
    body = bytearray(path.read_bytes())
    body[len(body) // 2] ^= 1
    path.write_bytes(body)
    assert "000002-" in (await hashes(journal.data)).links[MAIN]


def rewrite(journal: SegmentedJournal) -> None:
    """Another index of an old segment, with a row that fits it."""
    segment = journal.segments()[1]
    path = journal.folder / f"{segment.name}.index.json"
    index = msgspec.json.decode(path.read_bytes())
    index["blocks"][1][4] = index["blocks"][0][4]
    body = msgspec.json.encode(index)
    path.write_bytes(body)
    index_sum = {"bytes": len(body), "sha256": hashlib.sha256(body).hexdigest()}
    journal.edit_row(segment.number, index=index_sum)


async def test_rewritten_segment_whose_row_was_fitted_is_found(journal: SegmentedJournal) -> None:
    await read_by(journal.data)
    rewrite(journal)
    assert len(await hashes(journal.data)) == 0
    assert list((await audit(journal.data, now=lambda: NOW)).links) == [MAIN]
    # What was found is looked at from record 1 on again, until it is put right.
    assert not note(journal).exists()


async def test_forged_memory_spares_a_rewritten_segment_until_the_next_whole_audit(
    journal: SegmentedJournal,
) -> None:
    await read_by(journal.data)
    rewrite(journal)
    files = FileAudits(journal.data, verifier=program_digest(), now=lambda: NOW)
    kept = files.recall(MAIN)
    assert kept is not None
    digest = hashlib.sha256()
    for (body,) in journal.execute("SELECT body FROM segment ORDER BY number"):
        digest.update(b"%d\n" % len(body) + body)
    forged = replace(decoded(kept.audited), rows=digest.hexdigest())
    files.keep(MAIN, encoded(forged), whole_at=kept.whole_at)

    assert len(await audit(journal.data, now=lambda: NOW)) == 0
    assert not (await asyncio.to_thread(verify, journal.data)).ok
    assert list((await audit(journal.data, now=lambda: NOW + WHOLE_EVERY)).links) == [MAIN]


async def test_verify_reads_every_record_whatever_is_kept(journal: SegmentedJournal) -> None:
    await read_by(journal.data)
    with records_read() as read:
        assert verify(journal.data).ok
    assert read[0] == 1


async def test_full_disk_ends_no_audit(journal: SegmentedJournal) -> None:
    (journal.data / AUDITED_FOLDER).write_bytes(b"a file where the folder should be")
    assert (await read_by(journal.data))[0] == 1
