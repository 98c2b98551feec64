"""Start-up and the way back from a fault: exactly the state before, or a reason why not.

The whole chain is checked, the state is replayed from the newest snapshot that the chain vouches
for, every replayed record is compared with the amounts it names, then the invariants. Nothing is
ever repaired, guessed or started from zero here.
"""

import asyncio

from msgspec import Struct, structs

from progressive.application.journal import (
    GENESIS,
    ChainCheck,
    JournalBrokenError,
    decode_record,
    encode_record,
    hash_record,
)
from progressive.application.ports import Clock, Store, StoredSnapshot
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


async def recover(
    store: Store, rules: LinkRules, clock: Clock, *, known: RecoveredLink | None = None
) -> RecoveredLink:
    """Open a link for writing; a link without a journal gets its first record.

    `known` is what this process has proved before: only what follows it is read again. Raises
    StoreError, JournalBrokenError or InvariantBrokenError: the link is then inoperable.
    """
    opened = await store.open_link(rules.id)
    if known is None:
        link = await _replay_all(store, rules)
    else:
        link = await _replay_after(store, known)
    if link.state.seq != opened.seq:
        raise JournalBrokenError(
            f"the journal ends at record {link.state.seq}, but {opened.seq} were written"
        )
    if link.head != opened.head:
        raise JournalBrokenError(f"record {opened.seq}, the last one, has been changed")
    link.epoch = opened.epoch
    if link.state.seq == 0:
        await _found(store, rules, clock, link)
    check_deeply(link.state)
    if link.state.terms is None:
        raise JournalBrokenError("the journal does not begin with link_opened")
    if changed := differing_terms(link.state.terms, rules.terms):
        raise JournalBrokenError(
            "the floor file is not the one the journal was opened with: " + "; ".join(changed)
        )
    return link


async def _replay_all(store: Store, rules: LinkRules) -> RecoveredLink:
    """Walk the whole chain; replay from the newest snapshot, once the chain has vouched for it."""
    snapshot = await store.load_snapshot(rules.id)
    state = LinkState(link=rules.id)
    checkpoint = 0
    if snapshot is not None:
        state = decode_state(snapshot.body)
        checkpoint = snapshot.seq + 1
        if state.seq != snapshot.seq or state.link != rules.id:
            raise JournalBrokenError(f"the snapshot at {snapshot.seq} is of another state")
    link = RecoveredLink(state=state, epoch=0, head=GENESIS, at="", checkpoint_seq=checkpoint)
    chain = ChainCheck()
    async for stored_records in store.read(rules.id):
        for stored in stored_records:
            chain.feed(stored)
            if chain.seq <= state.seq:
                continue
            record = decode_record(stored, seq=chain.seq)
            if snapshot is not None and chain.seq == checkpoint:
                _check_vouched(record.event, snapshot)
            _replay(state, record.event, chain.seq)
            link.at = record.at
        # Other links, and whoever asks for our health, have their turn.
        await asyncio.sleep(0)
    if chain.seq < checkpoint:
        raise JournalBrokenError(f"the journal ends before its snapshot at {state.seq}")
    link.head = chain.head
    return link


async def _replay_after(store: Store, known: RecoveredLink) -> RecoveredLink:
    """What another append may have left behind a state that is known."""
    link = structs.replace(known, state=known.state.copy())
    chain = ChainCheck(seq=known.state.seq, head=known.head)
    async for stored_records in store.read(known.state.link, after_seq=known.state.seq):
        for stored in stored_records:
            chain.feed(stored)
            record = decode_record(stored, seq=chain.seq)
            _replay(link.state, record.event, chain.seq)
            link.at = record.at
    link.head = chain.head
    return link


def _check_vouched(event: Event, snapshot: StoredSnapshot) -> None:
    if not isinstance(event, Checkpointed) or event.state_digest != digest_of(snapshot.body):
        raise JournalBrokenError(
            f"the snapshot at {snapshot.seq} is not the one the journal speaks of"
        )


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


async def _found(store: Store, rules: LinkRules, clock: Clock, link: RecoveredLink) -> None:
    """The first record: the terms, and the house's money on the meters."""
    event = open_link(rules)
    at = clock.now()
    record = encode_record(1, at, GENESIS, event)
    head = hash_record(record)
    await store.append(rules.id, epoch=link.epoch, expected_seq=0, records=[record], head=head)
    apply(link.state, event)
    link.head, link.at = head, at
