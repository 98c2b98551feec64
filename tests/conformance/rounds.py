"""Rounds dealt from real shoes, for all five games, from a seeded `random.Random`.

A shoe may be rich: in sevens, jacks, aces or small cards, so that rare lines and several winners of
one meter come up in hundreds of rounds rather than millions. No card is ever invented.
"""

from random import Random

from tests.conformance.model_cards import (
    DECK,
    Hand,
    Request,
    best_total,
    dealer_is_done,
    hard_total,
    is_blackjack,
    points,
)

GAMES = ("nj-blazing-7s", "nj-buster", "sd-buster", "wa-buster", "ca-101-blackjack-x")
MOST_SEATS = {1: 3, 2: 5}
# Nobody draws or splits when no more than this is left; each then still gets what he must have.
FEWEST_LEFT = 8


def a_round(rng: Random, game: str | None = None) -> Request:
    """A round as a table would send it. Now and then the cards given do not settle it."""
    game = game or rng.choice(GAMES)
    if game == "nj-blazing-7s":
        return _blazing_round(rng)
    if game == "ca-101-blackjack-x":
        return _round_101(rng)
    return _buster_round(rng, game)


def _shoe(rng: Random, decks: int, rich: set[str]) -> list[str]:
    """Shuffled; the next card is the last one. Rich cards lie nearer to it, as far as they go."""
    strength = rng.choice((0.005, 0.02, 0.1, 0.4))
    return sorted(
        DECK * decks, key=lambda card: -rng.random() * (strength if card in rich else 1.0)
    )


def _cards(ranks: str, suits: str = "shdc") -> set[str]:
    return {rank + suit for rank in ranks for suit in suits}


def _seat_numbers(rng: Random, decks: int) -> list[int]:
    last = 15 if rng.random() < 0.1 else 7
    return rng.sample(range(1, last + 1), rng.randint(1, MOST_SEATS.get(decks, 7)))


# --- play -------------------------------------------------------------------------------------


def _play(rng: Random, shoe: list[str], first_two: Hand, *, may_draw: bool = True) -> Request:
    """One seat by a random strategy: where it stands, whether it splits, up to four hands."""
    cards = list(first_two)
    if not may_draw:
        return {"cards": cards}
    stand_at = rng.choice((0, 12, 15, 17, 18, 19, 20, 21, 22))
    split_chance = rng.choice((0.0, 0.5, 1.0))
    finished: list[list[str]] = []
    waiting = [cards.copy()]
    while waiting:
        hand = waiting.pop(0)
        is_split = bool(finished or waiting or len(hand) == 1)
        if len(hand) == 1:
            _draw(shoe, hand, cards)
        if (
            points(hand[0]) == points(hand[1])
            and len(finished) + len(waiting) < 3
            and not (is_split and hand[0][0] == "A")
            and len(shoe) > FEWEST_LEFT
            and rng.random() < split_chance
        ):
            waiting[:0] = [[hand[0]], [hand[1]]]
            continue
        split_ace = is_split and hand[0][0] == "A"
        while (
            best_total(hand) < stand_at
            and hard_total(hand) <= 21
            and not split_ace
            and not (is_blackjack(hand) and not is_split)
            and len(shoe) > FEWEST_LEFT
        ):
            _draw(shoe, hand, cards)
        finished.append(hand)
    if len(finished) > 1 or rng.random() < 0.05:
        return {"cards": cards, "hands": finished}
    return {"cards": cards}


def _draw(shoe: list[str], hand: list[str], cards: list[str]) -> None:
    hand.append(shoe.pop())
    cards.append(hand[-1])


def _dealer_hand(
    rng: Random, shoe: list[str], soft17: str, *, long_chance: float = 0.4
) -> list[str]:
    """The hand as it will be played out, taken before the players': the chance is the same."""
    if rng.random() < long_chance:
        ranks = rng.choice(("23", "A23", "234", "2"))
        small = [card for card in shoe if card[0] in ranks]
        tens = [card for card in shoe if card[0] in "TJQK"]
        ahead = rng.sample(small, min(rng.randint(3, 9), len(small))) + rng.sample(tens, 2)
        for card in reversed(ahead):
            shoe.remove(card)
            shoe.append(card)
    hand: list[str] = []
    while not dealer_is_done(hand, soft17):
        hand.append(shoe.pop())
    return hand


