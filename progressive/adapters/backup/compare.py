"""Whether a data directory holds money that a backup lacks: then nothing is restored over it.

The backup is laid out already. It may replace a journal that is as long or shorter, where it
contains that journal's last record; and what `committed/` remembers counts like a journal, also
where the journal is gone.
"""

from pathlib import Path

from msgspec import Struct

from progressive.adapters.backup.check import departures
from progressive.adapters.backup.contents import JOURNAL
from progressive.adapters.backup.databases import journal_ends
from progressive.adapters.committed import read_marks
from progressive.application.journal.ports import JournalEnd, StoreCorruptError
from progressive.application.link.memory import MemoryUnreadableError
from progressive.domain.ids import LinkId


class NewerMoneyError(Exception):
    """The data directory holds what the backup lacks."""


class Replaced(Struct, frozen=True):
    """What a restore replaces."""

    ends: dict[LinkId, JournalEnd]
    """Where each journal ended; a link that is only remembered is not in it."""
    marks_to_keep: tuple[LinkId, ...] = ()
    """Links whose newer marks stay: two people have to accept the loss."""


def replaced(data: Path, laid_out: Path, *, lost: bool) -> Replaced:
    """What a restore would replace; raises NewerMoneyError.

    `lost`: the journal here is gone or damaged for good. What was committed stays remembered.
    """
    here = f"{data}"
    try:
        ends = journal_ends(data) if (data / JOURNAL).is_file() else {}
        unreadable = None
    except StoreCorruptError as error:
        ends, unreadable = {}, str(error)
    if newer := departures(laid_out, ends, here):
        raise NewerMoneyError("; ".join(newer))
    if unreadable is not None and not lost:
        raise NewerMoneyError(
            f"{unreadable}: nobody can tell whether it is newer than the backup. With --lost it "
            "is moved aside, and two people accept what is missing"
        )
    return Replaced(ends, _behind_marks(data, laid_out, lost=lost and not ends))


def _behind_marks(data: Path, laid_out: Path, *, lost: bool) -> tuple[LinkId, ...]:
    try:
        marks = read_marks(data)
    except MemoryUnreadableError as error:
        raise NewerMoneyError(f"what was committed here cannot be read: {error}") from None
    behind: list[LinkId] = []
    for link, mark in marks.items():
        if mark is None:
            why = [f"link {link}: what was committed here is remembered, and cannot be read"]
        else:
            place = JournalEnd(mark.place.seq, mark.place.head)
            why = departures(laid_out, {link: place}, f"{data} has committed: it")
        if why and not lost:
            raise NewerMoneyError(
                f"{why[0]}. Where its journal is lost for good, --lost restores the older one, and "
                "two people accept what is missing"
            )
        if why:
            behind.append(link)
    return tuple(behind)
