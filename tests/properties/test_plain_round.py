"""The short way through a lock-out comes to the same as the long one, whatever is sent."""

from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from progressive.domain import decide as decide_module
from progressive.domain.commands import RegisterWagers, Wager
from progressive.domain.decide import decide
from progressive.domain.ids import BetId, RoundId
from tests.support.builders import BJ1, a_bet, a_buster, a_link, opened_link

# Mostly the plain round, with anything that may be wrong in it now and then.
WAGER = st.builds(
    Wager,
    seat=st.integers(min_value=0, max_value=8) | st.just(3),
    bet=st.sampled_from([BetId("blazing7")] * 6 + [BetId("buster"), BetId("nothing")]),
    amount_cents=st.sampled_from([500, 500, 500, 500, 100, 0]),
    base_cents=st.sampled_from([2500, 500, 500, 499, 0]),
    tender=st.sampled_from(["chip", "chip", "chip", "coupon"]),
)
LINKS = [
    a_link(),
    a_link(capped_by_base_wager=True),
    a_link(needs_base_wager=False),
    a_link(bets=(a_bet(), a_buster())),
    a_link(meters=()),
]


@given(
    rules=st.sampled_from(LINKS),
    wagers=st.lists(WAGER, max_size=8),
    chips_counted=st.integers(min_value=0, max_value=8),
    right_count=st.booleans(),
)
def test_both_ways_decide_alike(
    rules: object, wagers: list[Wager], chips_counted: int, right_count: bool
) -> None:
    if right_count:
        chips_counted = sum(w.tender == "chip" and w.bet == "blazing7" for w in wagers)
    command = RegisterWagers(
        seq=1, round=RoundId("r1"), wagers=tuple(wagers), chips_counted=chips_counted
    )
    state = opened_link(rules)  # type: ignore[arg-type]
    short = decide(state, rules, BJ1, command)  # type: ignore[arg-type]
    with patch.object(decide_module, "_plain_stake", return_value=None):
        long = decide(state, rules, BJ1, command)  # type: ignore[arg-type]
    assert short == long
