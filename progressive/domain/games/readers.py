"""The registry of readers: which module reads the cards of which kind of bet."""

from typing import Final

from progressive.domain.games import blackjack_x, blazing_sevens, buster, jack_magic
from progressive.domain.games.reading import Reader

READERS: Final[dict[str, Reader]] = {
    "blazing_sevens": blazing_sevens.READER,
    "buster": buster.READER,
    "jack_magic": jack_magic.READER,
}
"""Side bets: a seat's cards and the dealer's make a line, or the wager is lost."""

BASE_GAME: Final = "blackjack_x"
"""The one reader that compares hands instead: `blackjack_x` settles hand by hand, with pushes."""

LINES: Final[dict[str, tuple[str, ...]]] = {
    **{name: reader.lines for name, reader in READERS.items()},
    BASE_GAME: blackjack_x.LINES,
}
"""The lines that each reader can name: a paytable can pay no other."""
