"""Other terms: two people approve them, open rounds keep those they were locked under."""

import pytest
from msgspec import structs

from progressive.domain.acts import ApproveCorrection, ApproveTerms, ProposeCorrection
from progressive.domain.decide.decide import decide
from progressive.domain.decide.terms import approve_terms
from progressive.domain.events import RoundSettled, RoundVoided, WagersRegistered
from progressive.domain.money import microcents
from progressive.domain.person_events import CorrectionLeg, CorrectionProposed, TermsChanged
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.rulebook.rules import BetRules, LinkRules
from progressive.domain.signatures import Signature
from progressive.domain.state.ledger import FUNDING
from progressive.domain.state.link_state import LinkState
from tests.support.awards import (
    FRED,
    MAJOR_HAND,
    MEGA_HAND,
    PAIR,
    act,
    assert_sound,
    ids,
    of,
    only,
    pay,
    play,
    refused,
    void,
)
from tests.support.builders import (
    BJ1,
    BJ2,
    MAJOR,
    MEGA,
    MINOR,
    NOW,
    a_bet,
    a_link,
    a_lock,
    a_meter,
    a_settle,
    a_void,
    a_wager,
    accept,
    after,
    opened_link,
)

RULES = a_link()
GWEN = Signature("Gwen", "Administration")


def other(bet: BetRules | None = None, **changes: object) -> LinkRules:
    """The link by another floor file."""
    return a_link(bets=(bet or a_bet(),), **changes)


DEARER = other(a_bet(wager_cents=1_000))
TURNED = other(a_bet(meters=(MINOR, MEGA, MAJOR)))
WIDER = other(a_bet(meters=(MEGA, MAJOR, MINOR, a_meter("mini", initial_cents=777))))
NARROWER = other(a_bet(meters=(MEGA, MAJOR)))


def approval(rules: LinkRules, by: Signature = FRED, digest: str = "new") -> ApproveTerms:
    return ApproveTerms(rules.terms, digest, by, "a new contract")


def changed(state: LinkState, rules: LinkRules) -> TermsChanged:
    act(state, RULES, approval(rules, FRED))
    event = act(state, RULES, approval(rules, GWEN))
    assert isinstance(event, TermsChanged)
    return event


def refusal_of(state: LinkState, rules: LinkRules) -> str:
    assert refused(state, RULES, approval(rules)) is Rejection.TERMS_REFUSED
    decision = approve_terms(state, approval(rules))
    assert isinstance(decision, Refusal)
    return decision.message


# --- by two people -----------------------------------------------------------------------------


def test_first_approval_changes_nothing_but_is_kept() -> None:
    state = opened_link(RULES)
    act(state, RULES, approval(DEARER))
    assert (state.terms, state.terms_version) == (RULES.terms, 1)
    assert state.terms_proposed is not None
    assert state.terms_proposed.by == FRED


def test_second_approval_changes_the_terms() -> None:
    state = opened_link(RULES)
    event = changed(state, DEARER)
    assert event.by == (FRED, GWEN)
    assert (state.terms, state.terms_version) == (DEARER.terms, 2)
    assert state.terms_proposed is None
    assert_sound(state)


@pytest.mark.parametrize(
    ("by", "code"),
    [
        (FRED, Rejection.SAME_PERSON),
        (Signature("FRED", "Administration"), Rejection.SAME_PERSON),
        (Signature("Hugo", "finance"), Rejection.SAME_DEPARTMENT),
    ],
)
def test_one_person_or_one_department_changes_nothing(by: Signature, code: Rejection) -> None:
    state = opened_link(RULES)
    act(state, RULES, approval(DEARER))
    assert refused(state, RULES, approval(DEARER, by)) is code


def test_approval_of_one_floor_file_is_none_of_another() -> None:
    state = opened_link(RULES)
    act(state, RULES, approval(DEARER, FRED, "one"))
    act(state, RULES, approval(WIDER, GWEN, "other"))
    assert state.terms == RULES.terms
    assert state.terms_proposed is not None
    assert (state.terms_proposed.terms_digest, state.terms_proposed.by) == ("other", GWEN)


