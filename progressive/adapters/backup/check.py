"""Whether a backup can be restored: it is laid out as a restore would, and proved there.

What proves it is handed in: the same audit as `progressive verify`.
"""

import asyncio
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path

from msgspec import Struct

from progressive.adapters.backup.contents import JOURNAL
from progressive.adapters.backup.databases import journal_ends
from progressive.adapters.backup.layout import (
    DamagedBackupError,
    check_hashes,
    lay_out,
    lay_out_open_part,
    scratch_folder,
)
from progressive.adapters.backup.manifest import (
    STAMP_NAME,
    VERSION,
    Stamp,
    Thoroughness,
    encode,
)
from progressive.adapters.backup.place import Backup
from progressive.adapters.data_directory import MANIFEST_NAME
from progressive.adapters.durable import write_whole
from progressive.adapters.seals.files import LinkSeals
from progressive.adapters.sqlite.journal_reader import SqliteJournalReader
from progressive.application.journal.ports import (
    JournalEnd,
    StoreCorruptError,
    StoreError,
    StorePurgedError,
)
from progressive.application.journal.record import (
    GENESIS,
    JournalBrokenError,
    decode_record,
    hash_record,
)
from progressive.application.seals.checking import NotAsSealedError, SealCheck
from progressive.domain.ids import LinkId


class Proved(Struct, frozen=True):
    """What an audit found in a data directory."""

    problems: tuple[str, ...]
    heads: Mapping[LinkId, str]


Prove = Callable[[Path], Proved]


def problems_of(
    backup: Backup,
    *,
    how: Thoroughness,
    scratch: Path,
    prove: Prove,
    newest: Backup | None = None,
) -> list[str]:
    """What is wrong with a backup; nothing, where it is good.

    `newest`: the newest verified backup of the place before this one. This one must go on from it.
    """
    try:
        with scratch_folder(scratch) as folder:
            if how == "all":
                lay_out(backup, folder)
                problems = prove_folder(backup, folder, prove)
            else:
                check_hashes(backup)
                lay_out_open_part(backup, folder)
                problems = _open_part_problems(backup, folder)
            if not problems and newest is not None:
                problems = departures(folder, _ends_of(newest), f"the backup {newest.name}")
    except (DamagedBackupError, StoreCorruptError, JournalBrokenError) as error:
        return [str(error)]
    return problems


def departures_from(newest: Backup, data: Path) -> list[str]:
    """Where the journal of a data directory does not go on from a backup; before any copy is made.

    What cannot be read is passed over: the copy of it is checked anyway.
    """
    path = data / JOURNAL
    if not path.is_file() or not path.stat().st_size:
        return []
    try:
        return departures(data, _ends_of(newest), f"the backup {newest.name}", here=f"{data}")
    except (StoreError, JournalBrokenError):
        return []


def _ends_of(backup: Backup) -> dict[LinkId, JournalEnd]:
    return {each.link: JournalEnd(each.last_seq, each.head) for each in backup.manifest.links}


def prove_folder(backup: Backup, folder: Path, prove: Prove) -> list[str]:
    """What is wrong with a backup that was laid out."""
    proved = prove(folder)
    problems = list(proved.problems) or _other_ends(backup, folder, proved.heads)
    return problems or asyncio.run(_not_as_sealed(backup, folder))


async def _not_as_sealed(backup: Backup, folder: Path) -> list[str]:
    """Whether the newest seals are of these journals. Whose seals they are says the service."""
    reader = SqliteJournalReader(folder, unchanged=True)
    for said in backup.manifest.links:
        check = SealCheck(
            link=said.link, folder=LinkSeals(folder, said.link), signed_by=lambda _, __: True
        )
        try:
            await check.check(reader, end_seq=said.last_seq, remembered_size=0)
        except NotAsSealedError as error:
            return [f"link {said.link}: {error}"]
    return []


def _other_ends(backup: Backup, folder: Path, heads: Mapping[LinkId, str]) -> list[str]:
    ends = journal_ends(folder)
    said = _ends_of(backup)
    for link in sorted({*ends, *said}):
        if ends.get(link) != said.get(link) or heads.get(link) != said[link].head:
            return [f"the journal of {link} does not end where the manifest says"]
    return []


def _open_part_problems(backup: Backup, folder: Path) -> list[str]:
    """The chain of the records that are in no segment, and the ends."""
    return asyncio.run(_open_chain(backup, folder)) or _other_ends(
        backup, folder, {each.link: each.head for each in backup.manifest.links}
    )


async def _open_chain(backup: Backup, folder: Path) -> list[str]:
    reader = SqliteJournalReader(folder, unchanged=True)
    for said in backup.manifest.links:
        segments = await reader.segments(said.link)
        seq, head = (segments[-1].last_seq, segments[-1].head) if segments else (0, GENESIS)
        async for records in reader.read(said.link, after_seq=seq):
            for stored in records:
                record = decode_record(stored)
                if (record.seq, record.prev) != (seq + 1, head):
                    return [f"link {said.link}: record {record.seq:,} does not follow"]
                seq, head = record.seq, hash_record(stored)
        if (seq, head) != (said.last_seq, said.head):
            return [f"link {said.link}: its chain ends at record {seq:,}"]
    return []


def departures(
    folder: Path,
    places: Mapping[LinkId, JournalEnd],
    whose: str,
    *,
    here: str = "this backup",
) -> list[str]:
    """Places of a journal that the journal in a folder does not contain.

    `whose` the places are and what lies `here`, in the words of the answer.
    """
    return asyncio.run(_departures(folder, places, whose, here))


async def _departures(
    folder: Path, places: Mapping[LinkId, JournalEnd], whose: str, here: str
) -> list[str]:
    reader = SqliteJournalReader(folder, unchanged=True)
    problems = []
    for link, place in sorted(places.items()):
        end = await reader.journal_end(link)
        if end.seq < place.seq:
            problems.append(
                f"link {link}: {whose} has {place.seq:,} records, and {here} has {end.seq:,}"
            )
            continue
        try:
            same = await hash_at(reader, link, place.seq, end) == place.head
        except StorePurgedError:
            problems.append(
                f"link {link}: record {place.seq:,}, where {whose} ends, was purged: nobody can "
                "tell whether it is the same journal"
            )
            continue
        if not same:
            problems.append(
                f"link {link}: record {place.seq:,} is not the one of {whose}: another journal"
            )
    return problems


async def hash_at(
    reader: SqliteJournalReader, link: LinkId, seq: int, end: JournalEnd
) -> str | None:
    """The hash of a record; that of a segment's last one is known even where it was purged."""
    if seq == end.seq:
        return end.head
    for segment in await reader.segments(link):
        if segment.last_seq == seq:
            return segment.head
    stored = await reader.record(link, seq)
    return None if stored is None else hash_record(stored)


def stamp(backup: Backup, *, how: Thoroughness, at: str, program: str) -> None:
    """Write into its folder that it was checked and is good."""
    content = (backup.folder / MANIFEST_NAME).read_bytes()
    write_whole(
        backup.folder / STAMP_NAME,
        encode(
            Stamp(
                version=VERSION,
                at=at,
                program=program,
                checked=how,
                manifest_sha256=sha256(content).hexdigest(),
            )
        ),
    )
