"""The rule books under any cards and amounts: money is conserved, and lists have no order."""

import json
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from progressive.application.settle_tool.request import Settler
from progressive.domain.awards.meter_payouts import MeterAmounts, MeterReset, take, take_all
from progressive.domain.awards.player_dealer import cover
from progressive.domain.awards.settlement import Settled
from progressive.domain.cards import RANKS, SUITS, total
from progressive.domain.games.claims import Claim
from progressive.domain.ids import BetId
from progressive.domain.money import microcents
from progressive.domain.options import AwardRounding, PaymentOrder
from progressive.domain.rounding import floor_cents
from tests.support.hands import games

Json = dict[str, Any]

SETTLER = Settler(games())

amounts = st.integers(0, 10**13)
roundings = st.sampled_from(("nearest", "down", "up"))
orders = st.sampled_from(("counter_clockwise", "clockwise", "equal_share"))
shares = st.lists(st.sampled_from((10, 50, 100)) | st.integers(1, 100), min_size=1, max_size=7)
meters = st.builds(MeterAmounts, primary=amounts, reset=amounts, overflow=amounts)
resets = st.builds(
    MeterReset,
    reset_cents=st.integers(0, 10**7),
    limit_cents=st.just(0) | st.integers(1, 10**7),
    overflow=st.sampled_from(("to_reset_meter", "stay")),
)


def held(meter: MeterAmounts) -> int:
    return meter.primary + meter.reset + meter.overflow


# --- meters -----------------------------------------------------------------------------------


@given(meters, resets, shares, orders, roundings)
def test_takings_conserve_money_to_the_microcent(
    meter: MeterAmounts,
    reset: MeterReset,
    shares_percent: list[int],
    order: PaymentOrder,
    rounding: AwardRounding,
) -> None:
    takings = take_all(meter, reset, shares_percent, order=order, rounding=rounding)
    now = meter
    for taking in takings:
        assert taking.before == now
        paid = microcents(taking.amount_cents)
        assert held(taking.after) == held(now) - paid + microcents(taking.funded_cents)
        now = taking.after
    assert [taking.reset for taking in takings].count(True) == (
        shares_percent.count(100) if order != "equal_share" else int(100 in shares_percent)
    )


@given(meters, resets, shares, orders, roundings)
def test_nobody_is_paid_more_than_is_on_the_meter(
    meter: MeterAmounts,
    reset: MeterReset,
    shares_percent: list[int],
    order: PaymentOrder,
    rounding: AwardRounding,
) -> None:
    for taking in take_all(meter, reset, shares_percent, order=order, rounding=rounding):
        assert 0 <= taking.amount_cents <= floor_cents(taking.before.primary)
        assert min(taking.after.primary, taking.after.reset, taking.after.overflow) >= 0


@given(meters, resets, st.integers(1, 99))
def test_roundings_differ_by_a_cent_at_the_most(
    meter: MeterAmounts, reset: MeterReset, share_percent: int
) -> None:
    down, nearest, up = (
        take(meter, reset, share_percent=share_percent, rounding=rounding).amount_cents
        for rounding in ("down", "nearest", "up")
    )
    assert down <= nearest <= up <= down + 1


@given(meters, resets, shares)
def test_equal_shares_of_equal_winners_are_equal(
    meter: MeterAmounts, reset: MeterReset, shares_percent: list[int]
) -> None:
    takings = take_all(meter, reset, shares_percent, order="equal_share", rounding="nearest")
    by_share: dict[int, set[int]] = {}
    for share, taking in zip(shares_percent, takings, strict=True):
        by_share.setdefault(share, set()).add(taking.amount_cents)
    assert all(len(paid) == 1 for paid in by_share.values())


# --- coverage ---------------------------------------------------------------------------------


