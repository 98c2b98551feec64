"""COLD. Files in `segments/` that no row of the journal speaks of.

Files get their names before the row that makes them part of the journal: a service that runs, or
that was killed in between, leaves some for a while. Those hold exactly what the open part holds,
and are adopted later. All others are named.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from progressive.adapters.segments.audit import AuditedFiles
from progressive.adapters.segments.files import FOLDER, INDEX, RECORDS, STATE
from progressive.application.audit.findings import shown
from progressive.application.audit.ports import LiveJournal
from progressive.application.journal.ports import StoreCorruptError
from progressive.application.journal.record import (
    GENESIS,
    ChainCheck,
    JournalBrokenError,
    hash_record,
)
from progressive.application.journal.segments import FileSum, Segment, SegmentIndex, decode_index
from progressive.domain.ids import LinkId

LISTED_MAX: Final = 3
"""Strays of one folder that are listed: one is enough to act on."""


class Strays(Struct):
    """What was found: what is wrong, and what only was left behind."""

    problems: list[str]
    warnings: list[str]


def strays_among_links(data: Path, links: Sequence[object]) -> Strays:
    """What lies beside the folders of the links."""
    found = Strays([], [])
    for path in _entries(data / FOLDER):
        of = f"{FOLDER}/{shown(path.name)}"
        if path.name.startswith("."):
            found.warnings.append(f"{of} was left behind: nothing speaks of it")
        elif path.name not in links or not path.is_dir():
            found.problems.append(f"{of} belongs to no link of the journal")
    del found.problems[LISTED_MAX:]
    return found


def names_of_link(data: Path, link: object) -> list[str]:
    """What lies in the folder of a link now."""
    return [path.name for path in _entries(data / FOLDER / str(link))]


def strays_of_link(
    data: Path,
    link: LinkId,
    names: Sequence[str],
    segments: Sequence[Segment],
    live: LiveJournal,
) -> Strays:
    """What lies in the folder of a link; `names` were listed before the rows were read."""
    found = Strays([], [])
    expected = {name for segment in segments for name in _names(segment)}
    purged = {f"{each.name}{RECORDS}" for each in segments if each.purged is not None}
    waiting = _waiting(data, link, names, segments, live)
    for name in sorted(set(names) - expected):
        of = f"{FOLDER}/{link}/{shown(name)}"
        if name.startswith("."):
            found.warnings.append(f"{of} was left behind: nothing speaks of it")
        elif name in purged:
            found.warnings.append(f"{of} was purged, and is still there")
        elif name in waiting:
            found.warnings.append(f"{of} is finished, and no row speaks of it yet")
        else:
            found.problems.append(f"{of} belongs to no segment of the journal")
    del found.problems[LISTED_MAX:]
    return found


def file_without_row(data: Path, link: object, number: int, seq: int) -> str | None:
    """The records of a segment of this number, if one lies there that holds this record."""
    for name in names_of_link(data, link):
        if name.startswith(f"{number:06}-") and name.endswith(INDEX):
            folder = data / FOLDER / str(link)
            try:
                index = decode_index((folder / name).read_bytes())
            except (OSError, JournalBrokenError):
                continue
            records = f"{name.removesuffix(INDEX)}{RECORDS}"
            if index.first_seq <= seq <= index.last_seq and (folder / records).exists():
                return f"{FOLDER}/{link}/{records}"
    return None


def _waiting(
    data: Path,
    link: LinkId,
    names: Sequence[str],
    segments: Sequence[Segment],
    live: LiveJournal,
) -> set[str]:
    """The files of a segment that holds what the open part holds, and is adopted next."""
    following = f"{len(segments) + 1:06}-"
    for name in names:
        if name.startswith(following) and name.endswith(INDEX):
            try:
                index = decode_index((data / FOLDER / link / name).read_bytes())
            except (OSError, JournalBrokenError):
                return set()
            segment = _as_segment(index)
            before = segments[-1] if segments else None
            if f"{segment.name}{INDEX}" == name and _is_open_part(
                AuditedFiles(data),
                segment,
                before,
                live,
                written=f"{segment.name}{RECORDS}" in names,
            ):
                return {f"{segment.name}{ending}" for ending in (RECORDS, INDEX, STATE)}
    return set()


def _is_open_part(
    files: AuditedFiles,
    segment: Segment,
    before: Segment | None,
    live: LiveJournal,
    *,
    written: bool,
) -> bool:
    """Whether it follows the newest segment and ends with a record that the open part holds.

    The chain proves all records between. `written`: its records have got their name, which is the
    last to be given.
    """
    seq, head = (0, GENESIS) if before is None else (before.last_seq, before.head)
    stored = live.record(segment.last_seq)
    if (segment.first_seq, segment.prev) != (seq + 1, head) or stored is None:
        return False
    if hash_record(stored) != segment.head:
        return False
    chain = ChainCheck(seq=seq, head=head)
    try:
        for member in files.members(segment) if written else ():
            if member.trouble is not None:
                return False
            for line in member.body.split(b"\n")[:-1]:
                chain.feed(line)
    except (StoreCorruptError, JournalBrokenError):
        return False
    return not written or (chain.seq, chain.head) == (segment.last_seq, segment.head)


def _as_segment(index: SegmentIndex) -> Segment:
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
        index=FileSum(0, ""),
    )


def _names(segment: Segment) -> Iterator[str]:
    yield f"{segment.name}{INDEX}"
    if segment.purged is None:
        yield f"{segment.name}{RECORDS}"
    if segment.state is not None:
        yield f"{segment.name}{STATE}"


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError, ValueError):
        # ValueError: the name of a forged link is none.
        return []
