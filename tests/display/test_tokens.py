"""The design tokens: every color can be read on what it stands on, by day and by night."""

import pytest

from tests.support.accessibility import EDGE_CONTRAST, TEXT_CONTRAST, contrast, tokens

GROUNDS = ["canvas", "surface", "raised", "hover"]
TEXTS = [
    *[(text, ground) for text in ("text", "quiet", "accent") for ground in GROUNDS],
    *[(state, ground) for state in ("good", "warn", "bad") for ground in GROUNDS],
    *[(state, f"{state}-soft") for state in ("good", "warn", "bad", "accent")],
    *[("text", f"{state}-soft") for state in ("good", "warn", "bad", "accent")],
    *[("quiet", f"{state}-soft") for state in ("warn", "bad", "accent")],
    ("on-accent", "accent"),
    ("on-bad", "bad"),
    ("card-black", "card-paper"),
    ("card-red", "card-paper"),
]
EDGES = [("line-strong", ground) for ground in GROUNDS]
COLORS = tokens()


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(
    ("pair", "least"),
    [*[(pair, TEXT_CONTRAST) for pair in TEXTS], *[(pair, EDGE_CONTRAST) for pair in EDGES]],
    ids=str,
)
def test_each_pair_of_tokens_can_be_told_apart(
    pair: tuple[str, str], least: float, theme: int
) -> None:
    one, other = (COLORS[name][theme] for name in pair)
    assert contrast(one, other) >= least


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [("#000000", "#ffffff", 21.0), ("#777777", "#ffffff", 4.48), ("#ffffff", "#ffffff", 1.0)],
)
def test_contrast_is_that_of_wcag(one: str, other: str, expected: float) -> None:
    assert round(contrast(one, other), 2) == expected
