"""Taking a link for writing: a new epoch, the state its journal left, and the right terms.

Whoever held the link before can append no more. What the journal says is proved by `replay`; here
it is compared with what the store says of its end and with the floor file. A link without a
journal gets its first record; a floor file that differs from the recorded terms needs approval.
"""

import asyncio
import logging

import msgspec
from msgspec import Struct

from progressive.application.clock import Clock
from progressive.application.journal.purged import check_purged
from progressive.application.journal.record import (
    JournalBrokenError,
    encode_record,
    hash_record,
)
from progressive.application.link.absent import stranded_round
from progressive.application.link.checkpoint import checkpoint
from progressive.application.link.guard import Compared, JournalLostError, LinkGuard
from progressive.application.link.loss import AcceptedLoss
from progressive.application.link.owned_link import OwnedLink, gaming_days
from progressive.application.link.ports import Store
from progressive.application.link.replay import ReplayedLink, follow, replay
from progressive.application.link.snapshot import digest_of
from progressive.domain.acts import ApproveTerms
from progressive.domain.decide.clock import stepped_back
from progressive.domain.decide.decide import open_link
from progressive.domain.decide.floor import completed_terms, record_floor
from progressive.domain.decide.terms import approve_terms, reopen_link
from progressive.domain.events import Event
from progressive.domain.guard_events import JournalPlace
from progressive.domain.rejections import Refusal
from progressive.domain.rulebook.differences import differing_terms
from progressive.domain.rulebook.floor_record import FloorRecord, floor_record
from progressive.domain.rulebook.rules import LinkRules, LinkTerms
from progressive.domain.signatures import Signature
from progressive.domain.state.evolve import apply
from progressive.domain.state.invariants import check_deeply
from progressive.domain.state.link_state import LinkState
from progressive.domain.time_text import not_before

log = logging.getLogger(__name__)

_encoder = msgspec.json.Encoder()


class Approval(Struct, frozen=True):
    """Who approves the floor file's terms, and why."""

    by: Signature
    reason: str


class TermsDifferError(JournalBrokenError):
    """The floor file is not the one the journal was opened with; two people may approve it."""


