"""Pay lines in the words of their rule texts, for whoever reads them beside the table."""

from typing import Final

from progressive.domain.rulebook.paytable import Game

_NAMES: Final = {
    # N.J.A.C. 13:69F-2.28(c). "In the first three cards" holds for all three-card lines.
    "three_7_suited": "Three 7s of the Same Suit",
    "three_7_color": "Three 7s of the Same Color",
    "three_7_any": "Any Three 7s",
    "three_7_diamonds": "Three 7s of Diamonds",
    "three_7_suited_other": "Three 7s of the Same Suit Other Than Diamonds",
    "three_7_mixed": "Three Mixed 7s",
    "two_7": "Two 7s in the First Two Cards",
    "one_7": "One 7 in the First Two Cards",
    # The 101 Casino, Jack Magic Bonus Bet; its last row is printed "One Jacks".
    "three_one_eyed_jacks": "Three One-Eyed Jacks",
    "three_jacks": "Three Jacks",
    "two_one_eyed_jacks": "Two One-Eyed Jacks",
    "two_jacks": "Two Jacks",
    "one_one_eyed_jack": "One One-Eyed Jack",
    "one_jack": "One Jack",
    # The 101 Casino, Odds.
    "natural_31": "Natural 31",
    "blackjack_x": "Blackjack X",
    "hard_31": "Hard 31",
    "other": "All Other Winning Hands",
}
_BUST: Final = "bust_"
_OR_MORE: Final = "_or_more"


def line_name(line: str, game: Game | None) -> str:
    """A line in English; one that is not known is shown with its underscores gone."""
    if not line.startswith(_BUST):
        return _NAMES.get(line) or line.replace("_", " ").capitalize()
    # N.J.A.C. 13:69F-2.30(g), ARSD 20:18:15:30.07(8), WSGC: by the number of cards in the bust.
    cards = line.removeprefix(_BUST).removesuffix(_OR_MORE)
    more = " or More" if line.endswith(_OR_MORE) else ""
    # In California one of the players banks the game.
    banker = "Dealer" if game is None or game.player_dealer is None else "Player-Dealer"
    return f"{banker} Busts with {cards}{more} Cards"
