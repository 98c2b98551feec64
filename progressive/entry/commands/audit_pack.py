"""`progressive audit-pack`: one gaming day for an auditor, in one zip, beside a running service."""

import asyncio
import os
from functools import partial
from pathlib import Path

import click

from progressive import __version__
from progressive.adapters.audit_pack.pack import PackOrder, make_pack
from progressive.adapters.clock import SystemClock
from progressive.adapters.data_directory import refuse_unusable
from progressive.adapters.day_books import FileBookCache
from progressive.adapters.durable import FILE_MODE, UNFINISHED
from progressive.adapters.happenings import FileHappenings
from progressive.adapters.seals.files import LinkSeals
from progressive.adapters.sqlite.journal_reader import SqliteJournalReader
from progressive.adapters.sqlite.sign_log_reader import open_sign_log
from progressive.application.finance.pack.sample import SAMPLE_MAX
from progressive.application.finance.questions.asking import Surroundings
from progressive.application.finance.refusals import FinanceRefusedError
from progressive.entry.commands.report import accounts_of, printed_time
from progressive.entry.finance.printing import shipped_jurisdiction
from progressive.entry.verifier_file import verifier_file
from progressive.runtime.out_file import refuse_not_a_file
from progressive.runtime.plain_errors import CannotRunError, in_words

_KEY_BYTES_MAX = 1 << 20


@click.command("audit-pack")
@click.option(
    "--data",
    required=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The service's data directory, or one that a backup was restored into.",
)
@click.option("--day", required=True, metavar="DAY", help="The gaming day, like 2026-11-17.")
@click.option("--link", help="Which link, where there are several.")
@click.option(
    "--sample",
    type=click.IntRange(min=0, max=SAMPLE_MAX),
    default=5,
    show_default=True,
    metavar="N",
    help="So many payments with the records behind them: documents first.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    metavar="N",
    help="The auditor's: the same one draws the same sample on any machine.",
)
@click.option(
    "--key",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Public keys, one a line, as `progressive seal-key` prints them: they go into the pack. "
    "Witnesses among them must have cosigned it.",
)
@click.option(
    "--printed-at", metavar="TIME", help="RFC 3339; the same time gives the same bytes. Now."
)
@click.option(
    "--accounts",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A TOML file with a [gl] section: accounts of the general ledger.",
)
@click.option(
    "-o",
    "--out",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="The zip; one that is there already is replaced once the new one is whole.",
)
def command(
    data: Path,
    day: str,
    link: str | None,
    sample: int,
    seed: int,
    key: Path | None,
    printed_at: str | None,
    accounts: Path | None,
    out: Path,
) -> None:
    """Everything of one gaming day: reports in all formats, records, seals, verifier, a sample.

    STATEMENT.pdf in it says what it proves and how to check it. An open day is marked OPEN
    everywhere.
    """
    order = PackOrder(
        link=link,
        day=day,
        sample=sample,
        seed=seed,
        printed=printed_time(printed_at),
        verifier=verifier_file(),
        keys="" if key is None else _keys(key),
    )
    refuse_unusable(data)
    refuse_not_a_file(out)
    around = Surroundings(
        reader=SqliteJournalReader(data, unchanged=True),
        now=SystemClock().now(),
        program=__version__,
        cache=FileBookCache(data),
        happenings=FileHappenings(data),
        sign_log=partial(open_sign_log, data),
        jurisdiction=shipped_jurisdiction,
        accounts=accounts_of(accounts),
        # It leaves the house, and takes long in any case.
        refold=True,
    )
    temporary = out.with_name(f".{out.name}.{os.getpid()}{UNFINISHED}")
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    try:
        with open(os.open(temporary, flags, FILE_MODE), "w+b") as file:
            name = asyncio.run(make_pack(around, partial(LinkSeals, data), order, file))
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(out)
    except FinanceRefusedError as error:
        raise CannotRunError(str(error)) from None
    except OSError as error:
        if error.filename == os.fspath(temporary):
            # Whoever asked has never heard of the other name.
            error.filename = os.fspath(out)
        raise CannotRunError(in_words(error)) from None
    finally:
        temporary.unlink(missing_ok=True)
    click.echo(f"{out}: {out.stat().st_size:,} bytes ({name})", err=True)


def _keys(path: Path) -> str:
    try:
        return path.read_bytes()[:_KEY_BYTES_MAX].decode()
    except UnicodeDecodeError:
        raise CannotRunError(f"{path}: not text: give the public line, not the key file") from None
