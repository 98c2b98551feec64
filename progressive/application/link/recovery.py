"""Start-up and the way back from a fault: exactly the state before, or a reason why not.

The whole chain is checked, the state is replayed from the newest snapshot that the chain vouches
for, every replayed record is compared with the amounts it names, then the invariants. Nothing is
ever repaired, guessed or started from zero here.
"""

import asyncio

import msgspec
from msgspec import Struct, structs

from progressive.application.clock import Clock
from progressive.application.journal.ports import StoredSnapshot
from progressive.application.journal.record import (
    GENESIS,
    ChainCheck,
    JournalBrokenError,
    decode_record,
    encode_record,
    hash_record,
)
from progressive.application.link.ports import Store
from progressive.application.link.snapshot import decode_state, digest_of
from progressive.domain.acts import ApproveTerms
from progressive.domain.decide.corrections import approve_terms
from progressive.domain.decide.decide import open_link
from progressive.domain.events import Checkpointed, Event, LinkOpened, RoundSettled
from progressive.domain.rejections import Refusal
from progressive.domain.rulebook.differences import differing_terms
from progressive.domain.rulebook.rules import LinkRules, LinkTerms
from progressive.domain.signatures import Signature
from progressive.domain.state.evolve import apply
from progressive.domain.state.invariants import InvariantBrokenError, check, check_deeply
from progressive.domain.state.link_state import LinkState

_encoder = msgspec.json.Encoder()


class RecoveredLink(Struct):
    """A link that may take wagers again."""

    state: LinkState
    epoch: int
    head: str
    at: str
    """Time of the last record."""
    checkpoint_seq: int
    """The record that vouches for the newest snapshot, 0 where there is none."""
    settled: list[tuple[int, RoundSettled]] = []
    """Rounds with awards behind what was known before: kept, but no sign has been told."""


class TermsDifferError(JournalBrokenError):
    """The floor file is not the one the journal was opened with; two people may approve it."""


async def recover(
    store: Store,
    rules: LinkRules,
    clock: Clock,
    *,
    known: RecoveredLink | None = None,
    approved_by: Signature | None = None,
) -> RecoveredLink:
    """Open a link for writing; a link without a journal gets its first record.

    `known` is what this process has proved before: only what follows it is read again.
    `approved_by` is somebody who approves the floor file's terms, where they are not those of the
    journal. Raises StoreError, JournalBrokenError or InvariantBrokenError: the link is then
    inoperable.
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
    if differing_terms(link.state.terms, rules.terms) and approved_by is not None:
        await _approve(store, rules, clock, link, approved_by)
    if changed := differing_terms(link.state.terms, rules.terms):
        raise TermsDifferError(_in_words(link.state, changed))
    return link


def terms_digest(terms: LinkTerms) -> str:
    """Tells these terms from any others."""
    return digest_of(_encoder.encode(terms))


def _in_words(state: LinkState, changed: list[str]) -> str:
    waits = ""
    if state.terms_proposed is not None:
        waits = f" (approved by {state.terms_proposed.by.name}; it takes a second person)"
    return f"the floor file is not the one the journal was opened with{waits}: {'; '.join(changed)}"


async def _approve(
    store: Store, rules: LinkRules, clock: Clock, link: RecoveredLink, by: Signature
) -> None:
    """Keep that somebody approved the floor file's terms; the second one changes them."""
    act = ApproveTerms(rules.terms, terms_digest(rules.terms), by)
    event = approve_terms(link.state, act)
    if isinstance(event, Refusal):
        raise TermsRefusedError(event)
    await _append(store, link, clock, event)


class TermsRefusedError(JournalBrokenError):
    """Somebody's approval of the floor file that does not count."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


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
    link = structs.replace(known, state=known.state.copy(), settled=[])
    chain = ChainCheck(seq=known.state.seq, head=known.head)
    async for stored_records in store.read(known.state.link, after_seq=known.state.seq):
        for stored in stored_records:
            chain.feed(stored)
            record = decode_record(stored, seq=chain.seq)
            _replay(link.state, record.event, chain.seq)
            link.at = record.at
            if isinstance(record.event, RoundSettled) and record.event.awards:
                link.settled.append((chain.seq, record.event))
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
    await _append(store, link, clock, open_link(rules))


async def _append(store: Store, link: RecoveredLink, clock: Clock, event: Event) -> None:
    """One record, before the link's writer has begun to work."""
    at, seq = clock.now(), link.state.seq
    record = encode_record(seq + 1, at, link.head, event)
    head = hash_record(record)
    await store.append(
        link.state.link, epoch=link.epoch, expected_seq=seq, records=[record], head=head
    )
    apply(link.state, event)
    link.head, link.at = head, at
