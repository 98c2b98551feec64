"""`progressive backup`: a consistent, verified copy of a data directory that may be in use."""

import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import click
import msgspec

from progressive import __version__
from progressive.adapters.backup.check import departures_from, problems_of, stamp
from progressive.adapters.backup.contents import unknown_names
from progressive.adapters.backup.manifest import BackedUpLink, Thoroughness
from progressive.adapters.backup.metrics import write_metrics
from progressive.adapters.backup.place import (
    FAILED_PREFIX,
    newest_verified,
    read_backup,
    remove_remains,
)
from progressive.adapters.backup.prune import Keep, prune, prune_failed
from progressive.adapters.backup.room import NoRoomError, must_fit_backup
from progressive.adapters.backup.shared import AnotherJournalError
from progressive.adapters.backup.take import Taken, take_backup
from progressive.adapters.clock import SystemClock
from progressive.adapters.data_directory import (
    DirectoryInUseError,
    DirectoryLock,
    refuse_unusable,
)
from progressive.adapters.durable import NotRegularError, rename, sync_folder
from progressive.entry.commands.proving import prove
from progressive.runtime.idle_process import idle
from progressive.runtime.plain_errors import CannotRunError, FindingError
from progressive.runtime.streams import print_line


class BackupAnswer(msgspec.Struct, frozen=True):
    """What `--json` prints."""

    backup: str
    checked: Thoroughness
    links: tuple[BackedUpLink, ...]
    bytes_copied: int
    bytes_shared: int
    seconds: float
    removed: tuple[str, ...]
    replaced: tuple[str, ...]