def _first_two(shoe: list[str], numbers: list[int]) -> dict[int, Hand]:
    return {number: [shoe.pop(), shoe.pop()] for number in sorted(numbers)}


# --- the games --------------------------------------------------------------------------------


def _blazing_round(rng: Random) -> Request:
    decks = rng.choice((6, 8))
    sevens = _cards("7", rng.choice(("shdc", "d", "s", "hd", "sc")))
    rich = sevens | (_cards("AK") if rng.random() < 0.2 else set())
    shoe = _shoe(rng, decks, rich)
    procedure = rng.choice(("card_reader", "hole_face_up", "no_peek"))
    soft17 = rng.choice(("hit", "stand"))
    numbers = _seat_numbers(rng, decks)
    dealer = _dealer_hand(rng, shoe, soft17, long_chance=0.0)
    first_two = _first_two(shoe, numbers)
    # Now and then a card is dealt that a dealer's blackjack should have stopped.
    stopped = is_blackjack(dealer) and procedure != "no_peek" and rng.random() < 0.7
    seats = [
        {"seat": number, **_play(rng, shoe, first_two[number], may_draw=not stopped)}
        for number in numbers
    ]
    shown = [dealer[:1], dealer[:2], dealer, []]
    amount_cents = rng.choice((100, 500))
    paytable = rng.choice("123")
    request = {
        "game": "nj-blazing-7s",
        "paytable": paytable,
        "decks": decks,
        "dealing_option": rng.choice((1, 2)),
        "dealer_procedure": procedure,
        "soft17": soft17,
        "wagers": [_wager(rng, number, "blazing7", amount_cents) for number in numbers],
        "dealer": {"cards": rng.choices(shown, (4, 4, 3, 1))[0]},
        "seats": seats,
    }
    return request | _meters(
        rng, ["mega", "major", "minor"] if paytable == "3" else ["progressive"]
    )


def _meters(rng: Random, names: list[str]) -> Request:
    amounts_cents = (0, 1, 7, 99, 12_345, 250_000, 1_000_005, rng.randrange(100_000_000))
    settings: Request = {
        "meters": {
            name: {
                "primary_cents": rng.choice(amounts_cents),
                "reset_meter_cents": rng.choice(amounts_cents),
                "reset_cents": rng.choice((0, 200_000, 250_000)),
            }
            for name in names
        }
    }
    if rng.random() < 0.6:
        rates_ppm = (0, 1, 100_000, 123_457, 333_333)
        settings["rates_ppm"] = {
            name: {"primary": rng.choice(rates_ppm), "reset": rng.choice(rates_ppm[:3])}
            for name in names
        }
    if rng.random() < 0.7:
        orders = ("counter_clockwise", "clockwise", "equal_share")
        settings["payment_order"] = rng.choice(orders)
    if rng.random() < 0.5:
        settings["award_rounding"] = rng.choice(("nearest", "down", "up"))
    return settings


def _wager(rng: Random, seat: int, bet: str, amount_cents: int) -> Request:
    base_cents = amount_cents + rng.choice((0, 0, 1, 1_000, 50_000))
    return {"seat": seat, "bet": bet, "amount_cents": amount_cents, "base_cents": base_cents}


def _rich_ranks(rng: Random) -> set[str]:
    """Small cards for long hands, tens for busts, 8s and 9s for 28 points, 5s and 6s for 31."""
    return _cards(rng.choice(("A23", "23456", "TJQK", "ATJ", "AK", "89T", "56T", "")))


