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
from progressive.application.journal.record import (
    JournalBrokenError,
    encode_record,
    hash_record,
)
from progressive.application.link.absent import retired_reason, stranded_round
from progressive.application.link.ports import Store
from progressive.application.link.replay import ReplayedLink, follow, replay
from progressive.application.link.snapshot import digest_of
from progressive.domain.acts import ApproveTerms
from progressive.domain.decide.decide import open_link
from progressive.domain.decide.floor import completed_terms, record_floor
from progressive.domain.decide.terms import approve_terms, reopen_link
from progressive.domain.events import Event
from progressive.domain.rejections import Refusal
from progressive.domain.rulebook.differences import differing_terms
from progressive.domain.rulebook.floor_record import FloorRecord, floor_record
from progressive.domain.rulebook.rules import LinkRules, LinkTerms
from progressive.domain.signatures import Signature
from progressive.domain.state.evolve import apply
from progressive.domain.state.invariants import check_deeply
from progressive.domain.state.link_state import LinkState

log = logging.getLogger(__name__)

_encoder = msgspec.json.Encoder()


class OwnedLink(ReplayedLink, kw_only=True):
    """A link that this process may append to, as long as its epoch is the newest."""

    epoch: int


class Approval(Struct, frozen=True):
    """Who approves the floor file's terms, and why."""

    by: Signature
    reason: str


class TermsDifferError(JournalBrokenError):
    """The floor file is not the one the journal was opened with; two people may approve it."""


class LinkRetiredError(JournalBrokenError):
    """The link has ended; its journal stays readable."""

    def __init__(self, link: OwnedLink) -> None:
        super().__init__(retired_reason(link.state))
        self.link = link


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
    known: ReplayedLink | None = None,
    approval: Approval | None = None,
) -> OwnedLink:
    """Open a link for writing; a link without a journal gets its first record.

    `known` is what this process has proved before: only what follows it is read again.
    `floor` is what is recorded of the floor file beside the terms. `approval` is somebody's of the
    floor file's terms, where they are not those of the journal. Raises StoreError,
    JournalBrokenError or InvariantBrokenError: the link is then inoperable.
    """
    record = floor_record(rules) if floor is None else floor
    opened = await store.open_link(rules.id)
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
        at=replayed.at,
        checkpoint_seq=replayed.checkpoint_seq,
        settled=replayed.settled,
        epoch=opened.epoch,
    )
    if link.state.seq == 0:
        await _append(store, link, clock, open_link(rules, record))
    check_deeply(link.state)
    if link.state.retired:
        raise LinkRetiredError(link)
    if rules.absent:
        return link
    if (stranded := stranded_round(rules, link.state)) is not None:
        raise JournalBrokenError(stranded)
    await _agree_on_terms(store, rules, clock, link, approval)
    recorded = record_floor(link.state, rules.terms, record)
    if recorded is not None:
        await _append(store, link, clock, recorded)
    return link


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
        raise TermsDifferError(_in_words(link.state, changed))


def terms_digest(terms: LinkTerms) -> str:
    """Tells these terms from any others."""
    return digest_of(_encoder.encode(terms))


def _in_words(state: LinkState, changed: list[str]) -> str:
    waits = ""
    if state.terms_proposed is not None:
        waits = f" (approved by {state.terms_proposed.by.name}; it takes a second person)"
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
    at, seq = clock.now(), link.state.seq
    record = encode_record(seq + 1, at, link.head, event)
    head = hash_record(record)
    await store.append(
        link.state.link, epoch=link.epoch, expected_seq=seq, records=[record], head=head
    )
    apply(link.state, event)
    link.head, link.at = head, at
