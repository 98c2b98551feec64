"""One module per game: cards to pay line. The registry is the only place that knows them all.

A game module answers what its rule text asks of the cards and nothing about money: which line a
hand makes. Until a game's lines are paid here, its module only tells whether a hand makes any.
"""

from collections.abc import Callable, Sequence
from typing import Final

from progressive.domain.games import blazing_sevens

MakesALine = Callable[[Sequence[str]], bool]

READERS: Final[dict[str, MakesALine]] = {
    "nj-blazing-7s": blazing_sevens.makes_a_line,
}