def test_link_that_was_never_opened_has_no_terms_to_change() -> None:
    assert refused(LinkState(link=RULES.id), RULES, approval(DEARER)) is Rejection.TERMS_REFUSED


# --- open rounds -------------------------------------------------------------------------------


def test_rate_version_is_on_every_contribution() -> None:
    state = opened_link(RULES)
    before = accept(state, RULES, a_lock(1))
    changed(state, DEARER)
    since = accept(state, DEARER, a_lock(1, wagers=[a_wager(amount_cents=1_000)]), table=BJ2)
    assert isinstance(before, WagersRegistered)
    assert isinstance(since, WagersRegistered)
    assert (before.terms_version, since.terms_version) == (1, 2)


@pytest.mark.slow
def test_open_round_is_settled_by_the_terms_it_was_locked_under() -> None:
    halved = other(a_bet(lines=a_bet().lines[:4]))  # no line for fewer than three sevens
    state = after(RULES, a_lock(1))
    changed(state, halved)
    event = accept(state, halved, a_settle(2, seats={1: PAIR}, dealer="5s"))
    assert isinstance(event, RoundSettled)
    assert only(event).line == "two_7"
    accept(state, halved, a_lock(3))
    decision = decide(state, halved, BJ1, a_settle(4, seats={1: PAIR}, dealer="5s"), NOW)
    assert isinstance(decision, RoundSettled)
    assert decision.awards == ()


def test_open_round_resets_the_meter_by_its_own_terms() -> None:
    richer = other(a_bet(meters=(structs.replace(MEGA, reset_cents=9_900_000), MAJOR, MINOR)))
    state = after(RULES, a_lock(1))
    changed(state, richer)
    event = accept(state, richer, a_settle(2, seats={1: MEGA_HAND}, dealer="5s"))
    assert isinstance(event, RoundSettled)
    assert only(event).funded_cents == MEGA.reset_cents
    assert only(play(state, richer, {1: MEGA_HAND})).funded_cents == 9_900_000


def test_misdeal_gives_back_what_was_put_on_under_the_old_terms() -> None:
    faster = other(a_bet(meters=(structs.replace(MEGA, rate_ppm=500_000), MAJOR, MINOR)))
    state = after(RULES, a_lock(1))
    changed(state, faster)
    assert isinstance(accept(state, faster, a_void(2)), RoundVoided)
    assert state.primaries == opened_link(RULES).primaries


def test_former_terms_are_kept_as_long_as_a_round_needs_them() -> None:
    state = after(RULES, a_lock(1))
    accept(state, RULES, a_lock(1), table=BJ2)
    changed(state, DEARER)
    assert list(state.former_terms) == [1]
    accept(state, DEARER, a_settle(2))
    assert list(state.former_terms) == [1]
    accept(state, DEARER, a_void(2), table=BJ2)
    assert not state.former_terms


def test_terms_that_no_round_was_locked_under_are_not_kept() -> None:
    state = opened_link(RULES)
    changed(state, DEARER)
    assert not state.former_terms


def test_void_settles_an_old_round_by_the_terms_it_was_won_under() -> None:
    state, honest = opened_link(RULES), opened_link(RULES)
    richer = other(
        a_bet(
            meters=(structs.replace(MEGA, reset_cents=9_900_000), MAJOR, MINOR),
            payment_order="clockwise",
        )
    )
    first, second = ids(play(state, RULES, {1: MEGA_HAND, 2: MEGA_HAND}))
    changed(state, richer)
    void(state, richer, first)
    play(honest, RULES, {1: MEGA_HAND, 2: "9c 9d"})
    assert of(state, second).made.funded_cents == MEGA.reset_cents
    assert state.balances == honest.balances


# --- meters ------------------------------------------------------------------------------------


def test_new_meter_begins_with_the_houses_money() -> None:
    state = opened_link(RULES)
    was = state.balances[FUNDING]
    event = changed(state, WIDER)
    assert [(flow.meter, flow.primary) for flow in event.funding] == [("mini", microcents(777))]
    assert state.balances[FUNDING] == was - microcents(777)
    assert state.primaries[-1] == microcents(777)
    assert state.meter_counters[WIDER.terms.meters[-1].id].hits == 0


