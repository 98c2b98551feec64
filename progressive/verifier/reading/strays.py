"""Files in `segments/` that no row of the journal speaks of.

Files get their names before the row that makes them part of the journal: a service that runs, or
that was killed in between, leaves some for a while. Those hold exactly what the open part holds,
and are adopted later. All others are named.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from progressive.verifier.chain import ChainCheck, JournalBrokenError
from progressive.verifier.findings import StoreCorruptError, shown
from progressive.verifier.reading.opened_file import plain_file
from progressive.verifier.reading.ports import LiveJournal
from progressive.verifier.reading.segment_files import (
    FOLDER,
    INDEX,
    INDEX_BYTES_MAX,
    RECORDS,
    STATE,
    SegmentFiles,
)
from progressive.verifier.reading.segments import FileSum, Segment, SegmentIndex, decode_index
from progressive.verifier.record import GENESIS

LISTED_MAX: Final = 3
"""Strays of one folder that are listed: one is enough to act on."""


@dataclass(slots=True)
class Strays:
    """What was found: what is wrong, and what only was left behind."""

    problems: list[str]
    warnings: list[str]


def strays_among_links(folder: Path, links: Sequence[object]) -> Strays:
    """What lies beside the folders of the links."""
    found = Strays([], [])
    for path in _entries(folder):
        of = f"{FOLDER}/{shown(path.name)}"
        if path.name.startswith("."):
            found.warnings.append(f"{of} was left behind: nothing speaks of it")
        elif path.name not in links or not path.is_dir():
            found.problems.append(f"{of} belongs to no link of the journal")
    del found.problems[LISTED_MAX:]
    return found


def names_of_link(folder: Path, link: object) -> list[str]:
    """What lies in the folder of a link now."""
    return [path.name for path in _entries(folder / str(link))]


def strays_of_link(
    folder: Path,
    link: str,
    names: Sequence[str],
    segments: Sequence[Segment],
    live: LiveJournal,
) -> Strays:
    """What lies in the folder of a link; `names` were listed before the rows were read."""
    found = Strays([], [])
    expected = {name for segment in segments for name in _names(segment)}
    purged = {f"{each.name}{RECORDS}" for each in segments if each.purged is not None}
    waiting = _waiting(folder, link, names, segments, live)
    for name in sorted(set(names) - expected):
        of = f"{FOLDER}/{link}/{shown(name)}"
        if name.startswith("."):
            found.warnings.append(
                f"{of} is not finished: it is being written now, or was left behind"
            )
        elif name in purged:
            found.warnings.append(f"{of} was purged, and is still there")
        elif name in waiting:
            found.warnings.append(f"{of} is finished, and no row speaks of it yet")
        else:
            found.problems.append(f"{of} belongs to no segment of the journal")
    del found.problems[LISTED_MAX:]
    return found


def file_without_row(folder: Path, link: object, number: int, seq: int) -> str | None:
    """The records of a segment of this number, if one lies there that holds this record."""
    for name in names_of_link(folder, link):
        if name.startswith(f"{number:06}-") and name.endswith(INDEX):
            of_link = folder / str(link)
            try:
                index = decode_index(_index_of(of_link / name))
            except (OSError, JournalBrokenError):
                continue
            records = f"{name.removesuffix(INDEX)}{RECORDS}"
            if index.first_seq <= seq <= index.last_seq and (of_link / records).exists():
                return f"{FOLDER}/{link}/{records}"
    return None


def _waiting(
    folder: Path,
    link: str,
    names: Sequence[str],
    segments: Sequence[Segment],
    live: LiveJournal,
) -> set[str]:
    """The files of a segment that holds what the open part holds, and is adopted next."""
    following = f"{len(segments) + 1:06}-"
    for name in names:
        if name.startswith(following) and name.endswith(INDEX):
            try:
                index = decode_index(_index_of(folder / link / name))
            except (OSError, JournalBrokenError):
                return set()
            segment = _as_segment(index)
            before = segments[-1] if segments else None
            if f"{segment.name}{INDEX}" == name and _is_open_part(
                SegmentFiles(folder),
                segment,
                before,
                live,
                written=f"{segment.name}{RECORDS}" in names,
            ):
                return {f"{segment.name}{ending}" for ending in (RECORDS, INDEX, STATE)}
    return set()


def _is_open_part(
    files: SegmentFiles,
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
    if sha256(stored).hexdigest() != segment.head:
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


def _index_of(path: Path) -> bytes:
    with open(path, "rb", opener=plain_file) as file:
        return file.read(INDEX_BYTES_MAX)


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError, ValueError):
        # ValueError: the name of a forged link is none.
        return []
