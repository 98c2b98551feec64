"""Blazing 7's, N.J.A.C. 13:69F-2.28: sevens among the first cards."""

from typing import Final

from progressive.domain.commands import SeatCards
from progressive.domain.games import blazing_sevens
from progressive.domain.games.reading import Dealing
from progressive.domain.odds.engine import Chances, Engine, Hand
from progressive.domain.odds.shoe import Shoe, tally

# One card stands for all that the bet cannot tell apart; a dealer's blackjack takes two more.
_SEVENS: Final = {"7s": 1, "7h": 1, "7d": 1, "7c": 1}
_WITHOUT_DEALER: Final = _SEVENS | {"2s": 48}
_WITH_DEALER: Final = _SEVENS | {"As": 4, "Ks": 16, "2s": 28}

_CLAUSE_OF_LIMIT: Final = {
    "card_reader": "N.J.A.C. 13:69F-2.6(j)4",
    "hole_face_up": "N.J.A.C. 13:69F-2.6(k)7",
}


def chances(shoe: Shoe, dealing: Dealing) -> Chances:
    """Option 1: the player's first three cards; option 2: the first two and the up card."""

    def read(cards: tuple[str, ...]) -> Hand:
        player = 2 if dealing.option == 2 else 3
        seat = SeatCards(seat=1, cards=cards[:player])
        return Hand(tuple(blazing_sevens.made(seat, cards[player:], dealing)))

    if _dealer_blackjack_matters(dealing):
        return tally(shoe, _WITH_DEALER, cards=5, read=read)
    return tally(shoe, _WITHOUT_DEALER, cards=3, read=read)


def assumptions(dealing: Dealing) -> tuple[str, ...]:
    """The third card is the player's to take, and a dealer's blackjack may take it away."""
    if dealing.option == 2:
        return ("a 7 up counts only toward three 7s (N.J.A.C. 13:69F-2.28(c))",)
    taken = "a player with a pair of 7s takes a third card wherever there is one"
    if _dealer_blackjack_matters(dealing):
        clause = _CLAUSE_OF_LIMIT[dealing.procedure]
        return (taken, f"against a dealer's blackjack two cards count ({clause})")
    return (taken, "against a dealer's blackjack three cards count as well")


def _dealer_blackjack_matters(dealing: Dealing) -> bool:
    """Not with option 2: where the up card is a 7 the dealer has none."""
    return dealing.option != 2 and dealing.procedure in _CLAUSE_OF_LIMIT


ENGINE: Final = Engine(
    lines=blazing_sevens.READER.lines,
    chances=chances,
    heeds=frozenset({"option", "procedure"}),
    assumptions=assumptions,
)
