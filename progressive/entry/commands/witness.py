"""`progressive witness`: cosigns the seals of other machines until it is told to stop."""

import asyncio
import signal
from pathlib import Path

import click

from progressive.adapters.seals.key_file import KeyFileError, read_signer
from progressive.adapters.seals.signing import Signer
from progressive.adapters.sqlite.journal_file import FILE_NAME
from progressive.adapters.witness.logs_file import LogsFileError, read_logs
from progressive.application.seals.note import COSIGNATURE
from progressive.application.witness.logs import TrustedLogs
from progressive.application.witness.ports import SeenUnreadableError
from progressive.entry.http.tls import BadTlsError, TlsFiles
from progressive.entry.witness.running import witness_running
from progressive.runtime import json_log
from progressive.runtime.event_loop import run
from progressive.runtime.options import LISTEN, log_level_option
from progressive.runtime.plain_errors import CannotRunError, FindingError


@click.command("witness")
@click.option(
    "--listen",
    default="127.0.0.1:8095",
    show_default=True,
    type=LISTEN,
    help="Port 0 picks a free one.",
)
@click.option(
    "--data",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Where it remembers what it has cosigned; its own, never a service's.",
)
@click.option(
    "--key",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="Its private key: `progressive seal-key --witness --name NAME --out FILE` makes one.",
)
@click.option(
    "--logs",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="The public lines of the services it follows, one a line. One covers all links.",
)
@click.option(
    "--tls-cert",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The witness's certificate and its chain, PEM; needs --tls-key.",
)
@click.option(
    "--tls-key",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Its private key, PEM, without a password.",
)
@log_level_option
def command(
    listen: tuple[str, int],
    data: Path,
    key: Path,
    logs: Path,
    tls_cert: Path | None,
    tls_key: Path | None,
    log_level: str,
) -> None:
    """Confirm that sealed journals only grow; sees no money and no names.

    Prints `ready http://HOST:PORT` when it accepts traffic, then its public line, which services
    are given with `--witness 'URL LINE'` and auditors check its cosignatures with.
    """
    if (tls_cert is None) is not (tls_key is None):
        raise click.UsageError("TLS needs both --tls-cert and --tls-key")
    tls = None if tls_cert is None or tls_key is None else TlsFiles(tls_cert, tls_key)
    _refuse_a_journal(data)
    try:
        signer, trusted = read_signer(key), read_logs(logs)
    except (KeyFileError, LogsFileError) as error:
        raise CannotRunError(str(error)) from None
    json_log.configure(log_level)
    try:
        run(_witness(signer, trusted, data=data, listen=listen, tls=tls))
    except BadTlsError as error:
        raise CannotRunError(str(error)) from None
    except SeenUnreadableError as error:
        raise FindingError(str(error)) from None


async def _witness(
    signer: Signer,
    logs: TrustedLogs,
    *,
    data: Path,
    listen: tuple[str, int],
    tls: TlsFiles | None,
) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, stop.set)
    host, port = listen
    async with witness_running(signer, logs, data=data, host=host, port=port, tls=tls) as url:
        # In one go: whoever has read the first line finds the second there.
        click.echo(f"ready {url}\n{signer.key(COSIGNATURE).text}")
        await stop.wait()


def _refuse_a_journal(data: Path) -> None:
    """A witness beside the journal it watches is restored, and rewritten, with it."""
    if (data / FILE_NAME).exists():
        raise CannotRunError(
            f"{data} is the data directory of a service: a witness has one of its own, on another "
            "machine"
        )
