"""Appending to a link's journal, and snapshots beside it that its chain confirms."""

from collections.abc import Callable, Sequence
from typing import Final

from progressive.application.clock import Clock
from progressive.application.journal.gaming_day import GamingDays
from progressive.application.link.checkpoint import checkpoint
from progressive.application.link.owned_link import OwnedLink
from progressive.application.link.ports import Store

CHECKPOINT_EVERY: Final = 50_000
"""Records between two snapshots: what a start has to replay at the most."""


class Appender:
    """Appends to the journal of a link that this process owns."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        days: GamingDays,
        on_checkpoint: Callable[[], None] = lambda: None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._days = days
        self._on_checkpoint = on_checkpoint

    async def append(self, link: OwnedLink, records: Sequence[bytes], head: str) -> float:
        """Durable when it returns: how many seconds it took. Raises StoreError."""
        began = self._clock.monotonic()
        await self._store.append(
            link.state.link,
            epoch=link.epoch,
            expected_seq=link.state.seq,
            records=records,
            head=head,
        )
        return self._clock.monotonic() - began

    async def checkpoint(self, link: OwnedLink) -> None:
        """Save a snapshot, and its digest in the journal so that the chain confirms it.

        Raises StoreError.
        """
        await checkpoint(self._store, link, self._clock, self._days)
        self._on_checkpoint()


def wants_checkpoint(link: OwnedLink) -> bool:
    """Whether a start would have to replay too much."""
    return link.state.seq - link.checkpoint_seq >= CHECKPOINT_EVERY


def has_uncheckpointed(link: OwnedLink) -> bool:
    """Whether anything follows the last snapshot."""
    return link.state.seq > link.checkpoint_seq
