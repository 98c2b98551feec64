"""Lets connections and requests in: tables and staff first, strangers in turn.

Who sits too long, or comes when all places are taken, is sent away here. How a connection is
accepted is `acceptor`, what one may send is `gate`.
"""

import asyncio
import socket
import ssl
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from aiohttp import web

from progressive.live.entrance.acceptor import Acceptor
from progressive.live.entrance.addresses import Addresses
from progressive.live.entrance.gate import Gate, gate_of
from progressive.live.entrance.limits import (
    GATES_A_SLICE,
    SLICES_A_TURN,
    STARTS_A_TURN,
    WAIT_SECONDS_MAX,
    YOUNG_SECONDS,
    Limits,
)
from progressive.live.entrance.places import Places, Standing
from progressive.live.entrance.turns import Turns
from progressive.runtime.series import Series, counter, gauge

BEAT_SECONDS: Final = 1.0
RETRY_SECONDS: Final = 10

OFFENCES: Final = (
    *("too many frames", "too many bytes", "frames must be masked", "text frames only"),
    *("bad request", "unfinished request"),
)
"""The usual ones, so that their series begin at zero."""
TURNED_AWAY: Final = ("unfinished", "idle", "places", "requests", "files")

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
Claims = Callable[[web.Request], bool]
"""Whether a request shows a key or a session, good or bad."""


BringsFile = Callable[[web.Request], bool]
"""Whether a request has a body that its handler reads, once it is known whose it is."""


def shows_key(request: web.Request) -> bool:
    """The plain case: something in the header that is made for it."""
    return "Authorization" in request.headers


