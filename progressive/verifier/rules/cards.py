"""The verifier's own reading of cards: which line of the recorded terms a wager made.

Written from the rule texts, as tests that each line's hand must pass. It must never borrow from
the readers in `games/`: a hand misread there has to show here.
"""

from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from typing import Final

from progressive.verifier.findings import DiscrepancyError, shown
from progressive.verifier.recorded.terms import BetRules, LinkTerms, PayLine
from progressive.verifier.recorded.values import UNSET, SeatCards, Wager

TENS: Final = frozenset("TJQK")
_POINTS: Final = {rank: int(rank) for rank in "23456789"} | dict.fromkeys("TJQK", 10) | {"A": 1}
_POINTS_OF_CARD: Final = {rank + suit: _POINTS[rank] for rank in _POINTS for suit in "shdc"}
DECK: Final = frozenset(_POINTS_OF_CARD)
_ACES: Final = frozenset(["As", "Ah", "Ad", "Ac"])
_COLORS: Final = (frozenset("hd"), frozenset("sc"))
_COUNTED_MAX: Final = 8
"""Buster: a bust of eight cards or more is one line."""


def points(hand: Sequence[str]) -> tuple[int, bool]:
    """What a hand counts, and whether an ace in it counts eleven."""
    return _counted(tuple(hand))


@lru_cache(maxsize=10_000)
def _counted(hand: tuple[str, ...]) -> tuple[int, bool]:
    # The dealer's hand is counted for every wager on it.
    low = sum([_POINTS_OF_CARD[card] for card in hand])
    soft = low < 12 and not _ACES.isdisjoint(hand)
    return (low + 10, True) if soft else (low, False)


def is_blackjack(hand: Sequence[str]) -> bool:
    """An ace and a ten-value card, and no other."""
    if len(hand) != 2:
        return False
    ranks = {card[0] for card in hand}
    return "A" in ranks and bool(ranks & TENS)


def line_won(
    bet: BetRules, terms: LinkTerms, seat: SeatCards, dealer: Sequence[str]
) -> PayLine | None:
    """The line that a wager won; None where it lost. NJ 13:69F-2.28(e): the highest only."""
    reader = _READERS.get(bet.reader)
    if reader is None:
        raise DiscrepancyError(f"no rule text reads {shown(bet.reader)}")
    made = reader(bet, terms, seat, dealer)
    if made:
        for line in bet.lines:
            if line.id in made:
                return line
    return None


def bonus_cents(bet: BetRules, wager: Wager, seat: SeatCards, line: PayLine) -> int:
    """NJ 13:69F-2.30(h): on top, for a blackjack on the hand that carries enough of a wager."""
    if wager.amount_cents < bet.free_bonus_min_cents or len(seat.hands) > 1:
        return 0
    if not is_blackjack(seat.cards):
        return 0
    return next((each.cents for each in bet.free_bonus_lines if each.id == line.id), 0)


_NOTHING: Final = ()
"""What a reader gives for cards that make no line."""


# --- Blazing 7's ------------------------------------------------------------------------------

_SEVENS: Final[dict[str, Callable[[str], bool]]] = {
    "one_7": lambda suits: len(suits) >= 1,
    "two_7": lambda suits: len(suits) >= 2,
    "three_7_any": lambda suits: len(suits) == 3,
    "three_7_mixed": lambda suits: len(suits) == 3 and not _one_color(suits),
    "three_7_color": lambda suits: len(suits) == 3 and _one_color(suits),
    "three_7_suited": lambda suits: len(suits) == 3 and len(set(suits)) == 1,
    "three_7_suited_other": lambda suits: suits in ("hhh", "sss", "ccc"),
    "three_7_diamonds": lambda suits: suits == "ddd",
}
"""By the suits of the sevens that count: does the hand make the line?"""


@lru_cache(maxsize=100)
def _made_of_sevens(suits: str) -> frozenset[str]:
    return frozenset([line for line, makes in _SEVENS.items() if makes(suits)])


