"""Awards for tests: hands that win, people who sign, and acts that are accepted or refused."""

from msgspec import structs

from progressive.domain.acts import (
    ApprovePayment,
    ApproveVoid,
    PayAward,
    PersonsAct,
    ProposeVoid,
    ValidateAward,
)
from progressive.domain.award_events import AwardMade, AwardVoided
from progressive.domain.decide.acts import decide_act
from progressive.domain.events import RoundSettled
from progressive.domain.ids import AwardId, TableId
from progressive.domain.money import microcents
from progressive.domain.person_events import ActEvent
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.rulebook.rules import LinkRules, MeterRules
from progressive.domain.signatures import Signature
from progressive.domain.state.award_state import Award
from progressive.domain.state.evolve import apply
from progressive.domain.state.invariants import check_deeply
from progressive.domain.state.ledger import PENDING
from progressive.domain.state.link_state import LinkState
from progressive.domain.time_text import Moment
from tests.support.builders import BJ1, NOW, a_link, a_lock, a_meter, a_settle, accept, wagers
from tests.support.hands import game_bet

# Paytable 3: Mega, Major, Minor, and the fixed lines below them.
MEGA_HAND, MAJOR_HAND, MINOR_HAND = "7d 7d 7d", "7s 7s 7s", "7d 7h 7d"
MIXED_HAND, PAIR, ONE_SEVEN, NOTHING = "7s 7h 7c", "7s 7h", "7c 2c", "9c 9d"
# Paytable 1: three of a suit take the whole meter, three of a color a tenth of it.
WHOLE, TENTH = "7s 7s 7s", "7s 7c 7s"
NO_BLACKJACK = "9s 9h"

DORA = Signature("Dora", "Table games")
"""She deals."""
ANN = Signature("Ann", "Table games")
BEN = Signature("Ben", "Table games")
CARA = Signature("Cara", "Cage")
FRED = Signature("Fred", "Finance")


def one_meter(meter: MeterRules | None = None, **changes: object) -> LinkRules:
    """Paytable 1 with its one meter at $10,000; a fifth of each wager goes to it."""
    paytable = game_bet("nj-blazing-7s", "blazing7").paytable("1")
    assert paytable is not None
    return a_link(paytable="1", lines=paytable.lines, meters=(meter or a_progressive(),), **changes)


def a_progressive(**changes: object) -> MeterRules:
    """The meter of paytable 1: every wager puts 100 cents on it and 5 on its reset meter."""
    return structs.replace(
        a_meter(
            "progressive",
            rate_ppm=200_000,
            reset_rate_ppm=10_000,
            initial_cents=1_000_000,
            reset_cents=200_000,
        ),
        **changes,
    )


def play(
    state: LinkState,
    rules: LinkRules,
    seats: dict[int, str],
    *,
    table: TableId = BJ1,
    dealer: str = NO_BLACKJACK,
) -> RoundSettled:
    """A whole round at a table: a wager at each of these seats, then its cards."""
    seq = state.tables[table].last_seq + 1 if table in state.tables else 1
    accept(state, rules, a_lock(seq, wagers=wagers(*seats)), table=table)
    event = accept(state, rules, a_settle(seq + 1, seats=seats, dealer=dealer), table=table)
    assert isinstance(event, RoundSettled)
    assert_sound(state)
    return event


def act(state: LinkState, rules: LinkRules, asked: PersonsAct, when: Moment = NOW) -> ActEvent:
    """Move the state by an act that must be accepted; returns what happened."""
    event = decide_act(state, rules, asked, when)
    assert not isinstance(event, Refusal), event
    apply(state, event)
    assert_sound(state)
    return event


def refused(state: LinkState, rules: LinkRules, asked: PersonsAct, when: Moment = NOW) -> Rejection:
    """Why an act is refused; it must be, and nothing may move by it."""
    was = state.copy()
    decision = decide_act(state, rules, asked, when)
    assert isinstance(decision, Refusal), decision
    assert state == was
    return decision.code


def void(state: LinkState, rules: LinkRules, award: AwardId) -> AwardVoided:
    """Ann says that an award is none, and Ben agrees."""
    act(state, rules, ProposeVoid(award, ANN, "wrong cards"))
    event = act(state, rules, ApproveVoid(award, BEN))
    assert isinstance(event, AwardVoided)
    return event


def pay(state: LinkState, rules: LinkRules, award: AwardId) -> None:
    """Everything that it takes, up to the payment by Cara."""
    act(state, rules, ValidateAward(award, ANN))
    for number in range(of(state, award).made.approvers):
        act(state, rules, ApprovePayment(award, Signature(f"Approver {number}", "Finance")))
    act(state, rules, PayAward(award, CARA))


def of(state: LinkState, award: AwardId) -> Award:
    """An award as it stands."""
    found = state.award(award)
    assert found is not None, award
    return found


def amounts(event: RoundSettled) -> dict[int, int]:
    """What each seat is awarded, in the order of payment."""
    return {award.seat: award.amount_cents for award in event.awards}


def ids(event: RoundSettled) -> list[AwardId]:
    """The awards in the order of payment."""
    return [award.award for award in event.awards]


def only(event: RoundSettled) -> AwardMade:
    """The one award of a round."""
    [award] = event.awards
    return award


def assert_sound(state: LinkState) -> None:
    """Money is conserved, and what is pending is what the open awards are owed."""
    check_deeply(state)
    owed = [award.made.due_cents for award in state.awards.values() if not award.final]
    assert state.balances[PENDING] == microcents(sum(owed))
