"""Tables at a steady pace: messages come when they come, however long answers take.

`table_load` asks how much a service can do; this asks how long one message takes while it has
other things to do. Frames go out at random moments at a given mean rate, none waits for the answer
to another table's, so that a pause of the service is felt by every table that comes upon it.
"""

import asyncio
import random
import time
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import msgspec

from progressive.wire.table_messages import Welcome
from tests.bench.frames import client_frame, handshake
from tests.bench.table_load import CountingSocket

NAP_SECONDS = 0.0005
CONNECT_AT_ONCE = 50


class _SteadyTable(CountingSocket):
    """Plays round after round from where its welcome says that it stands."""

    took: list[float]
    refused = 0
    _next_seq = 0
    _round: str | None = None
    _left_open = False
    """Whether the round was locked before: it may have wagers that ask for cards."""

    def ready(self) -> bool:
        return self._next_seq > 0

    def send(self) -> None:
        """The next message; the answers come in the same order."""
        seq, self._next_seq = self._next_seq, self._next_seq + 1
        if self._round is None:
            self._round = f"b{seq}"
            payload = _lock(seq, self._round)
        elif self._left_open:
            payload = b'{"type":"void","seq":%d,"round":"%b","reason":"left open"}' % (
                seq,
                self._round.encode(),
            )
            self._round, self._left_open = None, False
        else:
            payload = b'{"type":"settle","seq":%d,"round":"%b","seats":[],"complete":false}' % (
                seq,
                self._round.encode(),
            )
            self._round = None
        self._sent.append(time.perf_counter())
        self.transport.write(client_frame(payload))

    @property
    def unanswered(self) -> int:
        return len(self._sent)

    def on_frame(self, data: bytes, start: int, end: int) -> None:
        if not self.ready():
            welcome = msgspec.json.decode(data[start:end], type=Welcome)
            self._sent: deque[float] = deque()
            self._next_seq = welcome.next_seq
            self._round = None if welcome.round is None else welcome.round.round
            self._left_open = self._round is not None
            return
        self.took.append(time.perf_counter() - self._sent.popleft())
        if data.startswith(b'{"type":"error"', start):
            self.refused += 1


def _lock(seq: int, round_id: str) -> bytes:
    wagers = b",".join(
        b'{"seat":%d,"bet":"blazing7","amount_cents":500,"base_cents":%d,"tender":"chip"}'
        % (seat, 2_500 * (1 + (seq + seat) % 3))
        for seat in range(1, 8)
    )
    return b'{"type":"lock","seq":%d,"round":"%b","wagers":[%b],"chips_counted":7}' % (
        seq,
        round_id.encode(),
        wagers,
    )


class SteadyLoad:
    """Connected tables; `during` plays for a while."""

    def __init__(self, tables: Sequence[_SteadyTable], rate: float, seed: int) -> None:
        self._tables = tables
        self._rate = rate
        self._random = random.Random(seed)

    @property
    def refused(self) -> int:
        return sum(table.refused for table in self._tables)

    async def during(self, seconds: float) -> list[float]:
        """Seconds that each answer took, of all messages sent in so many seconds."""
        took: list[float] = []
        for table in self._tables:
            table.took = took
        began = due = time.perf_counter()
        while due < began + seconds:
            while due > time.perf_counter():
                await asyncio.sleep(NAP_SECONDS)
            self._random.choice(self._tables).send()
            due += self._random.expovariate(self._rate)
        while any(table.unanswered for table in self._tables):
            await asyncio.sleep(NAP_SECONDS)
        return took


@asynccontextmanager
async def steady_load(
    port: int, keys: dict[str, str], *, rate: float, seed: int = 1
) -> AsyncIterator[SteadyLoad]:
    """All these tables connected, each with its key."""
    loop = asyncio.get_running_loop()
    tables: list[_SteadyTable] = []
    for table, key in keys.items():
        opening = handshake(f"/v1/tables/{table}/socket", key)
        _, protocol = await loop.create_connection(
            lambda opening=opening: _SteadyTable(opening, lambda _: None), "127.0.0.1", port
        )
        tables.append(protocol)
        while len(tables) % CONNECT_AT_ONCE == 0 and not protocol.ready():
            await asyncio.sleep(NAP_SECONDS)
    while not all(table.ready() for table in tables):
        await asyncio.sleep(NAP_SECONDS)
    try:
        yield SteadyLoad(tables, rate, seed)
    finally:
        for each in tables:
            each.transport.abort()