@click.command("backup")
@click.option(
    "--data",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="The service's data directory. It may be in use; not a byte of it changes.",
)
@click.option(
    "--to",
    "place",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder that backups lie in, best on another machine's disk; made if missing.",
)
@click.option(
    "--verify",
    "how",
    type=click.Choice(["all", "hashes"]),
    default="all",
    show_default=True,
    help="all: restore it into a temporary folder and replay every record, as `verify` does; takes "
    "the room of a whole copy. hashes: hash every file and follow the chain of the open part; for "
    "very large places. It would not find a fault that was there before the records were closed.",
)
@click.option(
    "--scratch",
    type=click.Path(file_okay=False, exists=True, path_type=Path),
    help="Where the temporary folder is made; in the place itself if not given.",
)
@click.option(
    "--keep",
    type=click.IntRange(min=1),
    metavar="N",
    help="Remove older backups, except the newest N verified ones.",
)
@click.option(
    "--keep-days",
    type=click.IntRange(min=1),
    metavar="D",
    help="Remove older backups, except verified ones of the last D days. With --keep, what either "
    "keeps stays.",
)
@click.option(
    "--rest",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="N",
    help="Rest N times as long as it works, piece by piece, for the sake of the tables beside it; "
    "it takes that much longer. The timer's unit gives 19.",
)
@click.option(
    "--metrics",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write figures there for the node exporter's textfile collector.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, for machines.")
def command(
    data: Path,
    place: Path,
    how: Thoroughness,
    scratch: Path | None,
    keep: int | None,
    keep_days: int | None,
    rest: int,
    metrics: Path | None,
    as_json: bool,
) -> None:
    """Copy a data directory to a place, restore the copy elsewhere and verify it there.

    May run beside the service. Closed segments are copied once and shared by all backups of the
    place. Exits with 0 when the backup is verified, with 1 where the data or the copy are damaged.
    """
    if not data.is_dir():
        raise click.BadParameter(f"{data} is not a directory", param_hint="--data")
    for path, name in ((place, "--to"), (scratch or place, "--scratch")):
        if path.resolve().is_relative_to(data.resolve()):
            raise click.BadParameter(f"{path} lies in the data directory", param_hint=name)
    if data.resolve().is_relative_to(place.resolve()):
        raise click.BadParameter(f"{data} lies in {place}", param_hint="--to")
    refuse_unusable(data)
    began = time.monotonic()
    good, lock = False, None
    try:
        lock = DirectoryLock(place)
        remove_remains(place)
        with idle(rest):
            answer = _backed_up(data, place, how, scratch or place, Keep(keep, keep_days), began)
        good = True
    except DirectoryInUseError:
        # The run that works there writes the figures.
        metrics = None
        raise
    finally:
        if metrics is not None:
            _measured(metrics, place, good, began)
        if lock is not None:
            lock.release()
    if as_json:
        print_line(msgspec.json.encode(answer).decode())
        return
    for line in _told(answer, place):
        print_line(line)


def _backed_up(
    data: Path, place: Path, how: Thoroughness, scratch: Path, keep: Keep, began: float
) -> BackupAnswer:
    for name in unknown_names(data):
        _say(f"not in the backup: {data / name} is not a file of this program")
    before = newest_verified(place)
    if before is not None and (strange := departures_from(before, data)):
        raise FindingError(f"{strange[0]}. Nothing was copied")
    try:
        must_fit_backup(data, place, scratch, how)
    except NoRoomError as error:
        raise CannotRunError(str(error)) from None
    program = f"progressive {__version__}"
    now = datetime.now(UTC)
    try:
        taken = take_backup(data, place, program=program, now=now, say=_say)
    except AnotherJournalError as error:
        raise FindingError(str(error)) from None
    except NotRegularError as error:
        raise CannotRunError(str(error)) from None
    for path in taken.replaced:
        _say(f"{place / path} was damaged; it was copied again")
    _say(f"checking {taken.folder.name}")
    backup = read_backup(taken.folder)
    problems = problems_of(backup, how=how, scratch=scratch, prove=prove, newest=before)
    if problems:
        failed = place / f"{FAILED_PREFIX}{taken.folder.name}"
        rename(taken.folder, failed)
        sync_folder(place)
        prune_failed(place)
        for problem in problems[1:]:
            _say(problem)
        raise FindingError(f"the backup is not good and lies in {failed}: {problems[0]}")
    stamp(backup, how=how, at=SystemClock().now(), program=program)
    removed = prune(place, keep, now, _say)
    return _answer(taken, how, removed, time.monotonic() - began)


def _answer(taken: Taken, how: Thoroughness, removed: list[str], seconds: float) -> BackupAnswer:
    return BackupAnswer(
        backup=taken.folder.name,
        checked=how,
        links=taken.manifest.links,
        bytes_copied=taken.bytes_copied,
        bytes_shared=taken.bytes_shared,
        seconds=round(seconds, 3),
        removed=tuple(removed),
        replaced=taken.replaced,
    )


def _told(answer: BackupAnswer, place: Path) -> list[str]:
    return [
        f"backup {place / answer.backup}: verified ({answer.checked})",
        *[
            f"  link {each.link}: {each.last_seq:,} records, the last at {each.at}, "
            f"head {each.head}"
            for each in answer.links
        ],
        f"  {answer.bytes_copied:,} bytes copied, {answer.bytes_shared:,} shared, "
        f"{answer.seconds:.1f} s",
        *[f"  removed: {name}" for name in answer.removed],
    ]


def _measured(path: Path, place: Path, good: bool, began: float) -> None:
    """Also of a run that failed: then the time of the last good one stands still."""
    with suppress(OSError):
        newest = newest_verified(place)
        made = 0.0 if newest is None else newest.made.timestamp()
        write_metrics(
            path,
            {
                "progressive_last_backup_timestamp_seconds": (
                    "when the newest verified backup was made; 0: there is none",
                    made,
                ),
                "progressive_backup_ok": ("whether the last run made a verified backup", good),
                "progressive_backup_duration_seconds": (
                    "how long the last run took",
                    round(time.monotonic() - began, 3),
                ),
            },
        )


def _say(line: str) -> None:
    click.echo(line, err=True)
