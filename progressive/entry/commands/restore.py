"""`progressive restore`: a backup in the place of a data directory, or a drill of that."""

import asyncio
import functools
import time
from contextlib import suppress
from pathlib import Path

import click
import msgspec

from progressive.adapters.backup.check import problems_of
from progressive.adapters.backup.compare import NewerMoneyError
from progressive.adapters.backup.contents import PEOPLE, replaced_by_restore, unknown_names
from progressive.adapters.backup.layout import DamagedBackupError
from progressive.adapters.backup.manifest import BadManifestError
from progressive.adapters.backup.metrics import write_metrics
from progressive.adapters.backup.place import (
    Backup,
    backup_names,
    newest_verified,
    read_backup,
)
from progressive.adapters.backup.restore import (
    RESTORE_ACT,
    HalfDoneError,
    RestoreNote,
    finish,
    restore,
)
from progressive.adapters.backup.room import NoRoomError, must_fit
from progressive.adapters.clock import SystemClock
from progressive.adapters.data_directory import (
    LOCK_NAME,
    MANIFEST_NAME,
    RESTORES_NAME,
    RESTORING_NAME,
    DirectoryLock,
)
from progressive.adapters.operating_user import operating_user
from progressive.adapters.sqlite.people_copy import is_shared_file
from progressive.application.people.act_log import Deed, Outcome
from progressive.entry.commands.people_place import ALONE, store_option
from progressive.entry.commands.proving import prove
from progressive.entry.commands.user_acting import this_place
from progressive.entry.node_stores import open_people
from progressive.runtime.idle_process import idle
from progressive.runtime.plain_errors import CannotRunError, FindingError
from progressive.runtime.streams import print_line

OF_A_MOUNT_POINT = "lost+found"


class DrillAnswer(msgspec.Struct, frozen=True):
    """What `--drill --json` prints."""

    backup: str
    ok: bool
    problems: tuple[str, ...]
    seconds: float


@click.command("restore")
@click.option(
    "--from",
    "source",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="A place of backups (its newest verified one is taken), or one backup in it.",
)
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    help="The data directory to restore into; its service must be stopped.",
)
@click.option("--unverified", is_flag=True, help="Also a backup that was never verified.")
@click.option(
    "--lost",
    is_flag=True,
    help="The journal in the data directory is gone or damaged for good, and what was committed is "
    "newer than the backup: restore the older one, and keep what is remembered, so that two people "
    "must accept the loss.",
)
@click.option("--drill", is_flag=True, help="Restore into a temporary folder, verify, remove it.")
@click.option(
    "--scratch",
    type=click.Path(file_okay=False, exists=True, path_type=Path),
    help="Where a drill makes its folder; in the place itself if not given.",
)
@click.option(
    "--metrics",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write figures of a drill there for the node exporter's textfile collector.",
)
@click.option(
    "--rest",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="N",
    help="A drill rests N times as long as it works, piece by piece, for the sake of the tables "
    "beside it; it takes that much longer. The timer's unit gives 19.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, for machines.")
@store_option
def command(
    source: Path,
    data: Path | None,
    unverified: bool,
    lost: bool,
    drill: bool,
    scratch: Path | None,
    rest: int,
    metrics: Path | None,
    as_json: bool,
    store: str,
) -> None:
    """Put a backup in the place of what a data directory holds.

    Refuses, with exit 1, where the directory holds newer money than the backup, or another
    journal. What was there is moved to before-restore-TIME, never deleted. A restore that was cut
    off is finished by running it again.
    """
    if drill == (data is not None):
        raise click.UsageError("name one of --data DIR and --drill")
    if rest and not drill:
        raise click.UsageError("--rest goes with --drill: a restore takes no rests")
    if data is None:
        _drill(source, scratch, metrics, rest=rest, unverified=unverified, as_json=as_json)
        return
    if source.resolve().is_relative_to(data.resolve()):
        raise click.BadParameter(f"{source} lies in the data directory", param_hint="--from")
    # One that was cut off is finished from what lies in the directory.
    cut_off = (data / RESTORING_NAME).exists()
    backup = None if cut_off else _chosen(source, unverified=unverified)
    if backup is not None:
        _refuse_strange(data, backup)
    lock = DirectoryLock(data, to_restore=True)
    try:
        if backup is None:
            note = finish(data)
            click.echo("finished the restore that was cut off", err=True)
        else:
            click.echo(f"restoring {backup.folder}", err=True)
            note = restore(
                backup,
                data,
                at=SystemClock().now(),
                by=operating_user(),
                lost=lost,
                prove=prove,
                record=functools.partial(_record, store=store),
            )
    except NewerMoneyError as error:
        raise FindingError(f"{error}. Nothing was restored") from None
    except (DamagedBackupError, HalfDoneError) as error:
        raise FindingError(f"{error}. Nothing was restored") from None
    except NoRoomError as error:
        raise CannotRunError(f"{error}. Nothing was restored") from None
    finally:
        lock.release()
    _show(note, data, as_json)


