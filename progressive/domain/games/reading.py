"""What a reader of cards is given, and what it answers."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from progressive.domain.cards import is_natural
from progressive.domain.commands import SeatCards
from progressive.domain.options import DealerProcedure, Soft17


class Dealing(Struct, frozen=True, kw_only=True):
    """How the game is dealt, as far as it decides which cards count."""

    procedure: DealerProcedure = "no_peek"
    soft17: Soft17 = "hit"
    option: int | None = None
    """The dealing option, where the bet has several."""
    player_points_max: int | None = None
    """Points above which a player's hand spoils the bet; None: none do."""


class Reader(Struct, frozen=True, kw_only=True):
    """A side bet: which lines a seat's cards make."""

    lines: tuple[str, ...]
    """Every line it can name."""
    made: Callable[[SeatCards, Sequence[str], Dealing], Sequence[str]]
    """(seat, dealer's cards, dealing) to every line made; nothing where the wager is lost."""
    missing: Callable[[SeatCards, Sequence[str], Dealing], str | None]
    """Which card it would take to tell, in words; None where the given ones tell."""
    needs_whole_dealer_hand: bool = False
    """Whether the dealer plays the hand out as long as this bet is in action."""


def no_up_card(_: SeatCards, dealer: Sequence[str], __: Dealing) -> str | None:
    """For bets that need the dealer's first card and no more."""
    return None if dealer else "the dealer's up card is missing"


def has_blackjack(seat: SeatCards) -> bool:
    """Whether the player's original two cards are an ace and a ten-value card.

    21 in three cards is none, and an ace that meets a ten after a split is none: there are more
    than two cards then.
    """
    return is_natural(seat.cards)


def final_hands(seat: SeatCards) -> Sequence[Sequence[str]]:
    """The hands as they were played out: one, or those of a split."""
    return seat.hands or (seat.cards,)
