"""`[[sign]]` of the floor file: what each sign shows, and how it looks."""

from collections.abc import Mapping, Sequence
from typing import Final, get_args

from progressive.adapters.config.fields import Section
from progressive.adapters.config.problems import shown
from progressive.domain.options import SignLanguage, SignLayout, SignTheme

SIGN_KEYS: Final = ("id", "link", "name", "layout", "theme", "language", "meters", "bet")


def check_sign(sign: Section, bets: Mapping[str, Mapping[str, Sequence[str]]]) -> None:
    """One sign; `bets` has, for each link, its bets and the meters of each."""
    sign.identifier("id")
    link = sign.text("link")
    if sign.has("name"):
        sign.text("name")
    sign.choice("layout", get_args(SignLayout), default="meters")
    sign.choice("theme", get_args(SignTheme), default="midnight")
    sign.choice("language", get_args(SignLanguage), default="en")
    if link is None:
        return
    if link not in bets:
        known = ", ".join(bets) or "none"
        sign.problem("link", f"{shown(link)} is not a link of this floor: {known}")
        return
    if sign.has("meters"):
        meters = [meter for of_bet in bets[link].values() for meter in of_bet]
        sign.words("meters", choices=meters)
    if sign.has("bet"):
        sign.choice("bet", list(bets[link]))
