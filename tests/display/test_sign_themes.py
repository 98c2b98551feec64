"""The themes of the signs: amounts that can be read across a room, names and notes from nearby."""

import re
from typing import get_args

import pytest

from display.pages import SIGN_FOLDER
from progressive.domain.options import SignTheme
from tests.support.accessibility import TEXT_CONTRAST, contrast

AMOUNT_CONTRAST = 7.0
THEMES = get_args(SignTheme)

# The lightest ground (the darkest, for ink) that an amount of the theme may stand on: its panel,
# and a strip of LEDs.
GROUNDS = {
    "midnight": ["#14265c", "#000000"],
    "deco": ["#0b1a14", "#000000"],
    "neon": ["#0d0520", "#000000"],
    "ivory": ["#fbf6ea", "#ffffff"],
}


def tokens(theme: str) -> dict[str, str]:
    text = (SIGN_FOLDER / f"theme-{theme}.css").read_text("utf-8")
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", text))


def metal(theme: str) -> list[str]:
    text = (SIGN_FOLDER / f"theme-{theme}.css").read_text("utf-8")
    return re.findall(r"stop-color: (#[0-9a-f]{6});", text)


@pytest.mark.parametrize("theme", THEMES)
def test_amounts_stand_out_from_all_they_stand_on(theme: str) -> None:
    tones = [tokens(theme)[f"tone-{rank}"] for rank in range(4)]
    for ground in GROUNDS[theme]:
        for ink in tones:
            assert contrast(ink, ground) >= AMOUNT_CONTRAST, (ink, ground)
    for ink in metal(theme):
        assert contrast(ink, GROUNDS[theme][0]) >= AMOUNT_CONTRAST, ink


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("text", ["text", "quiet", "accent"])
def test_words_can_be_read(theme: str, text: str) -> None:
    for ground in (tokens(theme)["night"], GROUNDS[theme][0]):
        assert contrast(tokens(theme)[text], ground) >= TEXT_CONTRAST


@pytest.mark.parametrize(
    ("text", "bar"),
    [
        ("#1c1200", "#ffb52e"),
        ("#ffffff", "#b3121d"),
        ("#10151c", "#cfd6df"),
        ("#ffffff", "#3a414b"),
    ],
    ids=["stale", "inoperable", "offline", "offline by day"],
)
def test_what_a_sign_says_of_itself_is_the_best_to_read(text: str, bar: str) -> None:
    assert contrast(text, bar) >= 6.5


@pytest.mark.parametrize("theme", THEMES)
def test_meters_are_told_apart_by_color_too(theme: str) -> None:
    tones = [tokens(theme)[f"tone-{rank}"] for rank in range(3)]
    assert len(set(tones)) == 3
