"""COLD. Writes a segment: its records, its index, and the state after it, or nothing at all.

Everything is written under names that begin with a dot, synced, read back from the disk and proved;
only then do the files get their names, the records last. A file that has its name is never
written again. Nothing is removed but files with a dot. What a crash leaves behind means nothing
until the store speaks of it; the next attempt makes the same bytes again.
"""

import contextlib
import os
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from progressive.adapters.durable import FILE_MODE, FOLDER_MODE, sync_folder
from progressive.adapters.segments.files import INDEX, RECORDS, STATE, SegmentFiles
from progressive.adapters.segments.index_builder import IndexBuilder
from progressive.adapters.segments.prove import GZIP, prove_index, prove_records, prove_state
from progressive.adapters.segments.synced_file import SyncedFile, alone, same_bytes
from progressive.application.journal.cut import Cut
from progressive.application.journal.ports import (
    StoreConflictError,
    StoreCorruptError,
    StoreUnavailableError,
)
from progressive.application.journal.record import JournalBrokenError
from progressive.application.journal.segments import (
    BLOCK_RECORDS,
    FileSum,
    Segment,
    SegmentIndex,
    decode_index,
    encode_index,
)
from progressive.common.steps import step
from progressive.domain.ids import LinkId

COMPRESSION: Final = 6
"""Level 9 takes twice the time for one byte in a hundred."""
DEFLATE_BYTES: Final = 8 << 10
"""Some tenths of a millisecond of work."""
UNFINISHED: Final = ".new"

STEPS: Final = (
    "make the folder",
    "remove what a crash left",
    "begin the records",
    "write records",
    "sync the records",
    "begin the index",
    "write the index",
    "sync the index",
    "begin the state",
    "write the state",
    "sync the state",
    "prove what was written",
    "name the index",
    "name the state",
    "name the records",
    "sync a folder",
    "sync a folder",
    "sync a folder",
    "finish",
)
"""Where it may be stopped. The steps of the state are left out where there is none."""


def write_segment(
    files: SegmentFiles,
    cut: Cut,
    batches: Iterable[tuple[int, Sequence[bytes]]],
    *,
    state: bytes | None = None,
) -> Segment:
    """Write the segment of a cut, and prove it; nothing is left of it where that fails.

    `batches`: who wrote them (the epoch) and the records, in order from the cut's first; what lies
    beyond its last is not looked at. `state`: the snapshot after its last record.

    Raises StoreCorruptError where the records are not a chain, StoreConflictError where other files
    bear these names or another process writes here, StoreUnavailableError for broken surroundings.
    """
    folder = files.of_link(cut.link)
    try:
        step("make the folder")
        # One by one: `parents` would give the upper one the mode of the process. Not the data
        # directory: one that is gone is not made again.
        for each in (folder.parent, folder):
            each.mkdir(exist_ok=True, mode=FOLDER_MODE)
        with alone(folder):
            return _Writing(files, cut, folder).write(batches, state)
    except JournalBrokenError as error:
        raise StoreCorruptError(f"the journal of {cut.link}: {error}") from None
    except OSError as error:
        raise StoreUnavailableError(
            f"segment {cut.name} of {cut.link} cannot be written: {error.strerror}"
        ) from error


def left_over_cut(files: SegmentFiles, link: LinkId, number: int) -> int | None:
    """The last record of a segment that got its index and that nothing may speak of yet.

    A crash, or a journal file put back from a copy, leaves such files. The same cut makes the
    same bytes again. None: there are none. Raises StoreConflictError where the index is unreadable.
    """
    for path in sorted(files.of_link(link).glob(f"{number:06}-*{INDEX}")):
        try:
            return decode_index(path.read_bytes()).last_seq
        except (JournalBrokenError, OSError) as error:
            raise StoreConflictError(_in_the_way(path, str(error))) from None
    return None


