"""`progressive serve`: the meter service, until it is told to stop."""

import asyncio
import logging
import signal
from pathlib import Path
from typing import Final

import click

from progressive.adapters import service_note
from progressive.adapters.config.floor import ConfigError, load_floor
from progressive.adapters.seals.process import BadSealKeyError
from progressive.application.finance.refusals import FinanceRefusedError
from progressive.application.journal.ports import StoreUnavailableError
from progressive.application.seals.sealing import SealerUnavailableError
from progressive.domain.rulebook.rules import FloorRules
from progressive.entry.bootstrap import Running, running
from progressive.entry.commands.next_steps import advise, next_steps
from progressive.entry.commands.seal_options import seal_options, seal_settings
from progressive.entry.finance.finance import FinanceSettings
from progressive.entry.http.tls import BadTlsError, TlsFiles
from progressive.entry.people.origins import BadOriginError, parse_origin
from progressive.entry.people.reception import Doorway
from progressive.entry.pit.pit import DISK_LOW_BYTES
from progressive.entry.seals import NOT_SEALED, SealSettings
from progressive.entry.stores import KEEPS_NOTHING, NOTHING_IS_KEPT, is_shared, unknown_store
from progressive.live.entrance.limits import Limits
from progressive.runtime import json_log
from progressive.runtime.event_loop import run
from progressive.runtime.options import LISTEN, log_level_option
from progressive.runtime.plain_errors import CannotRunError

log = logging.getLogger(__name__)

NODE_URL_BYTES_MAX: Final = 120
"""It is the reason of a close frame, which has 123."""


def node_url(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    """An address that clients can open."""
    if value is None:
        return None
    try:
        url = parse_origin(value)
    except BadOriginError as error:
        raise click.BadParameter(str(error)) from None
    if len(url) > NODE_URL_BYTES_MAX:
        raise click.BadParameter(f"longer than {NODE_URL_BYTES_MAX} bytes")
    return url


@click.command("serve")
@click.option(
    "--floor",
    required=True,
    type=click.Path(path_type=Path),
    help="The floor file: links, bets, meters, tables, signs.",
)
@click.option(
    "--data",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Where the journal and the table keys are kept.",
)
@click.option(
    "--listen",
    default="127.0.0.1:8080",
    show_default=True,
    type=LISTEN,
    help="Port 0 picks a free one.",
)
@click.option(
    "--store",
    default="sqlite",
    show_default=True,
    help="sqlite: a file in the data directory; redis://HOST:PORT/DB?replicas=N, or "
    "redis+sentinel://HOST:PORT,HOST:PORT,HOST:PORT/SERVICE?replicas=N: a log that several nodes "
    "share, with a copy in the data directory; memory: nothing survives the process.",
)
@click.option(
    "--node-url",
    callback=node_url,
    metavar="URL",
    help="Where tables and other nodes find this node, with --store redis://. Default: the address "
    "it listens on.",
)
@click.option(
    "--tls-cert",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The service's certificate and its chain, PEM; needs --tls-key.",
)
@click.option(
    "--tls-key",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Its private key, PEM, without a password.",
)
@click.option(
    "--tls-client-ca",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Tables must then show a certificate of this CA whose common name is the table's id.",
)
@click.option(
    "--origin",
    "origins",
    multiple=True,
    metavar="URL",
    help="Also take requests from pages of this origin: a proxy's, or a name of this machine in "
    "the network. May be repeated.",
)
@click.option(
    "--requests-per-address",
    "requests_a_second",
    default=int(Limits().requests_a_second),
    show_default=True,
    type=click.IntRange(min=1),
    metavar="N",
    help="Requests a second of one address that nobody has logged in for; those beyond wait.",
)
@click.option(
    "--unfinished-per-address",
    "unfinished_max",
    default=Limits().unfinished_max,
    show_default=True,
    type=click.IntRange(min=1),
    metavar="N",
    help="Connections of one address whose request is not complete; above it the oldest goes.",
)
@click.option(
    "--head-seconds",
    default=int(Limits().head_seconds),
    show_default=True,
    type=click.IntRange(min=1),
    metavar="S",
    help="Within which a request's head, TLS handshake included, must be complete.",
)
@click.option(
    "--disk-low",
    "disk_low_mib",
    default=DISK_LOW_BYTES // 2**20,
    show_default=True,
    type=click.IntRange(min=0),
    metavar="MIB",
    help="An alarm on the pit console when less is free where the data is kept.",
)
@click.option(
    "--accounts",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A TOML file with a [gl] section: accounts of the general ledger, for reports.",
)
@click.option(
    "--cage-mappings",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A folder of TOML files with a [cage] section: how files of the cage are read, by name.",
)
@seal_options
@log_level_option
def command(
    floor: Path,
    data: Path,
    listen: tuple[str, int],
    store: str,
    node_url: str | None,
    tls_cert: Path | None,
    tls_key: Path | None,
    tls_client_ca: Path | None,
    origins: tuple[str, ...],
    requests_a_second: int,
    unfinished_max: int,
    head_seconds: int,
    disk_low_mib: int,
    accounts: Path | None,
    cage_mappings: Path | None,
    seal_key: Path | None,
    keys_before: tuple[str, ...],
    witnesses: tuple[str, ...],
    witnesses_file: Path | None,
    log_level: str,
) -> None:
    """Run the meter service; prints `ready http://HOST:PORT` when it accepts traffic.

    The address is one that can be opened here, also where --listen means every address of this
    machine. What a new floor still lacks, a table's key or somebody who can log in, is said on
    standard error with the command for it. With --tls-cert and --tls-key the service speaks TLS
    only, and the line says `https`.
    """
    host, port = listen
    limits = Limits(
        requests_a_second=requests_a_second,
        requests_at_once=10 * requests_a_second,
        unfinished_max=unfinished_max,
        head_seconds=head_seconds,
    )
    doorway = Doorway(
        tls=_tls_files(tls_cert, tls_key, tls_client_ca), origins=_checked(origins), limits=limits
    )
    seals = seal_settings(data, seal_key, keys_before, witnesses, witnesses_file)
    finance = FinanceSettings(accounts=_good_accounts(accounts), mappings=cage_mappings)
    if (why := unknown_store(store)) is not None:
        raise click.BadParameter(why, param_hint="--store")
    try:
        rules = load_floor(floor).rules
    except ConfigError as error:
        for problem in error.problems:
            click.echo(problem.line(), err=True)
        raise SystemExit(2) from None
    json_log.configure(log_level)
    for sentence in rules.lesser_rules:
        log.warning("local rule file asks for less", extra={"rule": sentence})
    try:
        run(
            _serve(
                rules,
                data=data,
                host=host,
                port=port,
                store=store,
                node_url=node_url,
                doorway=doorway,
                disk_low_bytes=disk_low_mib * 2**20,
                seals=seals,
                finance=finance,
                program=click.get_current_context().find_root().command_path,
            )
        )
    except (BadTlsError, BadSealKeyError, SealerUnavailableError) as error:
        raise CannotRunError(str(error)) from None


async def _serve(
    rules: FloorRules,
    *,
    data: Path,
    host: str,
    port: int,
    store: str,
    node_url: str | None,
    doorway: Doorway,
    disk_low_bytes: int,
    seals: SealSettings,
    finance: FinanceSettings,
    program: str,
) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, stop.set)
    async with running(
        rules,
        data=data,
        host=host,
        port=port,
        store=store,
        node_url=node_url,
        doorway=doorway,
        disk_low_bytes=disk_low_bytes,
        seals=seals,
        finance=finance,
    ) as service:
        with service_note.noted(service.url, data):
            people = service.floor.reception.people
            steps = await next_steps(
                rules,
                people,
                data=data,
                keys=service.floor.keys.tables,
                shared=is_shared(store),
                program=program,
            )
            # In one go: whoever has read the first line finds the rest there.
            click.echo(f"ready {service.url}")
            said = [
                *_keeps_nothing(store),
                *await _can_lose(service),
                *_seals_nothing(service, store),
            ]
            advise([*said, *_listens_everywhere(service), *steps])
            await stop.wait()