@st.composite
def settled_wagers(draw: st.DrawFn) -> Settled:
    stake = draw(st.integers(1, 10_000))
    result = draw(st.sampled_from(("win", "lose", "push")))
    kept = {"win": stake, "push": stake, "lose": draw(st.sampled_from((0, stake // 2)))}[result]
    claim = Claim(seat=1, bet=BetId("base"), stake_cents=stake, result=result)
    pay = draw(st.integers(0, 30_000)) if result == "win" else 0
    return Settled(claim=claim, pay_cents=pay, stake_returned_cents=kept)


@given(st.lists(settled_wagers(), max_size=30), st.integers(0, 50_000))
def test_bank_never_passes_its_wager_either_way(settled: list[Settled], wager_cents: int) -> None:
    net = 0
    for before, after in zip(settled, cover(settled, wager_cents), strict=True):
        assert 0 <= after.pay_cents <= before.pay_cents
        assert 0 <= after.collected_cents <= before.collected_cents
        assert after.stake_returned_cents + after.collected_cents == after.claim.stake_cents
        net += after.collected_cents - after.pay_cents
        assert -wager_cents <= net <= wager_cents
        # Nothing is held back while there is room.
        if after.pay_cents < before.pay_cents:
            assert net == -wager_cents
        if after.collected_cents < before.collected_cents:
            assert net == wager_cents


@given(st.lists(settled_wagers(), max_size=30))
def test_bank_with_enough_changes_nothing(settled: list[Settled]) -> None:
    assert cover(settled, 10**7) == settled


# --- whole rounds -----------------------------------------------------------------------------

BETS = {
    "nj-blazing-7s": ("blazing7",),
    "nj-buster": ("buster",),
    "sd-buster": ("buster",),
    "wa-buster": ("buster",),
    "ca-101-blackjack-x": ("base", "buster", "jack_magic"),
}
METERS = {"1": ("progressive",), "2": ("progressive",), "3": ("mega", "major", "minor")}


def _dealer(random: Random) -> list[str]:
    """A hand played out, a soft 17 hit."""
    hand: list[str] = []
    while len(hand) < 2 or total(hand).points < 17 or total(hand) == total(("As", "6s")):
        hand.append(random.choice(RANKS) + random.choice(SUITS))
    return hand


@st.composite
def rounds(draw: st.DrawFn) -> Json:
    """A round of any game: three seats or fewer, a shoe rich in sevens and jacks."""
    random = draw(st.randoms(use_true_random=False))
    game = draw(st.sampled_from(sorted(BETS)))
    paytable = draw(st.sampled_from(games()[game].paytable_ids))
    ranks = "7777" + RANKS if game == "nj-blazing-7s" else "JJ" + RANKS
    numbers = random.sample(range(1, 8), draw(st.integers(1, 3)))
    taken = [(number, bet) for number in numbers for bet in BETS[game] if random.random() < 0.8]
    if not taken:
        taken = [(numbers[0], BETS[game][0])]
    asked: Json = {
        "game": game,
        "paytable": paytable,
        "decks": 8,
        "wagers": [
            {"seat": number, "bet": bet, "amount_cents": 500, "base_cents": 500}
            for number, bet in taken
        ],
        "dealer": {"cards": _dealer(random)},
        "seats": [
            {
                "seat": number,
                "cards": [random.choice(ranks) + random.choice(SUITS) for _ in range(2)],
            }
            for number in sorted({number for number, _ in taken})
        ],
    }
    if game == "nj-blazing-7s":
        for seat in asked["seats"]:
            seat["cards"].append("7" + random.choice(SUITS))
        asked["meters"] = {
            meter: {"primary_cents": random.randrange(10**7), "reset_cents": 1}
            for meter in METERS[paytable]
        }
        asked["payment_order"] = random.choice(("counter_clockwise", "clockwise", "equal_share"))
    if game == "ca-101-blackjack-x":
        asked["player_dealer_wager_cents"] = random.randrange(5_000)
    return asked


def answer(asked: Json) -> Json:
    told: Json = json.loads(SETTLER.settle_line(json.dumps(asked).encode()))
    return told


@given(rounds())
def test_stake_goes_back_or_is_collected(asked: Json) -> None:
    told = answer(asked)
    # Nine sevens of one suit in eight decks are refused; nothing else here may be.
    if "error" in told:
        assert told["error"]["code"] == "IMPOSSIBLE_CARDS"
        return
    assert len(told["results"]) == len(asked["wagers"])
    for row in told["results"]:
        assert row["stake_returned_cents"] + row["collected_cents"] == 500
        assert min(row["pay_cents"], row["stake_returned_cents"], row["collected_cents"]) >= 0


@given(rounds(), st.randoms(use_true_random=False))
def test_order_of_the_lists_does_not_change_the_result(asked: Json, random: Random) -> None:
    shuffled = asked | {
        name: random.sample(asked[name], len(asked[name])) for name in ("wagers", "seats")
    }
    first, second = answer(asked), answer(shuffled)
    if "error" in first:
        assert second["error"]["code"] == first["error"]["code"]
    else:
        assert second == first


@given(rounds())
def test_what_is_paid_from_meters_is_what_they_lose(asked: Json) -> None:
    told = answer(asked)
    if "error" in told:
        return
    for name, after in told["meters"].items():
        before = asked["meters"][name]
        won = [row for row in told["results"] if row["meter"] == name]
        resets = sum(row["share_percent"] == 100 for row in won)
        if asked["payment_order"] == "equal_share":
            resets = min(resets, 1)
        paid = sum(row["pay_cents"] for row in won)
        assert after["primary_microcents"] == microcents(
            before["primary_cents"] - paid + resets * before["reset_cents"]
        )
