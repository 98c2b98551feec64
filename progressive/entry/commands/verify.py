"""`progressive verify`: replay the whole journal, name the first broken record."""

import contextlib
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from progressive.adapters.data_directory import refuse_unusable
from progressive.application.journal.ports import StoreUnavailableError
from progressive.entry.commands.proving import verify
from progressive.entry.stores import KEEPS_NOTHING, is_shared, unknown_store
from progressive.runtime.plain_errors import CannotRunError, in_words
from progressive.runtime.streams import print_line
from progressive.verifier.program.as_json import encoded
from progressive.verifier.program.main import BadInputError, default_jobs, kept_seals, keys_of
from progressive.verifier.program.progress import TerminalProgress
from progressive.verifier.program.text import told
from progressive.verifier.reading.data_directory import How
from progressive.verifier.reading.found import VerifyResult


@click.command("verify")
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    help="The service's data directory.",
)
@click.option(
    "--store",
    default="sqlite",
    show_default=True,
    help="sqlite: the file in the data directory; redis://HOST:PORT/DB: the log that nodes share, "
    "and where --data is given too, the log beside that node's journal.",
)
@click.option(
    "--key",
    type=click.Path(path_type=Path),
    help="Public keys, one a line: the house's, as seal-key prints it, and those of witnesses. A "
    "journal without seals is a finding then, and so is one that such a witness has not cosigned.",
)
@click.option(
    "--seal",
    "kept",
    type=click.Path(path_type=Path),
    multiple=True,
    help="A seal that was taken away at some time: is this still the journal of then?",
)
@click.option("--jobs", type=click.IntRange(min=1), help="Processes.  [default: every core]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, for machines.")
def command(
    data: Path | None,
    store: str,
    key: Path | None,
    kept: tuple[Path, ...],
    jobs: int | None,
    as_json: bool,
) -> None:
    """Replay the whole journal and prove it: hash chain, numbering, every amount, every award.

    Only reads: no file in the data directory is changed, made or removed. May run beside the
    service. All sums are done again from the recorded terms, wagers and cards, by code that the
    service does not use; seals are held against the records. Exits with 0, or with 1 and the first
    broken record of each link and of the act log. For an auditor who trusts no installation:
    progressive verifier.
    """
    if (why := unknown_store(store)) is not None:
        raise click.BadParameter(why, param_hint="--store")
    if store in KEEPS_NOTHING:
        raise click.BadParameter(f"{store} keeps nothing to verify", param_hint="--store")
    beside: list[str] = []
    with contextlib.ExitStack() as until_told:
        if is_shared(store):
            # Here: its client library takes as long to load as all the rest.
            from progressive.entry.commands.shared_log import copied, done, held_against

            if data is None:
                data = Path(until_told.enter_context(TemporaryDirectory(prefix="progressive-")))
                done(copied(store, data))
            else:
                beside = done(held_against(store, _checked(data)))
        if data is None:
            raise click.UsageError("the data directory is missing: --data DIR")
        result = _verified(data, key, kept, jobs)
    if as_json:
        print_line(encoded(result))
    else:
        for line in (*told(result), *beside):
            print_line(line)
    if not result.ok:
        raise SystemExit(1)


def _verified(
    data: Path, key: Path | None, kept: tuple[Path, ...], jobs: int | None
) -> VerifyResult:
    progress = TerminalProgress()
    try:
        keys = None if key is None else keys_of(key)
        how = How(keys=keys, kept=kept_seals(kept), jobs=jobs or default_jobs(), progress=progress)
        return verify(_checked(data), how)
    except BadInputError as error:
        raise CannotRunError(str(error)) from None
    except StoreUnavailableError as error:
        raise CannotRunError(f"the journal cannot be read: {error}") from None
    except OSError as error:
        raise CannotRunError(f"the journal cannot be read: {in_words(error)}") from None
    finally:
        progress.end()


def _checked(data: Path) -> Path:
    if not data.is_dir():
        raise click.BadParameter(f"{data} is not a directory", param_hint="--data")
    refuse_unusable(data)
    return data
