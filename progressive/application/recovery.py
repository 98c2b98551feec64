"""Start-up and the way back from a fault: exactly the state before, or a reason why not.

The whole chain is checked, the state is replayed from the newest snapshot that the chain vouches
for, every replayed record is compared with the amounts it names, then the invariants. Nothing is
ever repaired, guessed or started from zero here.
"""

from msgspec import Struct

from progressive.application.journal import (
    GENESIS,
    ChainCheck,
    JournalBrokenError,
    decode_record,
    encode_record,
    hash_record,
)
from progressive.application.ports import Clock, Store
from progressive.application.snapshot import decode_state, digest_of
from progressive.domain.decide import open_link
from progressive.domain.events import Checkpointed, Event, LinkOpened
from progressive.domain.evolve import apply
from progressive.domain.invariants import InvariantBrokenError, check, check_deeply
from progressive.domain.rules import LinkRules, differing_terms
from progressive.domain.state import LinkState


class RecoveredLink(Struct):
    """A link that may take wagers again."""

    state: LinkState
    epoch: int
    head: str
    at: str
    """Time of the last record."""
    checkpoint_seq: int
    """The record that vouches for the newest snapshot, 0 where there is none."""


async def recover(store: Store, rules: LinkRules, clock: Clock) -> RecoveredLink:
    """Open a link for writing; a link without a journal gets its first record.

    Raises StoreError, JournalBrokenError or InvariantBrokenError: the link is then inoperable.
    """
    opened = await store.open_link(rules.id)
    snapshot = await store.load_snapshot(rules.id)
    state = LinkState(link=rules.id)
    if snapshot is not None:
        state = decode_state(snapshot.body)
        if state.seq != snapshot.seq or state.link != rules.id:
            raise JournalBrokenError(f"the snapshot at {snapshot.seq} is of another state")
    vouched = snapshot is None
    checkpoint = 0 if snapshot is None else snapshot.seq + 1
    chain = ChainCheck()
    at = ""
    async for stored_records in store.read(rules.id):
        for stored in stored_records:
            chain.feed(stored)
            if chain.seq <= state.seq:
                continue
            record = decode_record(stored, seq=chain.seq)
            at = record.at
            if not vouched and snapshot is not None:
                _check_vouched(record.event, snapshot.seq, digest_of(snapshot.body))
                vouched = True
            _replay(state, record.event, chain.seq)
    if chain.seq != opened.seq or chain.head != opened.head:
        raise JournalBrokenError(
            f"the journal ends at record {chain.seq}, but {opened.seq} were written"
            if chain.seq != opened.seq
            else f"record {chain.seq}, the last one, has been changed"
        )
    if not vouched:
        raise JournalBrokenError(f"the journal ends before its snapshot at {state.seq}")
    head = opened.head
    if state.seq == 0:
        head, at = await _found(store, rules, clock, state, opened.epoch)
    check_deeply(state)
    if state.terms is None:
        raise JournalBrokenError("the journal does not begin with link_opened")
    if changed := differing_terms(state.terms, rules.terms):
        raise JournalBrokenError(
            "the floor file is not the one the journal was opened with: " + "; ".join(changed)
        )
    return RecoveredLink(
        state=state, epoch=opened.epoch, head=head, at=at, checkpoint_seq=checkpoint
    )


def _check_vouched(event: Event, seq: int, digest: str) -> None:
    if not isinstance(event, Checkpointed) or event.state_digest != digest:
        raise JournalBrokenError(f"the snapshot at {seq} is not the one the journal speaks of")


def _replay(state: LinkState, event: Event, seq: int) -> None:
    if isinstance(event, LinkOpened) is not (seq == 1):
        raise JournalBrokenError(f"record {seq}: a journal begins with link_opened, once")
    if isinstance(event, LinkOpened) and event.link != state.link:
        raise JournalBrokenError(f"record {seq} opens the link {event.link}, not {state.link}")
    try:
        apply(state, event)
    except KeyError as missing:
        raise JournalBrokenError(f"record {seq} names {missing}, which the link lacks") from None
    if not isinstance(event, LinkOpened) and event.meters != state.primaries:
        raise JournalBrokenError(f"record {seq}: the meters are not where the one before left them")
    try:
        check(state)
    except InvariantBrokenError as error:
        raise JournalBrokenError(f"record {seq}: {error}") from None


async def _found(
    store: Store, rules: LinkRules, clock: Clock, state: LinkState, epoch: int
) -> tuple[str, str]:
    """The first record: the terms, and the house's money on the meters."""
    event = open_link(rules)
    at = clock.now()
    record = encode_record(seq=1, at=at, prev=GENESIS, event=event)
    head = hash_record(record)
    await store.append(rules.id, epoch=epoch, expected_seq=0, records=[record], head=head)
    apply(state, event)
    return head, at
