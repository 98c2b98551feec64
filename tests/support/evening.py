"""An evening at a table, for tests that look at what becomes of it: rounds, winners, claims."""

import contextlib
from collections.abc import AsyncIterator, Sequence
from typing import Self

from tests.support.service import (
    Message,
    ServiceProcess,
    TableClient,
    issue_key,
    lock,
    settle,
)

MEGA = ["7d", "7d", "7d"]
MAJOR = ["7s", "7s", "7s"]


class Pit:
    """A table and its dealer, who keys what the test tells."""

    def __init__(self, client: TableClient, table: str) -> None:
        self._client = client
        self.table = table
        self._seq: int = client.welcome["next_seq"]

    @classmethod
    @contextlib.asynccontextmanager
    async def open(cls, service: ServiceProcess, table: str = "BJ-01") -> AsyncIterator[Self]:
        key = issue_key(service.data, table)
        async with TableClient.connect(service.url, table, key) as client:
            yield cls(client, table)

    async def lock(self, seats: Sequence[int] = (1, 3, 5)) -> str:
        """Lock a round out; its name."""
        name = f"{self.table}-{self._seq}"
        await self._ask(lock(self._seq, name, seats))
        return name

    async def settle(
        self,
        name: str,
        winners: dict[int, list[str]],
        *,
        dealer: Sequence[str] = ("6c",),
        early: bool = False,
    ) -> list[Message]:
        """Settle it with the winning seats' cards; the awards in their order of payment.

        `early`: before the peek, on two cards.
        """
        seats = [{"seat": seat, "cards": cards} for seat, cards in winners.items()]
        asked = settle(self._seq, name, dealer={"cards": list(dealer)}, seats=seats)
        answer = await self._ask(asked | {"early": True} if early else asked)
        awards: list[Message] = answer["awards"]
        return awards

    async def play(self, winners: dict[int, list[str]] | None = None) -> list[Message]:
        """A whole round."""
        return await self.settle(await self.lock(), winners or {})

    async def claim(self, message: Message) -> Message:
        """Something that the service should refuse: its number stays the next one."""
        return await self._client.ask({"seq": self._seq, **message})

    async def stay(self) -> None:
        """Answer pings from now on, and play no more."""
        async for _ in self._client.ws:
            pass

    async def _ask(self, message: Message) -> Message:
        answer = await self._client.ask(message)
        assert answer["type"] != "error", answer
        self._seq += 1
        return answer