class _Writing:
    """One segment on its way."""

    def __init__(self, files: SegmentFiles, cut: Cut, folder: Path) -> None:
        self._cut = cut
        self._folder = folder
        self._previous = None if cut.previous is None else files.index(cut.previous)

    def write(self, batches: Iterable[tuple[int, Sequence[bytes]]], state: bytes | None) -> Segment:
        step("remove what a crash left")
        self._remove_unfinished()
        try:
            index = self._write_records(batches)
            endings = [INDEX, RECORDS]
            index_sum = self._write_file("index", INDEX, encode_index(index))
            state_sum = None
            if state is not None:
                endings.insert(1, STATE)
                state_sum = self._write_file("state", STATE, _compressed(state))
            step("prove what was written")
            self._prove(index, index_sum, state, state_sum)
            self._refuse_others(endings)
            for ending, called in zip(endings, _called(endings), strict=True):
                step(f"name the {called}")
                self._name(ending)
            # The folder, and those it lies in: it may be new.
            for each in (self._folder, self._folder.parent, self._folder.parent.parent):
                sync_folder(each)
            step("finish")
        except BaseException:
            with contextlib.suppress(OSError):
                self._remove_unfinished()
            raise
        return Segment(
            link=index.link,
            number=index.number,
            day=index.day,
            first_seq=index.first_seq,
            last_seq=index.last_seq,
            first_at=index.first_at,
            last_at=index.last_at,
            prev=index.prev,
            head=index.head,
            records=index.records,
            index=index_sum,
            state=state_sum,
        )

    # --- writing -----------------------------------------------------------------------------

    def _write_records(self, batches: Iterable[tuple[int, Sequence[bytes]]]) -> SegmentIndex:
        builder = IndexBuilder(self._cut, self._previous)
        step("begin the records")
        with open(self._unfinished(RECORDS), "xb", buffering=0, opener=_for_its_owner) as file:
            out = SyncedFile(file, lambda: step("write records"))
            for epoch, records in _blocks(batches, self._cut):
                body = _compressed(b"\n".join(records) + b"\n")
                builder.add(epoch, records, offset=out.sum.bytes, size=len(body))
                out.write(body)
            out.flush()
            step("sync the records")
            out.sync()
        return builder.index(out.sum)

    def _write_file(self, called: str, ending: str, body: bytes) -> FileSum:
        step(f"begin the {called}")
        with open(self._unfinished(ending), "xb", buffering=0, opener=_for_its_owner) as file:
            out = SyncedFile(file, lambda: step(f"write the {called}"))
            out.write(body)
            out.flush()
            step(f"sync the {called}")
            out.sync()
        return out.sum

    def _unfinished(self, ending: str) -> Path:
        return self._folder / f".{self._cut.name}{ending}{UNFINISHED}"

    def _finished(self, ending: str) -> Path:
        return self._folder / f"{self._cut.name}{ending}"

    def _name(self, ending: str) -> None:
        if self._finished(ending).exists():
            # The same bytes, as was found: a crash came after this step.
            self._unfinished(ending).unlink()
        else:
            os.rename(self._unfinished(ending), self._finished(ending))

    def _remove_unfinished(self) -> None:
        for path in self._folder.glob(f".*{UNFINISHED}"):
            path.unlink()

    # --- proving -----------------------------------------------------------------------------

    def _prove(
        self,
        index: SegmentIndex,
        index_sum: FileSum,
        state: bytes | None,
        state_sum: FileSum | None,
    ) -> None:
        prove_index(self._unfinished(INDEX), index, index_sum)
        if state is not None and state_sum is not None:
            prove_state(self._unfinished(STATE), state, state_sum)
        prove_records(self._unfinished(RECORDS), self._cut, index, self._previous)

    def _refuse_others(self, endings: Sequence[str]) -> None:
        """A finished file of this number, that no store speaks of, must be what was made now."""
        names = {f"{self._cut.name}{ending}": ending for ending in endings}
        for path in sorted(self._folder.glob(f"{self._cut.number:06}-*")):
            ending = names.get(path.name)
            if ending is None or not same_bytes(path, self._unfinished(ending)):
                raise StoreConflictError(_in_the_way(path, "it is not what the journal holds"))


def _blocks(
    batches: Iterable[tuple[int, Sequence[bytes]]], cut: Cut
) -> Iterator[tuple[int, list[bytes]]]:
    """The records up to the cut, in blocks: each of one epoch, each but an epoch's last full."""
    left = cut.last_seq - cut.first_seq + 1
    held: list[bytes] = []
    held_epoch = 0
    for epoch, records in batches:
        if held and epoch != held_epoch:
            yield held_epoch, held
            held = []
        held_epoch = epoch
        held += records[:left]
        left -= min(left, len(records))
        while len(held) >= BLOCK_RECORDS:
            yield epoch, held[:BLOCK_RECORDS]
            held = held[BLOCK_RECORDS:]
        if not left:
            break
    if held:
        yield held_epoch, held


def _for_its_owner(path: str, flags: int) -> int:
    """Journals name people: nobody else on the machine reads them."""
    return os.open(path, flags, FILE_MODE)


def _compressed(body: bytes) -> bytes:
    """One gzip member. In pieces: the process can be interrupted between two, not within one."""
    deflate = zlib.compressobj(COMPRESSION, zlib.DEFLATED, GZIP)
    pieces = range(0, len(body), DEFLATE_BYTES)
    return b"".join(
        [*(deflate.compress(body[at : at + DEFLATE_BYTES]) for at in pieces), deflate.flush()]
    )


def _called(endings: Sequence[str]) -> list[str]:
    names = {INDEX: "index", STATE: "state", RECORDS: "records"}
    return [names[ending] for ending in endings]


def _in_the_way(path: Path, why: str) -> str:
    return (
        f"segments/{path.parent.name}/{path.name} belongs to no segment of the journal, and {why}: "
        "move it away once you know where it comes from"
    )
