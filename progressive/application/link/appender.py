"""Appending to a link's journal, and snapshots beside it that its chain confirms."""

from collections.abc import Sequence
from typing import Final

from progressive.application.clock import Clock
from progressive.application.journal.record import encode_record, hash_record
from progressive.application.link.ports import Store
from progressive.application.link.snapshot import digest_of, encode_state
from progressive.application.link.take_over import OwnedLink
from progressive.domain.events import Checkpointed
from progressive.domain.state.evolve import evolve
from progressive.domain.time_text import not_before

CHECKPOINT_EVERY: Final = 50_000
"""Records between two snapshots: what a start has to replay at the most."""


class Appender:
    """Appends to the journal of a link that this process owns."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

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
        body = encode_state(link.state)
        seq = link.state.seq
        event = Checkpointed(
            state_digest=digest_of(body), meters=link.state.primaries, times_hold=True
        )
        at = not_before(self._clock.now(), link.at)
        record = encode_record(seq=seq + 1, at=at, prev=link.head, event=event)
        head = hash_record(record)
        await self.append(link, [record], head)
        link.state = evolve(link.state, event)
        link.head, link.at = head, at
        link.checkpoint_seq = link.state.seq
        await self._store.save_snapshot(link.state.link, epoch=link.epoch, seq=seq, body=body)


def wants_checkpoint(link: OwnedLink) -> bool:
    """Whether a start would have to replay too much."""
    return link.state.seq - link.checkpoint_seq >= CHECKPOINT_EVERY


def has_uncheckpointed(link: OwnedLink) -> bool:
    """Whether anything follows the last snapshot."""
    return link.state.seq > link.checkpoint_seq