def test_meters_may_change_places() -> None:
    state = after(RULES, a_lock(1))
    mega, major, minor = state.primaries
    changed(state, TURNED)
    assert state.primaries == (minor, mega, major)
    # The round that was open before names the meters in the order of now.
    event = accept(state, TURNED, a_settle(2, seats={1: MAJOR_HAND}, dealer="5s"))
    assert event.meters == (minor, mega, microcents(MAJOR.reset_cents) + 2_500_000)
    assert_sound(state)


def test_meter_with_money_on_it_does_not_go() -> None:
    assert "there is money on minor" in refusal_of(opened_link(RULES), NARROWER)


@pytest.mark.parametrize("part", ["primary", "reset", "overflow"])
def test_a_single_microcent_keeps_a_meter(part: str) -> None:
    state = emptied()
    correct(state, CorrectionLeg(MINOR.id, part, 1))  # type: ignore[arg-type]
    assert "there is money on minor" in refusal_of(state, NARROWER)


def correct(state: LinkState, *legs: CorrectionLeg) -> None:
    event = act(state, RULES, ProposeCorrection(FRED, "the meter goes", legs))
    assert isinstance(event, CorrectionProposed)
    act(state, RULES, ApproveCorrection(event.correction, GWEN))


def emptied(state: LinkState | None = None) -> LinkState:
    """A link whose Minor was transferred to the Mega."""
    state = state or opened_link(RULES)
    legs: list[CorrectionLeg] = []
    for part in ("primary", "reset"):
        amount = state.balances[part, MINOR.id]  # type: ignore[index]
        if amount:
            legs += [
                CorrectionLeg(MINOR.id, part, -amount),  # type: ignore[arg-type]
                CorrectionLeg(MEGA.id, part, amount),  # type: ignore[arg-type]
            ]
    correct(state, *legs)
    return state


def test_empty_meter_goes() -> None:
    state = emptied()
    changed(state, NARROWER)
    assert len(state.primaries) == 2
    assert_sound(state)
    play(state, NARROWER, {1: MEGA_HAND})


def test_meter_that_went_may_come_back() -> None:
    state = emptied()
    changed(state, NARROWER)
    changed(state, RULES)
    assert state.primaries[-1] == microcents(MINOR.initial_cents)
    assert_sound(state)


def test_empty_meter_stays_while_a_round_is_open() -> None:
    state = emptied(after(RULES, a_lock(1)))
    assert "once no round is open" in refusal_of(state, NARROWER)
    # A misdeal may still take from it, and find nothing there: the house bears it.
    accept(state, RULES, a_void(2))
    changed(state, NARROWER)


def test_empty_meter_stays_while_an_award_is_open() -> None:
    state = opened_link(RULES)
    award = ids(play(state, RULES, {1: MAJOR_HAND}))[0]
    emptied(state)
    assert "no award is" in refusal_of(state, NARROWER)
    pay(state, RULES, award)
    changed(state, NARROWER)


@pytest.mark.parametrize(
    ("limit_cents", "fits"), [(0, True), (9_999_999, False), (10_000_000, True), (10**9, True)]
)
def test_limit_below_the_present_amount_is_refused(limit_cents: int, fits: bool) -> None:
    limited = other(a_bet(meters=(structs.replace(MEGA, limit_cents=limit_cents), MAJOR, MINOR)))
    state = opened_link(RULES)
    if fits:
        changed(state, limited)
    else:
        assert f"{limit_cents}, is below the 10000000 cents" in refusal_of(state, limited)


def test_fitness_is_looked_at_again_with_the_second_approval() -> None:
    limited = other(a_bet(meters=(structs.replace(MEGA, limit_cents=10_000_000), MAJOR, MINOR)))
    state = opened_link(RULES)
    act(state, RULES, approval(limited))
    accept(state, RULES, a_lock(1))
    assert refused(state, RULES, approval(limited, GWEN)) is Rejection.TERMS_REFUSED
