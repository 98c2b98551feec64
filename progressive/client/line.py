"""A table's line to its floor: one message at a time, over as many connections as it takes.

Follows the leader, tries the nodes in turn, waits longer after each failure. What a message is
numbered, and what its answer means, is for those who ask (`TableClient`, the simulator).
"""

from collections.abc import Callable, Sequence
from typing import Final

from progressive.client.answers import ServerMessage
from progressive.client.connection import ConnectionLostError, NotLeaderError, TableConnection
from progressive.client.route import Route
from progressive.client.timing import Patience
from progressive.domain.rejections import Rejection
from progressive.wire.table_messages import ErrorMessage, Welcome

LIVE: Final = "live"


class TableLine:
    """The way of one table's messages to whoever leads."""

    def __init__(
        self,
        connection: TableConnection,
        nodes: Sequence[str],
        *,
        patience: Patience,
        on_welcome: Callable[[Welcome], None],
        on_trouble: Callable[[str], None] = lambda why: None,
    ) -> None:
        """`on_welcome` is called for each connection to a link in service; it may raise.
        `on_trouble` hears why a node did not do."""
        self._connection = connection
        self._route = Route(nodes)
        self._patience = patience
        self._on_welcome = on_welcome
        self._on_trouble = on_trouble

    @property
    def is_open(self) -> bool:
        """Whether there is a connection, as far as this side knows."""
        return self._connection.is_open

    @property
    def node(self) -> str:
        """The node that is connected or tried."""
        return self._route.node

    async def wait_lost(self) -> None:
        """Until the connection is gone."""
        await self._connection.lost.wait()

    async def connect(self) -> None:
        """Until connected. Raises StayAwayError, GaveUpError, and what `on_welcome` does."""
        while not self.is_open:
            try:
                await self._open()
            except ConnectionLostError as lost:
                await self._go_on(lost)

    async def ask(
        self, payload: bytes, *, on_send: Callable[[], None] = lambda: None
    ) -> ServerMessage:
        """Send until there is an answer other than "later"; raises as `connect` does.

        Whoever stops waiting takes the connection with them: a late answer must not be read as
        that to another message.
        """
        answer: ServerMessage | None = None
        try:
            while answer is None:
                answer = await self._try(payload, on_send)
        finally:
            if answer is None:
                await self._connection.drop()
        self._route.arrived()
        self._patience.eased()
        return answer

    async def send(self, payload: bytes) -> None:
        """Over this connection, without waiting for an answer; raises ConnectionLostError."""
        await self._connection.send(payload)

    async def _try(self, payload: bytes, on_send: Callable[[], None]) -> ServerMessage | None:
        try:
            if not self.is_open:
                await self._open()
            on_send()
            await self._connection.send(payload)
            answer = await self._connection.receive()
        except ConnectionLostError as lost:
            await self._go_on(lost)
            return None
        if isinstance(answer, ErrorMessage) and answer.code in _LATER:
            await self._come_back(answer)
            return None
        return answer

    async def _come_back(self, error: ErrorMessage) -> None:
        """The message changed nothing and may be accepted later, here or elsewhere."""
        if error.code == Rejection.NOT_LEADER:
            # The same node says on a new connection where to go.
            await self._connection.drop()
        elif error.code == Rejection.LINK_INOPERABLE and self._route.has_others:
            await self._connection.drop()
            self._route.next_node()
        await self._patience.wait(f"{error.code}: {error.message}")

    async def _open(self) -> None:
        """One try."""
        # How the one before ended says where to go.
        self._connection.raise_end()
        welcome = await self._connection.open(self._route.node)
        if welcome.state != LIVE:
            # Its numbers and its round are not to be relied on.
            await self._connection.drop()
            why = f"the link is out of service: {welcome.reason}"
            raise ConnectionLostError(f"{self._route.node}: {why}")
        try:
            self._on_welcome(welcome)
        except BaseException:
            await self._connection.drop()
            raise

    async def _go_on(self, lost: ConnectionLostError) -> None:
        if isinstance(lost, NotLeaderError) and self._route.sent_to(lost.said):
            return
        self._on_trouble(str(lost))
        self._route.next_node()
        await self._patience.wait(str(lost))

    async def close(self) -> None:
        """Say goodbye."""
        await self._connection.close()

    async def drop(self) -> None:
        """As after a power cut: no goodbye."""
        await self._connection.drop()


_LATER: Final = frozenset({Rejection.TRY_AGAIN, Rejection.LINK_INOPERABLE, Rejection.NOT_LEADER})