def _one_color(suits: str) -> bool:
    return any(set(suits) <= color for color in _COLORS)


def _read_sevens(
    bet: BetRules, terms: LinkTerms, seat: SeatCards, dealer: Sequence[str]
) -> Collection[str]:
    first, second = seat.cards[:2]
    if first[0] != "7" and second[0] != "7":
        return _NOTHING
    suits = "".join([card[1] for card in (first, second) if card[0] == "7"])
    if len(suits) == 2:
        # 2.28(c): only beside two 7s of the player's own does a third card count.
        third = _third_card(bet, terms, seat, dealer)
        if third is not None and third[0] == "7":
            suits += third[1]
    return _made_of_sevens(suits)


def _third_card(
    bet: BetRules, terms: LinkTerms, seat: SeatCards, dealer: Sequence[str]
) -> str | None:
    """Option 2: the dealer's up card. Option 1: the player's third, but for a blackjack seen."""
    if bet.dealing_option == 2:
        return _up_card(dealer)
    if len(seat.cards) < 3:
        return None
    third = seat.cards[2]
    if third[0] != "7" or terms.dealer_procedure == "no_peek":
        return third
    # 2.6(j)4, 2.6(k)7: with a dealer's blackjack seen before the draw, two cards count.
    up_card = _up_card(dealer)
    if len(dealer) == 1 and (up_card[0] == "A" or up_card[0] in TENS):
        raise DiscrepancyError("the dealer's hole card is missing: it decides about three 7s")
    return None if is_blackjack(dealer[:2]) else third


def _up_card(dealer: Sequence[str]) -> str:
    if not dealer:
        raise DiscrepancyError("the dealer's up card is missing: an award hangs on it")
    return dealer[0]


# --- Buster -----------------------------------------------------------------------------------


def _read_bust(
    bet: BetRules, _: LinkTerms, seat: SeatCards, dealer: Sequence[str]
) -> Collection[str]:
    """All cards of the dealer's bust are counted; a blackjack is none."""
    if points(dealer)[0] <= 21:
        return _NOTHING
    limit = bet.player_points_max
    if limit is not None:
        # WA: one hand above the limit spoils the bet, keyed card by card or said by the dealer.
        over = any(points(hand)[0] > limit for hand in seat.hands or (seat.cards,))
        if over if seat.points_over is UNSET else seat.points_over:
            return _NOTHING
    return (bust_name(dealer),)


def is_on_the_dealer(bet: BetRules) -> bool:
    """Whether the dealer's one hand decides all wagers on a bet."""
    return bet.reader == "buster"


def bust_name(dealer: Sequence[str]) -> str:
    """The line of a bust hand."""
    count = len(dealer)
    return "bust_8_or_more" if count >= _COUNTED_MAX else f"bust_{count}"


# --- Jack Magic -------------------------------------------------------------------------------

_WORDS: Final = ("", "one", "two", "three")


def _read_jacks(
    _: BetRules, __: LinkTerms, seat: SeatCards, dealer: Sequence[str]
) -> Collection[str]:
    """101: the player's first two cards and the up card; spades and hearts are one-eyed."""
    cards = (*seat.cards[:2], _up_card(dealer))
    jacks = sum([card[0] == "J" for card in cards])
    if not jacks:
        return _NOTHING
    one_eyed = sum([card in ("Js", "Jh") for card in cards])
    made = {"one_jack"}
    made |= {f"{_WORDS[count]}_jacks" for count in range(2, jacks + 1)}
    made |= {f"{_WORDS[count]}_one_eyed_jacks" for count in range(2, one_eyed + 1)}
    if one_eyed:
        made.add("one_one_eyed_jack")
    return made


_READERS: Final = {
    "blazing_sevens": _read_sevens,
    "buster": _read_bust,
    "jack_magic": _read_jacks,
}
"""By the name of a rule text: the lines that cards make, each by itself."""
