"""Journals to seal, small and large, and what their trees must be."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import structs

from progressive.adapters.seals.files import LinkSeals
from progressive.adapters.seals.key_file import new_signer
from progressive.adapters.seals.signing import Signer, signatures_by
from progressive.application.journal.ports import StorePurgedError
from progressive.application.journal.record import GENESIS, hash_record
from progressive.application.journal.segments import FileSum, Segment
from progressive.application.seals.link_log import LinkLog, Target
from progressive.application.seals.merkle import CompactRange, leaf_hash
from progressive.application.seals.note import Checkpoint, Note, VerifierKey, read_checkpoint
from progressive.application.seals.note import read_note as parse_note
from progressive.domain.ids import LinkId

MAIN = LinkId("main")


def a_record(seq: int, prev: str, kind: str = "wagers_registered", extra: str = "") -> bytes:
    text = (
        f'{{"seq":{seq},"at":"2026-11-16T10:00:00.000000Z","prev":"{prev}",'
        f'"event":{{"type":"{kind}","text":"{extra}"}}}}'
    )
    return text.encode()


class ListedJournal:
    """`SealedJournal` over a list of records; segments are closed by hand."""

    def __init__(self, count: int = 0, *, checkpoints: Sequence[int] = (), extra: str = "") -> None:
        self.records: list[bytes] = []
        self._segments: list[Segment] = []
        for seq in range(1, count + 1):
            self.add("checkpointed" if seq in checkpoints else "wagers_registered", extra)

    def add(self, kind: str = "wagers_registered", extra: str = "") -> None:
        prev = hash_record(self.records[-1]) if self.records else GENESIS
        self.records.append(a_record(len(self.records) + 1, prev, kind, extra))

    def close_segment(self, last_seq: int) -> Segment:
        before = self._segments[-1] if self._segments else None
        segment = Segment(
            link=MAIN,
            number=len(self._segments) + 1,
            day="2026-11-16",
            first_seq=before.last_seq + 1 if before else 1,
            last_seq=last_seq,
            first_at="",
            last_at="",
            prev="",
            head=hash_record(self.records[last_seq - 1]),
            records=FileSum(1, ""),
            index=FileSum(1, ""),
        )
        self._segments.append(segment)
        return segment

    def purge(self, number: int) -> None:
        self._segments[:number] = [
            structs.replace(each, purged="2036-11-16") for each in self._segments[:number]
        ]

    def stretch(self, after_seq: int, until_seq: int) -> Iterator[Sequence[bytes]]:
        gone = max([each.last_seq for each in self._segments if each.purged], default=0)
        if after_seq < gone:
            raise StorePurgedError("purged", last_seq=gone)
        for first in range(after_seq, min(until_seq, len(self.records)), 100):
            yield self.records[first : min(first + 100, until_seq)]

    def segments(self) -> Sequence[Segment]:
        return list(self._segments)

    def target(self, seq: int | None = None, log: str = "") -> Target:
        seq = len(self.records) if seq is None else seq
        return Target(MAIN, log, seq, hash_record(self.records[seq - 1]))

    def root(self, size: int) -> bytes:
        return tree_of(self.records[:size]).root()


def tree_of(records: Sequence[bytes]) -> CompactRange:
    made = CompactRange()
    made.append_all([leaf_hash(record) for record in records])
    return made


def signed_by(note: Note, keys: Sequence[VerifierKey]) -> bool:
    return bool(signatures_by(note, keys))


class SealedLink:
    """A folder of seals, a key, and logs that are opened again and again over one journal."""

    def __init__(self, data: Path, journal: ListedJournal, signer: Signer | None = None) -> None:
        data.mkdir(exist_ok=True)
        self.folder = LinkSeals(data, MAIN)
        self.journal = journal
        self.signer = new_signer("house") if signer is None else signer
        self.before: list[VerifierKey] = []

    def opened(self, name: str = "") -> LinkLog:
        return LinkLog(
            MAIN,
            name,
            self.folder,
            self.journal,
            self.signer,
            keys=[self.signer.key(), *self.before],
            signed_by=signed_by,
        )

    def seal(self, seq: int | None = None, name: str = "", *, records_max: int = 10**9) -> LinkLog:
        log = self.opened(name)
        while not log.advance(self.journal.target(seq, name), records_max=records_max):
            pass
        return log

    def newest(self) -> Checkpoint:
        return checkpoint_of(self.folder.newest())


def checkpoint_of(stored: bytes | None) -> Checkpoint:
    assert stored is not None
    return read_checkpoint(parse_note(stored).text)