def _chosen(source: Path, *, unverified: bool) -> Backup:
    """The backup that is meant; whether it may be used is said here."""
    if not source.is_dir():
        raise click.BadParameter(f"{source} is not a directory", param_hint="--from")
    try:
        if (source / MANIFEST_NAME).exists():
            backup = read_backup(source.resolve())
            if backup.stamp is None and not unverified:
                raise FindingError(f"{source} {_unverified(backup)} (--unverified takes it)")
            return backup
        found = newest_verified(source.resolve())
        names = backup_names(source)
        if found is not None:
            _look_at_newer(found, names)
        if found is None and names and unverified:
            return read_backup(source.resolve() / names[-1])
    except BadManifestError as error:
        raise FindingError(str(error)) from None
    if found is None:
        if names:
            raise FindingError(f"no backup in {source} is verified (--unverified takes the newest)")
        raise CannotRunError(f"there is no backup in {source}")
    return found


def _unverified(backup: Backup) -> str:
    if backup.was_altered:
        return "is not as it was verified: manifest.json or verified was changed"
    return "was never verified"


def _look_at_newer(found: Backup, names: list[str]) -> None:
    """Newer backups than the one that is taken: an older one is never taken in silence."""
    for name in (name for name in names if name > found.name):
        try:
            backup = read_backup(found.place / name)
            why = _unverified(backup)
            is_whole = not backup.was_altered
        except BadManifestError as error:
            why, is_whole = f"cannot be used: {error}", False
        if not is_whole:
            raise FindingError(
                f"the newer backup {name} {why}. --from {found.folder} takes the newest one that "
                "is good. Nothing was restored"
            )
        click.echo(f"passed over: the newer backup {name} {why}", err=True)


def _refuse_strange(data: Path, backup: Backup) -> None:
    """A slip of the hand: the backups themselves, or a folder that has nothing to do with us."""
    if data.resolve().is_relative_to(backup.place.resolve()):
        raise click.BadParameter(f"{data} lies among the backups", param_hint="--data")
    if not data.is_dir() or replaced_by_restore(data) or (data / LOCK_NAME).exists():
        return
    if strange := [name for name in unknown_names(data) if name != OF_A_MOUNT_POINT]:
        raise click.BadParameter(
            f"{data} is not a data directory and not empty: {strange[0]} lies there",
            param_hint="--data",
        )


def _record(folder: Path, note: RestoreNote, store: str) -> None:
    """In the act log of what is being restored, where it has one."""
    if not (folder / PEOPLE).exists():
        return
    if store == ALONE and is_shared_file(folder):
        # A restore must be possible without the server that is lost, perhaps.
        click.echo(
            f"the act log is shared by the nodes: this restore stands in {RESTORES_NAME} only, and "
            "--store redis://… enters it there too",
            err=True,
        )
        return

    async def enter() -> None:
        people = open_people(store, folder)
        try:
            await people.record(
                Deed(
                    note.at,
                    None,
                    this_place(),
                    RESTORE_ACT,
                    Outcome.DONE,
                    {
                        "backup": note.backup,
                        "lost": note.lost,
                        **{f"record of {each.link}": each.to_seq for each in note.links},
                    },
                )
            )
        finally:
            await people.close()

    asyncio.run(enter())


def _drill(
    source: Path,
    scratch: Path | None,
    metrics: Path | None,
    *,
    rest: int,
    unverified: bool,
    as_json: bool,
) -> None:
    began = time.monotonic()
    good = False
    try:
        backup = _chosen(source, unverified=unverified)
        scratch = scratch or backup.place
        must_fit(scratch, backup.manifest.bytes, "the drill")
        click.echo(f"restoring {backup.folder} into a temporary folder", err=True)
        with idle(rest):
            problems = problems_of(backup, how="all", scratch=scratch, prove=prove)
        good = not problems
    except NoRoomError as error:
        raise CannotRunError(str(error)) from None
    finally:
        seconds = round(time.monotonic() - began, 3)
        if metrics is not None:
            _measured(metrics, good, seconds)
    if as_json:
        answer = DrillAnswer(backup.name, not problems, tuple(problems), seconds)
        print_line(msgspec.json.encode(answer).decode())
    elif not problems:
        print_line(f"drill of {backup.folder}: restored and verified in {seconds:.1f} s")
    if problems:
        raise FindingError(f"the drill failed: {problems[0]}")


def _measured(path: Path, good: bool, seconds: float) -> None:
    """Also of a drill that could not begin."""
    with suppress(OSError):
        write_metrics(
            path,
            {
                "progressive_last_restore_drill_timestamp_seconds": (
                    "when the last drill ended",
                    round(time.time()),
                ),
                "progressive_restore_drill_ok": ("whether it was good", good),
                "progressive_restore_drill_duration_seconds": ("how long it took", seconds),
            },
        )


def _show(note: RestoreNote, data: Path, as_json: bool) -> None:
    if as_json:
        print_line(msgspec.json.encode(note).decode())
        return
    print_line(f"restored {note.backup} into {data}")
    for each in note.links:
        print_line(
            f"  link {each.link}: from record {each.from_seq:,} to {each.to_seq:,}, "
            f"the last at {each.at}, head {each.head}"
        )
    if note.aside:
        print_line(f"  what was there before lies in {data / note.aside}")
    if note.acts_missing:
        acts, them = (
            ("1 newer act of a person is", "it")
            if note.acts_missing == 1
            else (f"{note.acts_missing:,} newer acts of people are", "them")
        )
        click.echo(
            f"{acts} not in the backup: accounts are as they were before {them}. "
            f"Look through {data / note.aside / PEOPLE}",
            err=True,
        )