def _buster_round(rng: Random, game: str) -> Request:
    decks = rng.randint(1, 8)
    shoe = _shoe(rng, decks, _rich_ranks(rng))
    # NJ 13:69E-1.10(x)(1): the dealer draws to soft 17; the others leave it to the house.
    soft17 = "hit" if game == "nj-buster" else rng.choice(("hit", "stand"))
    numbers = _seat_numbers(rng, decks)
    dealer = _dealer_hand(rng, shoe, soft17)
    first_two = _first_two(shoe, numbers)
    seats = [{"seat": number, **_play(rng, shoe, first_two[number])} for number in numbers]
    amounts_cents = (100, 125, 199, 200, 499, 500, 501, 2_500, 10_000)
    wagers = [_wager(rng, number, "buster", rng.choice(amounts_cents)) for number in numbers]
    request = {
        "game": game,
        "paytable": "WA" if game == "wa-buster" else rng.choice("ABCDEF"),
        "decks": decks,
        "soft17": soft17,
        "wagers": wagers,
        "dealer": {"cards": dealer},
        "seats": seats,
    }
    if rng.random() < 0.8:
        request["free_bonus"] = rng.choice(
            ("B1", "B2", "B3") if game == "wa-buster" else ("B1", "B3")
        )
        if game == "wa-buster" and rng.random() < 0.5:
            request["free_bonus_min_cents"] = rng.choice((200, 500))
    elif game == "sd-buster":
        # U-6: without the bonus nothing binds the side bet to the size of the bet on the hand.
        wagers[0]["base_cents"] = 1
    if rng.random() < 0.5:
        request["payment_order"] = rng.choice(("counter_clockwise", "clockwise"))
    return request


def _round_101(rng: Random) -> Request:
    decks = rng.randint(1, 8)
    rich = rng.choice((_cards("J"), _cards("J", "sh"), _cards("AK", "sh"), _rich_ranks(rng)))
    shoe = _shoe(rng, decks, rich)
    numbers = _seat_numbers(rng, decks)
    dealer = _dealer_hand(rng, shoe, "hit")
    first_two = _first_two(shoe, numbers)
    natural = is_blackjack(dealer)
    wagers: list[Request] = []
    seats = []
    for number in numbers:
        base_cents = rng.choice((500, 501, 1_000, 2_525, 10_000, 30_000))
        seat = {"seat": number, **_play(rng, shoe, first_two[number], may_draw=not natural)}
        bets = rng.choice((["base"], ["base", "buster"], ["base", "jack_magic"], ["jack_magic"],
                           ["buster"], ["base", "buster", "jack_magic"]))  # fmt: skip
        wagers += [_wager_101(rng, number, bet, base_cents) for bet in bets]
        if "base" in bets and rng.random() < 0.3:
            # The bet on the hand is itself among the wagers: nobody has to say it again.
            for wager in wagers[-len(bets) :]:
                del wager["base_cents"]
        if "base" in bets:
            seat |= _decisions_101(rng, seat, dealer, base_cents)
        seats.append(seat)
    rng.shuffle(wagers)
    request = {
        "game": "ca-101-blackjack-x",
        "paytable": "101",
        "decks": decks,
        "wagers": wagers,
        "dealer": {"cards": _shown_101(rng, dealer, wagers)},
        "seats": seats,
    }
    if rng.random() < 0.7:
        request["collection_schedule"] = rng.randint(1, 9)
    if rng.random() < 0.7:
        request["player_dealer_wager_cents"] = rng.choice((0, 1, 700, 2_500, 20_001, 1_000_000))
    return request


def _wager_101(rng: Random, seat: int, bet: str, base_cents: int) -> Request:
    amount_cents = base_cents if bet == "base" else rng.choice((500, base_cents))
    return {"seat": seat, "bet": bet, "amount_cents": amount_cents, "base_cents": base_cents}


def _decisions_101(rng: Random, seat: Request, dealer: Hand, base_cents: int) -> Request:
    """Doubles on hands of three cards, surrenders on hands of two, insurance on an ace."""
    hands = seat.get("hands") or [seat["cards"]]
    decisions: Request = {}
    if rng.random() < 0.3:
        decisions["double_cents"] = [
            rng.choice((0, 250, base_cents)) if len(hand) == 3 else 0 for hand in hands
        ]
    if rng.random() < 0.3:
        decisions["surrendered"] = [
            len(hand) == 2 and hand[0][0] != "A" and hand[1][0] != "A" and rng.random() < 0.5
            for hand in hands
        ]
    if dealer[0][0] == "A" and rng.random() < 0.6:
        decisions["insurance_cents"] = rng.choice((base_cents // 100 + 1, base_cents // 2))
    return decisions


def _shown_101(rng: Random, dealer: list[str], wagers: list[Request]) -> list[str]:
    """The whole hand, as a rule; where no Buster bet asks for it, now and then the first cards."""
    bets = {wager["bet"] for wager in wagers}
    if "buster" in bets or rng.random() < 0.6:
        return dealer
    return dealer[: 2 if "base" in bets else 1]
