"""Work in turns: a few pieces in each turn of the event loop, one address after the other.

So a backlog, however long, never occupies the loop, and one address never keeps the others waiting.
"""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable

Piece = Callable[[], None]


class Turns:
    """A queue for each address; they are served in a round."""

    def __init__(self, a_turn: int) -> None:
        self._a_turn = a_turn
        self._waiting: OrderedDict[str, deque[Piece]] = OrderedDict()
        self._scheduled = False

    def put(self, address: str, piece: Piece) -> None:
        """Have it done in one of the next turns."""
        queue = self._waiting.get(address)
        if queue is None:
            queue = self._waiting[address] = deque()
        queue.append(piece)
        if not self._scheduled:
            self._scheduled = True
            asyncio.get_running_loop().call_soon(self._work)

    async def wait(self, address: str) -> None:
        """Until it is this caller's turn."""
        turn = asyncio.get_running_loop().create_future()
        self.put(address, lambda: None if turn.done() else turn.set_result(None))
        await turn

    def _work(self) -> None:
        waiting = self._waiting
        for _ in range(self._a_turn):
            if not waiting:
                break
            address, queue = waiting.popitem(last=False)
            piece = queue.popleft()
            if queue:
                # To the end of the round.
                waiting[address] = queue
            piece()
        self._scheduled = bool(waiting)
        if waiting:
            asyncio.get_running_loop().call_soon(self._work)
