"""A snapshot beside the journal, confirmed by a record in it: what a start replays from."""

from progressive.application.clock import Clock
from progressive.application.journal.gaming_day import GamingDays
from progressive.application.journal.record import encode_record, hash_record
from progressive.application.link.owned_link import OwnedLink
from progressive.application.link.ports import Store
from progressive.application.link.snapshot import digest_of, encode_state
from progressive.domain.events import Checkpointed
from progressive.domain.state.evolve import evolve
from progressive.domain.time_text import not_before


async def checkpoint(store: Store, link: OwnedLink, clock: Clock, days: GamingDays) -> None:
    """Save a snapshot, and its digest in the journal so that the chain confirms it.

    Raises StoreError.
    """
    body = encode_state(link.state)
    seq = link.state.seq
    event = Checkpointed(state_digest=digest_of(body), meters=link.state.primaries, times_hold=True)
    at = not_before(clock.now(), link.at)
    record = encode_record(seq=seq + 1, at=at, prev=link.head, event=event)
    head = hash_record(record)
    await store.append(
        link.state.link, epoch=link.epoch, expected_seq=seq, records=[record], head=head
    )
    link.state = evolve(link.state, event)
    link.head, link.at = head, at
    link.begin_day(days)
    link.checkpoint_seq = link.state.seq
    await store.save_snapshot(link.state.link, epoch=link.epoch, seq=seq, body=body)
