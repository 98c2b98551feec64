"""Jack Magic, The 101 Casino: jacks among the player's two cards and the up card."""

from typing import Final

from progressive.domain.commands import SeatCards
from progressive.domain.games import jack_magic
from progressive.domain.games.reading import Dealing
from progressive.domain.odds.engine import Chances, Engine, Hand
from progressive.domain.odds.shoe import Shoe, tally

# One card stands for all that the bet cannot tell apart: Js for both one-eyed jacks.
_PER_DECK: Final = {"Js": 2, "Jd": 2, "2s": 48}


def chances(shoe: Shoe, dealing: Dealing) -> Chances:
    """Three cards of one shoe; hole card and drawn cards never count."""

    def read(cards: tuple[str, ...]) -> Hand:
        seat = SeatCards(seat=1, cards=cards[:2])
        return Hand(tuple(jack_magic.made(seat, cards[2:], dealing)))

    return tally(shoe, _PER_DECK, cards=3, read=read)


def assumptions(_: Dealing) -> tuple[str, ...]:
    """Nothing is left to anybody's choice."""
    return ("one award a hand, for its highest line; a dealer's natural changes nothing",)


ENGINE: Final = Engine(lines=jack_magic.READER.lines, chances=chances, assumptions=assumptions)
