"""Seals over HTTP, for anyone: the newest one, its key, and proofs from it. Plain text."""

from collections.abc import Callable
from typing import Final

from aiohttp import web

from progressive.application.clock import Clock
from progressive.application.link.worker import LinkWorker
from progressive.application.people.rate_limits import address_key
from progressive.application.seals.judging import log_origin
from progressive.application.seals.note import NoteError, VerifierKey, read_size
from progressive.application.seals.proving import (
    NotSealedError,
    NotYetSealedError,
    SealReading,
    consistency_text,
    proof_text,
)
from progressive.entry.http.errors import RefusedError
from progressive.entry.http.links import Links
from progressive.entry.http.past import PAST_A_MINUTE, PastLimit, read_past
from progressive.entry.people.origins import address

NOT_SEALED: Final = "NOT_SEALED"


class SealPages:
    """`/v1/links/{link}/seal`."""

    def __init__(
        self,
        links: Links,
        seals: SealReading,
        key: Callable[[], VerifierKey | None],
        clock: Clock,
    ) -> None:
        """`key`: what seals are signed with; None where there is no key."""
        self._links = links
        self._seals = seals
        self._key = key
        self._limit = PastLimit(clock, per_minute=PAST_A_MINUTE)

    def routes(self) -> list[web.AbstractRouteDef]:
        """The addresses these live at."""
        return [
            web.get("/v1/links/{link}/seal", self.newest),
            web.get("/v1/links/{link}/seal/key", self.key),
            web.get("/v1/links/{link}/seal/proof", self.proof),
            web.get("/v1/links/{link}/seal/consistency", self.consistency),
        ]

    async def newest(self, request: web.Request) -> web.Response:
        """GET …/seal: the newest signed checkpoint, with its cosignatures."""
        worker = self._links.link(request)
        try:
            seal = await read_past(request, worker, lambda: self._seals.newest(worker.rules.id))
        except NotSealedError as error:
            raise RefusedError(404, NOT_SEALED, str(error)) from None
        return _text(seal.note)

    async def key(self, request: web.Request) -> web.Response:
        """GET …/seal/key: the public line that this link's seals are checked with."""
        worker, key = self._links.link(request), self._key()
        if key is None:
            raise RefusedError(404, NOT_SEALED, "this service has no key to seal with")
        try:
            seal = await read_past(request, worker, lambda: self._seals.newest(worker.rules.id))
            origin = seal.checkpoint.origin
        except NotSealedError:
            origin = log_origin(key.name, worker.rules.id, "")
        return _text(f"{key.named(origin).text}\n".encode())

    async def proof(self, request: web.Request) -> web.Response:
        """GET …/seal/proof?seq=N: that a record is in the newest seal."""
        worker, seq = self._links.link(request), _number(request, "seq")
        with self._limit.question_of(address_key(address(request))):
            try:
                seal, found = await read_past(
                    request, worker, lambda: self._seals.inclusions(worker.rules.id, [seq])
                )
            except (NotSealedError, NotYetSealedError) as error:
                raise _not_sealed(error, worker, seq) from None
        return _text(proof_text(seq - 1, found[0].hashes, seal.note))

    async def consistency(self, request: web.Request) -> web.Response:
        """GET …/seal/consistency?from=SIZE: that the newest seal extends an older one."""
        worker, size = self._links.link(request), _number(request, "from")
        with self._limit.question_of(address_key(address(request))):
            try:
                seal, hashes = await read_past(
                    request, worker, lambda: self._seals.consistency(worker.rules.id, size)
                )
            except (NotSealedError, NotYetSealedError) as error:
                raise _not_sealed(error, worker, size) from None
        return _text(consistency_text(size, hashes, seal.note))


def _not_sealed(
    error: NotSealedError | NotYetSealedError, worker: LinkWorker, seq: int
) -> RefusedError:
    if isinstance(error, NotSealedError):
        return RefusedError(404, NOT_SEALED, str(error))
    if 1 <= seq <= worker.view.seq:
        return RefusedError(404, "NOT_SEALED_YET", f"{error}; try again in a minute")
    return RefusedError(404, "NO_RECORD", f"there is no record {seq}")


def _number(request: web.Request, name: str) -> int:
    given = request.query.get(name, "")
    try:
        return read_size(given)
    except NoteError:
        message = f"{name}: {given[:64]!r} is not the number of a record"
        raise RefusedError(400, "BAD_SEQ", message) from None


def _text(body: bytes) -> web.Response:
    # Another machine may take it from a page of its own: it is made to be given away.
    headers = {"Cache-Control": "no-store"}
    return web.Response(body=body, content_type="text/plain", charset="utf-8", headers=headers)
