"""A change of terms: approved by two departments, or made before the first wager."""

from collections.abc import Mapping, Sequence

from progressive.verifier.findings import DiscrepancyError, differs
from progressive.verifier.record import digest_of_terms
from progressive.verifier.recorded.limits import MICROCENTS_PER_CENT
from progressive.verifier.recorded.person_events import TermsChanged, TermsProposed
from progressive.verifier.recorded.table_events import LinkReopened
from progressive.verifier.recorded.terms import LinkTerms
from progressive.verifier.recorded.values import MeterFlow
from progressive.verifier.rules.accounts import Accounts
from progressive.verifier.rules.differences import flows_differ
from progressive.verifier.rules.people import check_signed, check_two_departments
from progressive.verifier.rules.terms import AuditedBet, AuditedMeter, audited_bets


def check_proposed(event: TermsProposed, before: TermsProposed | None, *, asked: bool) -> None:
    """Raise where the first approval of other terms cannot be one; `asked`: for a reason."""
    check_signed("approval of terms", event.by)
    if asked and not event.reason.strip():
        raise DiscrepancyError("approval of terms: no reason")
    if before is not None and before.terms_digest == event.terms_digest:
        raise DiscrepancyError("the same terms are proposed a second time")


def check_approved(
    event: TermsChanged, proposed: TermsProposed | None, stored: bytes, *, asked: bool
) -> None:
    """Raise unless these very terms were approved by two people of two departments."""
    if proposed is None:
        raise DiscrepancyError("other terms, though nobody proposed any")
    digest = digest_of_terms(stored)
    if digest != proposed.terms_digest:
        raise differs("terms", stored=digest, recomputed=proposed.terms_digest)
    if len(event.by) != 2 or event.by[0] != proposed.by:
        raise DiscrepancyError(f"other terms signed by {len(event.by)}, not as they were proposed")
    first, second = event.by
    check_signed("approval of terms", second)
    if asked and not event.reason.strip():
        raise DiscrepancyError("approval of terms: no reason")
    check_two_departments("approval of terms", first, second)


def bets_after(
    event: TermsChanged,
    bets: Mapping[str, AuditedBet],
    meters: Mapping[str, AuditedMeter],
    now: Sequence[AuditedMeter],
    *,
    in_play: bool,
) -> list[AuditedBet]:
    """The bets of the new terms, with the meters that go on; raises where money would be lost.

    `bets` and `meters` are all there ever were, `now` the meters of the present terms. `in_play`:
    a round or an award is open, which may yet move any of them.
    """
    after = audited_bets(event.terms)
    for bet in after:
        if (was := bets.get(bet.id)) is not None:
            bet.wagered_cents, bet.voided_cents = was.wagered_cents, was.voided_cents
    going_on = {meter.id for meter in now}
    funding: list[MeterFlow] = []
    for meter in [meter for bet in after for meter in bet.meters]:
        if meter.id in going_on:
            meter.follow(meters[meter.id])
            if meter.limit and meter.primary > meter.limit:
                raise DiscrepancyError(f"the limit of {meter.id} is below what is on it")
            continue
        if (gone := meters.get(meter.id)) is not None:
            meter.remember(gone)
        funding.append(MeterFlow(meter.id, meter.primary, 0, 0))
    if event.funding != (expected := tuple(funding)):
        raise flows_differ("funding", event.funding, expected)
    _check_gone(now, {meter.id for bet in after for meter in bet.meters}, in_play=in_play)
    return after


def bets_reopened(
    event: LinkReopened, accounts: Accounts, terms: LinkTerms | None
) -> list[AuditedBet]:
    """The bets of terms that replaced others before the first wager; raises where that was later.

    All money on the meters must be what the house put there at first: it moves with them.
    """
    if any(bet.wagered_cents for bet in accounts.ever_bets.values()):
        raise DiscrepancyError("the link is opened again, though something was wagered before")
    initial = {
        meter.id: meter.initial_cents * MICROCENTS_PER_CENT
        for bet in (terms.bets if terms else ())
        for meter in bet.meters
    }
    for meter in accounts.meters:
        if (meter.primary, meter.reset, meter.overflow) != (initial[meter.id], 0, 0):
            raise DiscrepancyError(f"the link is opened again, though {meter.id} has moved before")
    after = audited_bets(event.terms)
    now = {meter.id: meter.primary for bet in after for meter in bet.meters}
    expected = tuple(
        [
            MeterFlow(meter, now.get(meter, 0) - initial.get(meter, 0), 0, 0)
            for meter in initial | now
            if now.get(meter, 0) != initial.get(meter, 0)
        ]
    )
    if event.funding != expected:
        raise flows_differ("funding", event.funding, expected)
    for meter in accounts.meters:
        meter.primary = 0
    return after


def _check_gone(now: Sequence[AuditedMeter], stay: set[str], *, in_play: bool) -> None:
    for meter in now:
        if meter.id in stay:
            continue
        if meter.primary or meter.reset or meter.overflow:
            raise DiscrepancyError(f"meter {meter.id} goes, and there is money on it")
        if in_play:
            raise DiscrepancyError(f"meter {meter.id} goes while a round or an award is open")
