"""The seals that cover a day, and proofs that its records are in the newest one.

The last record of the day is enough: every record names the hash of the one before, so the proof of
one holds for all before it. Records that lie apart have a proof each.
"""

from collections.abc import Collection

from msgspec import Struct

from progressive.application.finance.book.day_book import DayBook
from progressive.application.journal.export import oldest_seq
from progressive.application.journal.ports import JournalReader
from progressive.application.seals.note import NoteError, read_checkpoint, read_note
from progressive.application.seals.ports import SealFolder
from progressive.application.seals.proving import (
    NotSealedError,
    NotYetSealedError,
    SealReading,
    consistency_text,
    proof_text,
)
from progressive.domain.ids import LinkId


class DaySeals(Struct, frozen=True, kw_only=True):
    """What is sealed of a day."""

    newest: bytes
    size: int
    """How many records it seals."""
    proofs: tuple[tuple[int, bytes], ...]
    """C2SP tlog-proofs by record."""
    segments: tuple[tuple[str, bytes], ...]
    """Notes at the ends of the day's segments, by name."""
    extends: tuple[tuple[str, bytes], ...]
    """That the newest seal extends each of these."""


async def day_seals(
    reader: JournalReader,
    seals: SealReading,
    folder: SealFolder,
    link: LinkId,
    book: DayBook,
    beside: Collection[int],
) -> DaySeals | None:
    """None where the journal is not sealed. `beside`: records that need a proof of their own.

    Raises StoreError.
    """
    try:
        newest = await seals.newest(link)
    except NotSealedError:
        return None
    size, oldest = newest.checkpoint.size, await oldest_seq(reader, link)
    last = min(book.closing.seq, size)
    wanted = {seq for seq in beside if oldest <= seq <= size}
    if last > book.opening.seq:
        wanted.add(last)
    seal, found = await seals.inclusions(link, sorted(wanted))
    notes, extends = [], []
    for segment in await reader.segments(link):
        if segment.last_seq <= book.opening.seq or segment.first_seq > book.closing.seq:
            continue
        note = folder.segment_note(segment.name)
        if note is None:
            continue
        notes.append((segment.name, note))
        try:
            sealed = read_checkpoint(read_note(note).text).size
            of, hashes = await seals.consistency(link, sealed, to=seal)
        except (NoteError, NotYetSealedError):
            continue
        extends.append((segment.name, consistency_text(sealed, hashes, of.note)))
    return DaySeals(
        newest=seal.note,
        size=seal.checkpoint.size,
        proofs=tuple(
            (each.seq, proof_text(each.seq - 1, each.hashes, seal.note)) for each in found
        ),
        segments=tuple(notes),
        extends=tuple(extends),
    )
