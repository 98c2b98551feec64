"""`progressive export`: the records of a journal as they are stored, one a line."""

import asyncio
import contextlib
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO, Final

import click
from msgspec import Struct

from progressive.adapters.data_directory import refuse_unusable
from progressive.adapters.sqlite.journal_reader import SqliteJournalReader
from progressive.application.journal.export import (
    days_at,
    dealers_in,
    last_before,
    oldest_seq,
    proved,
    refuse_purged,
)
from progressive.application.journal.export_lines import NO_DEALERS, Lines, lines_of
from progressive.application.journal.ports import JournalEnd, JournalReader
from progressive.application.journal.times import as_journal_time
from progressive.domain.ids import LinkId
from progressive.domain.signatures import Signature
from progressive.entry.commands import export_file
from progressive.entry.commands.day_option import DAY
from progressive.runtime.plain_errors import CannotRunError
from progressive.runtime.streams import OutputError

_SEQ: Final = click.IntRange(min=1, max=2**62)


class Wanted(Struct, frozen=True, kw_only=True):
    """Which records, as they were asked for."""

    first_seq: int | None
    last_seq: int | None
    since: str | None
    until: str | None
    day: str | None

    @property
    def says_first(self) -> bool:
        """Whether it says where to begin; else it begins with the oldest record."""
        return not (self.first_seq is None and self.since is None and self.day is None)


@click.command("export")
@click.option(
    "--data",
    required=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The service's data directory, or one that a backup was restored into.",
)
@click.option("--link", required=True, help="Whose journal.")
@click.option("--from", "first_seq", type=_SEQ, metavar="SEQ", help="The first record.")
@click.option("--to", "last_seq", type=_SEQ, metavar="SEQ", help="The last record.")
@click.option("--since", metavar="TIME", help="From this moment on: RFC 3339, or the floor's time.")
@click.option("--until", metavar="TIME", help="Up to this moment, which is not part of it.")
@click.option("--day", type=DAY, help="One gaming day, like 2026-11-17.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["jsonl", "csv"]),
    default="jsonl",
    show_default=True,
    help="As stored, or as a table.",
)
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), help="A file; else standard output."
)
@click.option("--resume", is_flag=True, help="Go on with the file of --out where it ends.")
def command(
    data: Path,
    link: str,
    first_seq: int | None,
    last_seq: int | None,
    since: str | None,
    until: str | None,
    day: str | None,
    form: str,
    out: Path | None,
    resume: bool,
) -> None:
    """The records of a link's journal as they are stored, one a line.

    Reads beside a running service, across closed segments and the open part. The hash chain is
    checked on the way: where it breaks, exit 1 names the record, and what was good is written.
    """
    if resume and out is None:
        raise click.UsageError("--resume goes with --out: it goes on where that file ends")
    if (first_seq or last_seq) and (since or until or day):
        raise click.UsageError("give record numbers or times, not both")
    if day and (since or until):
        raise click.UsageError("give --day, or --since and --until")
    wanted = Wanted(first_seq=first_seq, last_seq=last_seq, since=since, until=until, day=day)
    refuse_unusable(data)
    reader = SqliteJournalReader(data, unchanged=True)
    export = Export(reader, LinkId(link), lines_of(form), wanted)
    told = True
    try:
        if out is None:
            asyncio.run(export.run(sys.stdout.buffer))
        else:
            with export_file.opened(out, resume=resume) as file:
                asyncio.run(export.run(file, path=out))
    except OutputError:
        # Whoever read it has what he wanted, or nothing can be written: the exit code says which.
        told = False
        raise
    finally:
        if told:
            export.tell()


class Export:
    """One run: from which record to which, and how far it has come."""

    def __init__(self, reader: JournalReader, link: LinkId, lines: Lines, wanted: Wanted) -> None:
        self._reader = reader
        self._link = link
        self._lines = lines
        self._wanted = wanted
        self._first = 0
        self._written = 0

    async def run(self, to: BinaryIO, *, path: Path | None = None) -> None:
        """Write what is wanted; `path` is the file's, where `to` may be gone on with."""
        end = await self._end()
        first, last = await self._range(end)
        if 0 < last < first:
            # It begins with the oldest record that is left: all that was asked for may be gone.
            await refuse_purged(self._reader, self._link, last)
        if path is not None:
            if self._wanted.says_first:
                export_file.refuse_another_beginning(to, path, self._lines, first)
            first = await export_file.next_seq(
                to, path, self._lines, self._reader, self._link, first_seq=first, last_seq=last
            )
        await refuse_purged(self._reader, self._link, first)
        self._first, self._written = first, first - 1
        if path is None or to.tell() == 0:
            to.write(self._lines.header)
        dealers: Mapping[int, Signature] = NO_DEALERS
        pieces = proved(self._reader, self._link, first_seq=first, end=end, last_seq=last)
        async with contextlib.aclosing(pieces):
            async for piece in pieces:
                if self._lines.shows_dealers:
                    dealers = await dealers_in(self._reader, self._link, piece, dealers)
                to.write(b"".join([self._lines.line(stored, dealers) for stored in piece]))
                to.flush()
                self._written += len(piece)

    def tell(self) -> None:
        """What was written, and how to go on, on standard error."""
        if not self._first:
            return
        wrote = (
            f"records {self._first} to {self._written}"
            if self._written >= self._first
            else "nothing"
        )
        click.echo(
            f"{self._link}: {wrote} written; go on with --from {self._written + 1}", err=True
        )

    async def _end(self) -> JournalEnd:
        known = await self._reader.links()
        if self._link not in known:
            there = f"it has: {', '.join(known)}" if known else "there is no journal"
            raise CannotRunError(f"no link {self._link!r} in this data directory ({there})")
        return await self._reader.journal_end(self._link)

    async def _range(self, end: JournalEnd) -> tuple[int, int]:
        """The first and the last record, neither behind the journal's end."""
        wanted = self._wanted
        if wanted.since or wanted.until or wanted.day:
            return await self._between(end)
        first = wanted.first_seq or await oldest_seq(self._reader, self._link)
        if first > end.seq + 1:
            raise CannotRunError(f"{self._link} ends with record {end.seq}: there is no {first}")
        if wanted.last_seq is not None and wanted.last_seq < (wanted.first_seq or 1):
            raise CannotRunError(f"--to {wanted.last_seq} is before --from {first}")
        return first, min(wanted.last_seq or end.seq, end.seq)

    async def _between(self, end: JournalEnd) -> tuple[int, int]:
        reader, link, wanted = self._reader, self._link, self._wanted
        since, until = wanted.since, wanted.until
        if wanted.day is not None:
            day = wanted.day
            days = await days_at(reader, link, end, day)
            if days is None:
                raise CannotRunError(f"the journal of {link} does not say when its days begin")
            since, until = days.begins(day), days.ends(day)
        since_at = None if since is None else await self._time(since, end, "--since")
        until_at = None if until is None else await self._time(until, end, "--until")
        if since_at is not None and until_at is not None and until_at < since_at:
            raise CannotRunError(f"--until {until} is before --since {since}")
        first, last = await oldest_seq(reader, link), end.seq
        if since_at is not None:
            first = await last_before(reader, link, since_at, end) + 1
        if until_at is not None:
            last = await last_before(reader, link, until_at, end)
        return first, last

    async def _time(self, text: str, end: JournalEnd, option: str) -> str:
        at = as_journal_time(text)
        if at is None:
            days = await days_at(self._reader, self._link, end)
            at = None if days is None else as_journal_time(text, days.zone)
        if at is None:
            raise click.BadParameter(f"{text!r} is not a time", param_hint=option)
        return at