class TermsRefusedError(JournalBrokenError):
    """Somebody's approval of the floor file that does not count."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


async def take_over(
    store: Store,
    rules: LinkRules,
    clock: Clock,
    *,
    floor: FloorRecord | None = None,
    guard: LinkGuard | None = None,
    known: ReplayedLink | None = None,
    approval: Approval | None = None,
    accepted: AcceptedLoss | None = None,
) -> OwnedLink:
    """Open a link for writing; a link without a journal gets its first record.

    `guard` compares the journal with what was committed before, and remembers what is now.
    `known` is what this process has proved before: only what follows it is read again.
    `floor` is what is recorded of the floor file beside the terms. `approval` is somebody's of the
    floor file's terms, where they are not those of the journal. `accepted` is a loss that two
    people accepted. Raises StoreError, JournalBrokenError or InvariantBrokenError: the link is then
    inoperable.
    """
    record = floor_record(rules) if floor is None else floor
    compared = Compared(0, 0)
    if guard is not None:
        # Before anything is written: an empty file would be made a journal, and pass from then on.
        before = known.place if isinstance(known, OwnedLink) else None
        compared = await _compared(guard, store, before, accepted)
    if compared.explained:
        known = None
    opened = await store.open_link(rules.id, above_epoch=compared.above_epoch)
    # First: a replay that meets such a record would only say that it was purged.
    await check_purged(store, rules.id)
    replayed = await (replay(store, rules.id) if known is None else follow(store, known))
    if replayed.state.seq != opened.seq:
        raise JournalBrokenError(
            f"the journal ends at record {replayed.state.seq}, but {opened.seq} were written"
        )
    if replayed.head != opened.head:
        raise JournalBrokenError(f"record {opened.seq}, the last one, has been changed")
    link = OwnedLink(
        state=replayed.state,
        head=replayed.head,
        at=not_before(replayed.at, compared.latest_at),
        checkpoint_seq=replayed.checkpoint_seq,
        settled=replayed.settled,
        epoch=opened.epoch,
        times_hold_from=compared.times_hold_from,
        sealed_size=compared.sealed_size,
    )
    days = gaming_days(rules)
    if link.state.seq == 0:
        await _append(store, link, clock, open_link(rules, record))
    if accepted is not None:
        await _append(store, link, clock, accepted.event(link.state))
    link.begin_day(days)
    check_deeply(link.state)
    if guard is not None:
        await guard.memory.remember(link.mark, instead=compared.explained)
        await guard.memory.drop_acceptance(rules.id)
    if rules.absent or link.state.retired:
        return link
    if (stranded := stranded_round(rules, link.state)) is not None:
        raise JournalBrokenError(stranded)
    if not_before(clock.now(), link.at) >= link.day_ends:
        # Before anything of the new day is appended.
        await checkpoint(store, link, clock, days)
    await _agree_on_terms(store, rules, clock, link, approval)
    recorded = record_floor(link.state, rules.terms, record)
    if recorded is not None:
        await _append(store, link, clock, recorded)
    await _note_clock(store, link, clock)
    if guard is not None:
        await guard.memory.remember(link.mark)
    return link


async def _compared(
    guard: LinkGuard, store: Store, known: JournalPlace | None, accepted: AcceptedLoss | None
) -> Compared:
    """Raise JournalLostError where the journal lacks what was committed and nobody accepts it."""
    try:
        return await guard.compare(store, known)
    except JournalLostError as error:
        if accepted is None or not accepted.covers(error.loss):
            raise
        was = error.loss.remembered
        return Compared(
            0 if was is None else was.epoch,
            error.loss.found_seq + 1,
            explained=True,
            latest_at="" if was is None else was.at,
        )


async def _agree_on_terms(
    store: Store, rules: LinkRules, clock: Clock, link: OwnedLink, approval: Approval | None
) -> None:
    """Raise unless the floor file's terms are the recorded ones, or may replace them now."""
    recorded = link.state.terms
    if recorded is None:
        raise JournalBrokenError("the journal does not begin with link_opened")
    if not (changed := differing_terms(completed_terms(recorded, rules.terms), rules.terms)):
        return
    reopened = reopen_link(link.state, rules.terms)
    if reopened is not None:
        log.warning(
            "floor file edited before the first wager: the link begins again under it",
            extra={"link": rules.id, "changed": changed},
        )
        await _append(store, link, clock, reopened)
        return
    if approval is not None:
        await _approve(store, rules, clock, link, approval)
    if changed := differing_terms(link.state.terms or recorded, rules.terms):
        raise TermsDifferError(_in_words(link.state, rules.terms, changed))


def terms_digest(terms: LinkTerms) -> str:
    """Tells these terms from any others."""
    return digest_of(_encoder.encode(terms))


def _in_words(state: LinkState, configured: LinkTerms, changed: list[str]) -> str:
    waits, proposed = "", state.terms_proposed
    if proposed is not None and proposed.terms_digest == terms_digest(configured):
        waits = f" (approved by {proposed.by.name}; it takes a second person)"
    elif proposed is not None:
        waits = f" (what {proposed.by.name} approved was another one: it takes two people)"
    return f"the floor file is not the one the journal was opened with{waits}: {'; '.join(changed)}"


async def _approve(
    store: Store, rules: LinkRules, clock: Clock, link: OwnedLink, approval: Approval
) -> None:
    """Record that somebody approved the floor file's terms; the second approval changes them."""
    act = ApproveTerms(rules.terms, terms_digest(rules.terms), approval.by, approval.reason)
    # Exact odds take their time, and other links share this loop.
    event = await asyncio.to_thread(approve_terms, link.state, act)
    if isinstance(event, Refusal):
        raise TermsRefusedError(event)
    await _append(store, link, clock, event)


async def _append(store: Store, link: OwnedLink, clock: Clock, event: Event) -> None:
    """One record, before the link's writer has begun to work."""
    at, seq = not_before(clock.now(), link.at), link.state.seq
    record = encode_record(seq + 1, at, link.head, event)
    head = hash_record(record)
    await store.append(
        link.state.link, epoch=link.epoch, expected_seq=seq, records=[record], head=head
    )
    apply(link.state, event)
    link.head, link.at = head, at


async def _note_clock(store: Store, link: OwnedLink, clock: Clock) -> None:
    """Record that the clock is behind the journal: it was set back while nothing ran."""
    event = stepped_back(link.state, clock_at=clock.now(), last_at=link.at)
    if event is not None:
        log.error("the clock is behind the journal", extra={"link": link.state.link})
        await _append(store, link, clock, event)
