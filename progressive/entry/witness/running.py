"""A witness on an address, until it is told to stop: the only wiring of it."""

import contextlib
import time
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from aiohttp import web
from prometheus_client import CollectorRegistry

from progressive.adapters.clock import SystemClock
from progressive.adapters.data_directory import DirectoryLock
from progressive.adapters.seals.signing import Signer, signatures_by
from progressive.adapters.witness.evidence_file import EvidenceFile
from progressive.adapters.witness.seen_files import SeenFiles
from progressive.application.seals.note import COSIGNATURE
from progressive.application.witness.logs import TrustedLogs
from progressive.application.witness.witness import Witness
from progressive.entry.http.security_headers import security_headers
from progressive.entry.http.tls import TlsFiles, tls_context
from progressive.entry.witness.http import BODY_BYTES_MAX, WitnessPages
from progressive.entry.witness.series import witness_series
from progressive.live.entrance.entrance import Entrance
from progressive.live.entrance.limits import Limits
from progressive.runtime.listening import listening
from progressive.runtime.open_files import raise_file_limit
from progressive.runtime.series import expose

SHUTDOWN_SECONDS: Final = 2.0
LIMITS: Final = Limits(requests_a_second=20.0, requests_at_once=200.0)
"""A log asks once a minute."""


@contextlib.asynccontextmanager
async def witness_running(
    signer: Signer,
    logs: TrustedLogs,
    *,
    data: Path,
    host: str,
    port: int,
    tls: TlsFiles | None = None,
    limits: Limits = LIMITS,
) -> AsyncIterator[str]:
    """Gives an address that can be opened here; what was cosigned lies in `data`.

    Raises CannotListenError, DirectoryInUseError, BadTlsError, SeenUnreadableError, OSError.
    """
    context = None if tls is None else tls_context(tls)
    async with listening(host, port) as taken:
        lock = DirectoryLock(data)
        # One thread: checking what was cosigned and storing the next is one step for all.
        thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="witness")
        try:
            witness = _witness(signer, logs, data)
            entrance = Entrance(raise_file_limit(), limits, claims=lambda _: False)
            registry = CollectorRegistry()
            expose(registry, [*witness_series(witness), *entrance.series("witness")])
            key = signer.key(COSIGNATURE)
            pages = WitnessPages(witness, key, thread=thread, registry=registry)
            app = web.Application(middlewares=[entrance.in_turn], client_max_size=BODY_BYTES_MAX)
            app.on_response_prepare.append(security_headers(tls=tls is not None))
            app.add_routes(pages.routes())
            runner = web.AppRunner(app, access_log=None, shutdown_timeout=SHUTDOWN_SECONDS)
            await runner.setup()
            try:
                entrance.open(runner, taken.sockets, context)
                yield taken.url("http" if tls is None else "https")
            finally:
                await entrance.close()
                await runner.cleanup()
        finally:
            thread.shutdown()
            lock.release()


def _witness(signer: Signer, logs: TrustedLogs, data: Path) -> Witness:
    return Witness(
        logs,
        signer,
        signed_by=signatures_by,
        store=SeenFiles(data),
        evidence=EvidenceFile(data),
        clock=SystemClock(),
        posix_time=lambda: int(time.time()),
    )