class Entrance:
    """The way in to one server."""

    def __init__(
        self,
        files: int,
        limits: Limits = Limits(),  # noqa: B008 - frozen
        *,
        claims: Claims = shows_key,
        brings_file: BringsFile = lambda _: False,
    ) -> None:
        """`files`: how many this process may have open."""
        self.limits = limits
        self.clock = asyncio.get_running_loop().time
        self.places: Places[Gate] = Places(files)
        self.addresses = Addresses(limits, self.clock)
        self.offences: Counter[str] = Counter(dict.fromkeys(OFFENCES, 0))
        self.turned_away: Counter[str] = Counter(dict.fromkeys(TURNED_AWAY, 0))
        self._claims = claims
        self._brings_file = brings_file
        self._first_bytes = Turns(SLICES_A_TURN)
        self._first_starts = Turns(STARTS_A_TURN)
        self._strangers_bytes = Turns(SLICES_A_TURN)
        self._strangers_starts = Turns(STARTS_A_TURN)
        self._gates: dict[Gate, None] = {}
        self._idle: dict[Gate, None] = {}
        """Strangers whose request is answered, the oldest first."""
        self._acceptor = Acceptor(self, take=self._take, out_of_files=self._note_no_files)
        self._looking: asyncio.Task[None] | None = None

    # --- connections -------------------------------------------------------------------------

    def open(
        self,
        runner: web.AppRunner,
        listeners: Sequence[socket.socket],
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """Begin to accept, for a runner that is set up."""
        self._acceptor.open(runner, listeners, tls)
        self._looking = asyncio.create_task(self._look_forever())

    async def close(self) -> None:
        """Accept no more. Those who are in stay in."""
        await self._acceptor.close()
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.gather(self._looking, return_exceptions=True)

    def _note_no_files(self) -> None:
        self.turned_away["files"] += 1

    def _take(self, gate: Gate) -> None:
        self._gates[gate] = None
        self.places.take(gate, Standing.UNFINISHED)
        oldest = self.places.must_go()
        if oldest is None and (
            self.places.unfinished_at(gate.address) > self.limits.unfinished_max
        ):
            oldest = self.places.oldest_at(gate.address)
        if oldest is None or (
            self.clock() - oldest.since < YOUNG_SECONDS and self.places.room_for_young
        ):
            return
        self._send_away(oldest, "unfinished")

    def _send_away(self, gate: Gate, why: str) -> None:
        self.turned_away[why] += 1
        if gate.began:
            self.note_offence(gate, "unfinished request")
        # At once: the transport tells the gate only in the next turn.
        gate.leave()
        gate.close()

    async def _look_forever(self) -> None:
        """Whoever takes too long goes."""
        while True:
            await asyncio.sleep(BEAT_SECONDS)
            gates = list(self._gates)
            for start in range(0, len(gates), GATES_A_SLICE):
                now = self.clock()
                for gate in gates[start : start + GATES_A_SLICE]:
                    if gate.deadline < now and gate in self._gates:
                        self._send_away(gate, "unfinished" if gate.began else "idle")
                await asyncio.sleep(0)

    # --- requests ----------------------------------------------------------------------------

    @web.middleware
    async def in_turn(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Every request of strangers waits for its turn; tables and staff wait among themselves."""
        gate = gate_of(request)
        if gate is None:
            return await handler(request)
        claims = self._claims(request) and self.addresses.believes(gate.address)
        if gate.standing is not Standing.KNOWN and not claims:
            self._make_room(gate)
        gate.begin(Standing.CLAIMING if claims else Standing.STRANGER)
        self._idle.pop(gate, None)
        try:
            if not self._brings_file(request):
                await self._read_body(request, gate)
            await self._wait_for_turn(gate)
            if request.transport is None:
                raise ConnectionResetError("left before its turn")
            response = await handler(request)
        finally:
            self._after(gate)
        return response

    def _make_room(self, gate: Gate) -> None:
        """A stranger needs a place of theirs: somebody's who only sits there, or none."""
        if gate.standing is Standing.STRANGER or self.places.room_for_stranger:
            return
        if self._idle:
            self._send_away(next(iter(self._idle)), "idle")
            return
        self.turned_away["places"] += 1
        raise _refused(web.HTTPServiceUnavailable, "BUSY", "all places are taken: come back later")

    async def _read_body(self, request: web.Request, gate: Gate) -> None:
        """Before its turn: whoever sends slowly keeps nobody waiting."""
        if not request.can_read_body:
            return
        try:
            async with asyncio.timeout(self.limits.body_seconds):
                await request.read()
        except TimeoutError:
            self.turned_away["unfinished"] += 1
            self.note_offence(gate, "unfinished request")
            raise _refused(web.HTTPRequestTimeout, "TIMEOUT", "the request never ended") from None

    async def _wait_for_turn(self, gate: Gate) -> None:
        if gate.standing is not Standing.STRANGER:
            await self._first_starts.wait(gate.address)
            return
        wait_seconds = self.addresses.wait_seconds(gate.address, most=WAIT_SECONDS_MAX)
        if wait_seconds is None:
            self.turned_away["requests"] += 1
            raise _refused(web.HTTPTooManyRequests, "TOO_MANY_REQUESTS", "too many requests: wait")
        if wait_seconds:
            await asyncio.sleep(wait_seconds)
        await self._strangers_starts.wait(gate.address)
        gate.deadline = self.clock() + self.limits.request_seconds

    def _after(self, gate: Gate) -> None:
        gate.answered()
        if gate.standing is Standing.CLAIMING:
            # Nobody has confirmed it.
            self.addresses.note_claim(gate.address)
            gate.begin(Standing.STRANGER)
            gate.answered()
        if gate.standing is Standing.STRANGER:
            self._idle[gate] = None
            if self.places.held[Standing.STRANGER] > self.places.strangers_max:
                self._idle.pop(gate)
                # Its answer is yet to be written.
                gate.deadline = self.clock()

    # --- `Keeper` ----------------------------------------------------------------------------

    def lane(self, gate: Gate) -> Turns:
        """A new connection may be a table's: its head is not read behind strangers' floods."""
        first = gate.standing is not Standing.STRANGER
        return self._first_bytes if first else self._strangers_bytes

    def stands(self, gate: Gate, standing: Standing) -> None:
        """Another place for it, or none."""
        self.places.leave(gate, gate.standing)
        if standing is Standing.GONE:
            self._gates.pop(gate, None)
            self._idle.pop(gate, None)
        else:
            self.places.take(gate, standing)

    def note_offence(self, gate: Gate, why: str) -> None:
        """Its address is slowed, if that is not the first time."""
        self.offences[why] += 1
        self.addresses.note_offence(gate.address)

    # --- telemetry ---------------------------------------------------------------------------

    def series(self, prefix: str) -> list[Series]:
        """Read when somebody asks."""
        standings = (Standing.UNFINISHED, Standing.STRANGER, Standing.CLAIMING, Standing.KNOWN)
        return [
            gauge(
                f"{prefix}_connections",
                "Open connections, by what is known of them",
                lambda: [((each.value,), self.places.held[each]) for each in standings],
                "standing",
            ),
            counter(
                f"{prefix}_connections_turned_away",
                "Connections and requests that were closed or refused, by reason",
                lambda: [((why,), count) for why, count in self.turned_away.items()],
                "why",
            ),
            counter(
                f"{prefix}_offences",
                "Floods, unmasked frames and requests left unfinished",
                lambda: [((why,), count) for why, count in self.offences.items()],
                "why",
            ),
            gauge(
                f"{prefix}_addresses_slowed",
                "Addresses whose strangers are let in slowly after offences",
                lambda: [((), self.addresses.slowed)],
            ),
        ]


def _refused(kind: type[web.HTTPError], code: str, message: str) -> web.HTTPError:
    answer = kind(
        text=f'{{"error":{{"code":"{code}","message":"{message}"}}}}',
        content_type="application/json",
        headers={"Retry-After": str(RETRY_SECONDS)},
    )
    answer.force_close()
    return answer