def _good_accounts(path: Path | None) -> Path | None:
    """The process that makes reports would not start with a bad one, when nobody looks."""
    if path is None:
        return None
    # The libraries of reports are not loaded for a start without.
    from progressive.entry.finance.printing import read_accounts

    try:
        read_accounts(path)
    except FinanceRefusedError as error:
        raise CannotRunError(str(error)) from None
    return path


def _keeps_nothing(store: str) -> list[str]:
    if store not in KEEPS_NOTHING:
        return []
    return [f"{NOTHING_IS_KEPT}: --store {store} ends with this process, and all money with it"]


async def _can_lose(service: Running) -> list[str]:
    """What a failure of the shared log's server could lose."""
    if service.floor.leases is None:
        return []
    try:
        return [await service.floor.leases.loss_case()]
    except StoreUnavailableError as error:
        return [str(error)]


def _seals_nothing(service: Running, store: str) -> list[str]:
    if store in KEEPS_NOTHING or service.floor.seals.key is not None:
        return []
    return [NOT_SEALED]


def _listens_everywhere(service: Running) -> list[str]:
    if service.everywhere is None:
        return []
    return [f"listening on {service.everywhere}: every address of this machine"]


def _tls_files(cert: Path | None, key: Path | None, client_ca: Path | None) -> TlsFiles | None:
    if cert is not None and key is not None:
        return TlsFiles(cert, key, client_ca)
    if cert is not None or key is not None or client_ca is not None:
        raise click.UsageError("TLS needs both --tls-cert and --tls-key")
    return None


def _checked(origins: tuple[str, ...]) -> tuple[str, ...]:
    try:
        return tuple(parse_origin(each) for each in origins)
    except BadOriginError as error:
        raise click.BadParameter(str(error), param_hint="--origin") from None
