"""The routes of a witness: `add-checkpoint`, the newest notes, a page, and what machines ask for.

A request is answered by the witness's one thread; this only passes it on, and limits what waits.
"""

import asyncio
from concurrent.futures import Executor
from datetime import UTC, datetime
from typing import Final

from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest

from display.assets import asset_routes, kit_routes
from display.templates import page_templates
from progressive.application.seals.note import VerifierKey
from progressive.application.witness.judging import CONFLICT
from progressive.application.witness.ports import Seen
from progressive.application.witness.witness import UNAVAILABLE, Witness
from progressive.entry.http.templates import WEB_FOLDER
from progressive.wire.codec import encode

BODY_BYTES_MAX: Final = 32 << 10
"""63 lines of proof and a note of 16 KiB have room in it."""
WAITING_MAX: Final = 64
"""Checkpoints that wait for the thread, and so for the disk; those beyond are sent away."""
RETRY_SECONDS: Final = 5
SIZE_TYPE: Final = "text/x.tlog.size"
"""tlog-witness: of the answer to a conflict."""


class WitnessPages:
    """Handlers over one witness."""

    def __init__(
        self,
        witness: Witness,
        key: VerifierKey,
        *,
        thread: Executor,
        registry: CollectorRegistry,
    ) -> None:
        """`thread` runs one call at a time."""
        self._witness = witness
        self._key = key
        self._thread = thread
        self._registry = registry
        self._waiting = 0
        self._page = page_templates(WEB_FOLDER).get_template("witness.html")

    def routes(self) -> list[web.AbstractRouteDef]:
        """All of it."""
        return [
            web.post("/add-checkpoint", self.add_checkpoint),
            web.get("/checkpoint", self.checkpoint),
            web.get("/", self.page),
            web.get("/healthz", self.healthz),
            web.get("/metrics", self.metrics),
            *kit_routes(),
            *asset_routes("/assets/witness", WEB_FOLDER / "witness"),
        ]

    async def add_checkpoint(self, request: web.Request) -> web.Response:
        """POST /add-checkpoint (C2SP tlog-witness)."""
        body = await request.read()
        if self._waiting >= WAITING_MAX:
            return _plain("too many checkpoints wait: come back later\n", UNAVAILABLE)
        self._waiting += 1
        # What has begun is finished, whether the asker still waits or not.
        work = asyncio.get_running_loop().run_in_executor(
            self._thread, self._witness.add_checkpoint, body
        )
        work.add_done_callback(self._done)
        answer = await asyncio.shield(work)
        if answer.status == CONFLICT:
            return web.Response(
                status=CONFLICT, body=answer.text.encode(), headers={"Content-Type": SIZE_TYPE}
            )
        return _plain(answer.text, answer.status)

    def _done(self, _: object) -> None:
        self._waiting -= 1

    async def checkpoint(self, request: web.Request) -> web.Response:
        """GET /checkpoint?origin=…: the newest note of a log, with this witness's cosignature."""
        origin = request.query.get("origin")
        if origin is None:
            return _plain("which log? /checkpoint?origin=NAME\n", 400)
        seen = self._witness.seen.get(origin)
        if seen is None:
            return _plain(f"no checkpoint of {origin!r} was cosigned here\n", 404)
        return _plain(seen.note, 200)

    async def page(self, request: web.Request) -> web.Response:
        """GET /: which logs, how far, and when they were last seen."""
        text = self._page.render(
            key=self._key,
            trusted=self._witness.logs.keys,
            logs=[_row(seen) for _, seen in sorted(self._witness.seen.items())],
            refused=sum(self._witness.refused.values()),
        )
        return web.Response(text=text, content_type="text/html")

    async def healthz(self, request: web.Request) -> web.Response:
        """The process is alive and its loop turns."""
        return web.json_response(body=encode({"status": "alive"}))

    async def metrics(self, request: web.Request) -> web.Response:
        """Prometheus text."""
        return web.Response(
            body=generate_latest(self._registry), headers={"Content-Type": CONTENT_TYPE_LATEST}
        )


def _row(seen: Seen) -> dict[str, object]:
    return {
        "origin": seen.checkpoint.origin,
        "size": seen.checkpoint.size,
        "root": seen.checkpoint.root.hex(),
        "at": datetime.fromtimestamp(seen.time, UTC).strftime("%Y-%m-%d %H:%M:%S UTC"),
    }


def _plain(text: str, status: int) -> web.Response:
    response = web.Response(text=text, status=status, content_type="text/plain")
    if status == UNAVAILABLE:
        response.headers["Retry-After"] = str(RETRY_SECONDS)
    return response
