"""Other terms for a link: approved by two people, or replaced before anything was ever wagered."""

from progressive.domain.acts import ApproveTerms
from progressive.domain.award_events import MeterFlow
from progressive.domain.decide.longer_odds import odds_under, refused_odds
from progressive.domain.events import LinkReopened
from progressive.domain.money import microcents
from progressive.domain.people.names import same_department, same_person
from progressive.domain.person_events import TermsChanged, TermsProposed
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.rulebook.rules import LinkTerms
from progressive.domain.state.ledger import FUNDING, Account, meter_accounts
from progressive.domain.state.link_state import LinkState


def reopen_link(state: LinkState, terms: LinkTerms) -> LinkReopened | None:
    """The link begins again under other terms; None where that takes two people.

    As long as nothing was ever wagered, all money on the meters is the house's own initial funding:
    it is taken back and put on the meters of the new terms. Whoever edits the floor file of a link
    that has not begun needs nobody's approval; the record says what was changed, and when.
    """
    if state.terms is None or not _untouched(state):
        return None
    before = {meter.id: state.balances["primary", meter.id] for meter in state.terms.meters}
    after = {meter.id: microcents(meter.initial_cents) for meter in terms.meters}
    return LinkReopened(
        terms=terms,
        terms_version=state.terms_version + 1,
        funding=tuple(
            MeterFlow(meter, after.get(meter, 0) - before.get(meter, 0), 0, 0)
            for meter in before | after
            if after.get(meter, 0) != before.get(meter, 0)
        ),
        meters=tuple(after.values()),
    )


def _untouched(state: LinkState) -> bool:
    """Whether no wager was ever registered, and no person ever moved a meter."""
    initial: dict[Account, int] = {
        ("primary", meter.id): microcents(meter.initial_cents)
        for meter in (state.terms.meters if state.terms else ())
    }
    wagered = any(counters.wagers_cents for counters in state.bet_counters.values())
    return (
        not wagered
        and not state.corrections
        and all(
            amount == initial.get(account, 0)
            for account, amount in state.balances.items()
            if account != FUNDING
        )
    )


def approve_terms(state: LinkState, act: ApproveTerms) -> TermsProposed | TermsChanged | Refusal:
    """Other terms for the rounds to come; open rounds are settled by those they were locked under.

    The first approval is kept, the second one of the same terms changes them. A meter with money
    on it does not vanish, and none is put above a new limit.
    """
    if state.terms is None:
        return Refusal(Rejection.TERMS_REFUSED, "the link has no terms to change")
    odds = odds_under(state, act.terms)
    why = _unfit_terms(state, act) or refused_odds(odds, state.terms.house, act.terms.house)
    if why is not None:
        return Refusal(Rejection.TERMS_REFUSED, why)
    proposed = state.terms_proposed
    if proposed is None or proposed.terms_digest != act.terms_digest:
        return TermsProposed(
            terms_digest=act.terms_digest, by=act.by, meters=state.primaries, reason=act.reason
        )
    if same_person(act.by, proposed.by):
        return Refusal(Rejection.SAME_PERSON, f"{act.by.name} approved it: it takes a second one")
    if same_department(act.by, proposed.by):
        return Refusal(
            Rejection.SAME_DEPARTMENT, f"{act.by.name} and {proposed.by.name} are of one department"
        )
    known = {meter.id for meter in state.terms.meters}
    funding = tuple(
        MeterFlow(meter.id, microcents(meter.initial_cents), 0, 0)
        for meter in act.terms.meters
        if meter.id not in known
    )
    funded = {flow.meter: flow.primary for flow in funding}
    return TermsChanged(
        terms=act.terms,
        terms_version=state.terms_version + 1,
        by=(proposed.by, act.by),
        funding=funding,
        meters=tuple(
            funded[meter.id] if meter.id in funded else state.balances["primary", meter.id]
            for meter in act.terms.meters
        ),
        reason=act.reason,
        odds=odds,
    )


def _unfit_terms(state: LinkState, act: ApproveTerms) -> str | None:
    """Why the new terms cannot follow the present ones, or None."""
    kept = {meter.id: meter for meter in act.terms.meters}
    in_play = bool(state.early) or any(table.round is not None for table in state.tables.values())
    for meter in state.terms.meters if state.terms else ():
        stays = kept.get(meter.id)
        if stays is None:
            if any(state.balances[account] for account in meter_accounts(meter.id)):
                return f"there is money on {meter.id}: transfer it before the meter goes"
            if in_play or state.won:
                return f"{meter.id} can go once no round is open and no award is"
            continue
        primary = state.balances["primary", meter.id]
        if stays.limit_cents and primary > microcents(stays.limit_cents):
            return (
                f"the limit of {meter.id}, {stays.limit_cents}, is below the "
                f"{primary // microcents(1)} cents that are on it"
            )
    return None
