"""A paytable with longer odds under a meter that has grown: only as the jurisdiction allows."""

from fractions import Fraction

import pytest

from progressive.adapters.config.games import shipped_games
from progressive.domain.acts import ApproveTerms
from progressive.domain.decide.terms import approve_terms
from progressive.domain.person_events import TermsChanged
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.rulebook.house_terms import LongerOdds, MeterChanges
from progressive.domain.rulebook.rules import LinkRules
from progressive.domain.signatures import Signature
from progressive.domain.state.link_state import LinkState
from progressive.verifier.findings import DiscrepancyError
from tests.support.awards import FRED, act, refused
from tests.support.builders import a_bet, a_link, a_lock, a_meter, a_settle, after, opened_link
from tests.support.forgeries import put
from tests.support.terms_journals import TermsJournal

pytestmark = pytest.mark.slow

GWEN = Signature("Gwen", "Compliance")
SEVENS = shipped_games()["nj-blazing-7s"].bets[0]
METER = a_meter("progressive", initial_cents=10_000_000, reset_cents=2_500_000)


def link(paytable: str, law: LongerOdds = "refused", **changes: object) -> LinkRules:
    table = SEVENS.paytable(paytable)
    assert table is not None
    option = changes.pop("dealing_option", 1)
    bet = a_bet(paytable=paytable, lines=table.lines, meters=(METER,), dealing_option=option)
    law_text = MeterChanges(longer_odds=law, clause="N.J.A.C. 13:69D-1.39")
    return a_link(bets=(bet,), meter_changes=law_text, **changes)


def approval(rules: LinkRules, by: Signature = FRED) -> ApproveTerms:
    return ApproveTerms(rules.terms, "new", by, "a new paytable")


def grown(rules: LinkRules) -> LinkState:
    return after(rules, a_lock(1), a_settle(2))


def decided(state: LinkState, rules: LinkRules) -> TermsChanged | None:
    """The change, where two people can approve it."""
    if refused_with(state, rules) is not None:
        return None
    act(state, rules, approval(rules))
    event = act(state, rules, approval(rules, GWEN))
    assert isinstance(event, TermsChanged)
    return event


def refused_with(state: LinkState, rules: LinkRules) -> str | None:
    decision = approve_terms(state, approval(rules))
    return decision.message if isinstance(decision, Refusal) else None


def test_whole_meter_does_not_become_four_times_rarer() -> None:
    """Paytable 1 to 2 with $100,000 on the meter: 1 in 65,855 would be 1 in 263,420."""
    state = grown(link("1"))
    assert refused(state, link("1"), approval(link("2"))) is Rejection.TERMS_REFUSED
    assert refused_with(state, link("2")) == (
        "100 percent of progressive is 1 in 65,855 now and would be 1 in 263,420, and the meter is "
        "above what the house put on it (N.J.A.C. 13:69D-1.39)"
    )


@pytest.mark.parametrize(
    ("before", "now", "allowed"),
    [
        (link("1"), link("2"), False),
        (link("2"), link("1"), True),
        (link("1"), link("1", decks=8), True),
        (link("1", decks=8), link("1"), False),
        (link("1"), link("1", dealer_procedure="no_peek"), True),
        (link("1", dealer_procedure="no_peek"), link("1"), False),
        (link("1", "approved"), link("2", "approved"), True),
        # Neither the old law nor the new one may refuse: a file does not bring its permission.
        (link("1"), link("2", "approved"), False),
        (link("1", "approved"), link("2"), False),
        # What has no bearing on the odds.
        (link("1"), link("1", time_zone="Asia/Tokyo"), True),
    ],
)
def test_only_shorter_odds_or_a_law_that_allows_them(
    before: LinkRules, now: LinkRules, allowed: bool
) -> None:
    assert (decided(grown(before), now) is not None) is allowed


def test_meter_at_its_initial_amount_is_the_house_s_own() -> None:
    state = opened_link(link("1"))
    event = decided(state, link("2"))
    assert event is not None
    assert event.odds == ()


WON = (a_lock(1), a_settle(2, seats={1: "7d 7d 7d"}, dealer="Ts 9s"), a_lock(3), a_settle(4))
"""The whole meter, then a wager that puts it above its reset amount and not near its initial."""


def test_meter_that_was_won_has_grown_once_it_is_above_its_reset() -> None:
    state = after(link("1"), *WON)
    assert state.balances["primary", METER.id] < METER.initial_cents * 10**6
    assert "100 percent of progressive is 1 in 65,855" in (refused_with(state, link("2")) or "")


def test_change_under_a_meter_that_was_won_is_proved_and_a_forged_one_is_not() -> None:
    made = TermsJournal(link("1", "approved"))
    made.play(*WON)
    made.act(approval(link("2", "approved")), approval(link("2", "approved"), GWEN))
    made.prove()
    made.forge_last(put("odds", value=[]))
    with pytest.raises(DiscrepancyError, match="are not recorded"):
        made.prove()


def test_change_that_is_allowed_records_the_odds() -> None:
    event = decided(grown(link("1", "approved")), link("2", "approved"))
    assert event is not None
    whole = next(each for each in event.odds if each.share_percent == 100)
    assert Fraction(whole.after) < Fraction(whole.before)


# --- forged ------------------------------------------------------------------------------------


def journal(before: LinkRules, now: LinkRules) -> TermsJournal:
    made = TermsJournal(before)
    made.play(a_lock(1), a_settle(2))
    made.act(approval(now), approval(now, GWEN))
    return made


def test_true_change_is_proved() -> None:
    journal(link("2"), link("1")).prove()


@pytest.mark.parametrize(
    ("odds", "said"),
    [
        ([], "are not recorded"),
        ([["progressive", 100, "1/2", "1/3"], ["progressive", 10, "1/2", "1/2"]], "gets rarer"),
        (
            [["progressive", 100, "1/2", "x"], ["progressive", 10, "1/2", "1/2"]],
            "not a valid chance",
        ),
        ([["progressive", 100, "1/2", "3/2"], ["progressive", 10, "1", "1"]], "not a valid chance"),
        ([["progressive", 100, "1/2", "1/2"]], "are not recorded"),
    ],
)
def test_forged_odds_are_found(odds: list[object], said: str) -> None:
    forged = journal(link("2"), link("1"))
    forged.forge_last(put("odds", value=odds))
    with pytest.raises(DiscrepancyError, match=said):
        forged.prove()


def test_permission_that_nobody_recorded_is_found() -> None:
    """The longer odds were allowed by law; with the law of the first record they are refused."""
    forged = journal(link("1", "approved"), link("2", "approved"))
    forged.prove()
    forged.forge(1, put("terms", "house", "meter_changes", "longer_odds", value="refused"))
    with pytest.raises(DiscrepancyError, match="which the jurisdiction refuses"):
        forged.prove()
