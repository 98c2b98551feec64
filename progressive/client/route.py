"""PURE. Which node a table tries next: the one it was sent to, or the configured ones in turn."""

from collections.abc import Sequence
from typing import Final

from progressive.common.addresses import base_of, elsewhere

HOPS_MAX: Final = 4
"""Times that nodes may send a table on before it waits: two that name each other are in the middle
of a failover."""


class Route:
    """The nodes of one floor, for one table."""

    def __init__(self, nodes: Sequence[str]) -> None:
        """Addresses as configured. Raises BadAddressError (a ValueError)."""
        if not nodes:
            raise ValueError("no node: give the address of one at least")
        self._nodes = list(dict.fromkeys(base_of(node) for node in nodes))
        self._turn = 0
        self._sent_to: str | None = None
        self._hops = 0

    @property
    def has_others(self) -> bool:
        """Whether there is another node to try."""
        return len(self._nodes) > 1

    @property
    def node(self) -> str:
        """Where to connect now."""
        return self._sent_to or self._nodes[self._turn]

    def sent_to(self, said: str) -> bool:
        """The node says who leads (4503): whether the table goes there at once.

        Only to http and https, from https to https alone, and not round in circles.
        """
        there = elsewhere(said, by=self.node)
        if there is None or there == self.node or self._hops >= HOPS_MAX:
            return False
        self._hops += 1
        if there in self._nodes:
            self._turn, self._sent_to = self._nodes.index(there), None
        else:
            self._sent_to = there
        return True

    def next_node(self) -> None:
        """This one did not work: the next of the configured ones. Whoever named a node that is gone
        would name it again."""
        self._turn = (self._turn + 1) % len(self._nodes)
        self._sent_to = None
        self._hops = 0

    def arrived(self) -> None:
        """This one answers: it may send the table on again some day."""
        self._hops = 0
