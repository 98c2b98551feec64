"""Wide rows on several lines, texts wrapped, and characters that cannot be seen."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from progressive.adapters.reports.figures.decks import Breadth, arranged
from progressive.adapters.reports.figures.figures import milli_text, percent_text
from progressive.adapters.reports.figures.visible import shortened, visible, well_formed
from progressive.adapters.reports.figures.wrap import wrapped

ROOMS = st.integers(20, 300)
WIDTHS = st.lists(st.integers(1, 40), min_size=1, max_size=40)


def fixed(*widths: int) -> list[Breadth]:
    return [Breadth(width, width, width) for width in widths]


def test_what_fits_stands_on_one_line() -> None:
    decks = arranged(fixed(10, 20, 30), 64, 2, keys=1)
    assert decks.lines == ((0, 1, 2),)
    assert decks.slots == (10, 20, 30)


def test_nothing_is_set_under_the_keys() -> None:
    decks = arranged(fixed(10, 20, 30, 20, 30), 64, 2, keys=1)
    assert decks.lines == ((0, 1, 2), (None, 3, 4))
    assert decks.slots == (10, 20, 30)


def test_keys_give_way_where_there_is_no_room_beside_them() -> None:
    decks = arranged(fixed(40, 30, 30), 64, 2, keys=1)
    assert decks.lines == ((0, 1), (2, None)) or decks.lines == ((0,), (1,), (2,))
    assert {place for line in decks.lines for place in line} >= {0, 1, 2}


def test_cells_get_room_before_titles() -> None:
    columns = [Breadth(10, 20, 20), Breadth(10, 10, 40)]
    assert arranged(columns, 32, 2, keys=0).slots == (20, 10)
    assert arranged(columns, 42, 2, keys=0).slots == (20, 20)


@given(WIDTHS, ROOMS, st.integers(0, 2))
def test_every_column_stands_somewhere_once_and_fits(
    widths: list[int], room: int, keys: int
) -> None:
    decks = arranged(fixed(*widths), room, 2, min(keys, len(widths) - 1))
    placed = [place for line in decks.lines for place in line if place is not None]
    assert placed == list(range(len(widths)))
    assert decks.width + 2 * (len(decks.slots) - 1) <= max(room, 1)
    for line in decks.lines:
        for place, slot in zip(line, decks.slots, strict=True):
            assert place is None or slot >= min(widths[place], room)


@given(st.text("ab ", max_size=60), st.integers(1, 20))
def test_wrapping_loses_nothing(text: str, room: int) -> None:
    lines = wrapped(text, room, len)
    assert all(len(line) <= room for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("plain", "plain"),
        ("Zoë", "Zoë"),
        ("a\u202eb", "a[U+202E]b"),
        ("a\u2066b\u2069", "a[U+2066]b[U+2069]"),
        ("a\u200bb", "a[U+200B]b"),
        ("a\ufeffb", "a[U+FEFF]b"),
        ("a\u3164b", "a[U+3164]b"),
        ("a\0b\x1b[31m", "a[U+0000]b[U+001B][31m"),
        ("a\r\nb\nc\u2028d", "a b c d"),
        ("a\tb\u00a0c\u3000d", "a b c d"),
        ("a\ud800b", "a[U+D800]b"),
        ("🎰", "🎰"),
    ],
)
def test_what_cannot_be_seen_is_named(text: str, seen: str) -> None:
    assert visible(text) == seen


@pytest.mark.slow
@given(st.text())
def test_seen_texts_can_be_printed_and_encoded(text: str) -> None:
    assert visible(text).isprintable()
    well_formed(text).encode("utf-8")


def test_a_long_text_says_how_much_is_missing() -> None:
    assert shortened("abcdef", 6) == "abcdef"
    assert shortened("x" * 1_010, 10) == "xxxxxxxxxx… (1,000 more characters)"


@pytest.mark.parametrize(
    ("ppm", "text"),
    [
        (0, "0.0000%"),
        (1, "0.0001%"),
        (-1, "-0.0001%"),
        (200_000, "20.0000%"),
        (10**9, "100,000.0000%"),
    ],
)
def test_percent_has_every_digit(ppm: int, text: str) -> None:
    assert percent_text(ppm) == text


@pytest.mark.parametrize(
    ("thousandths", "text"),
    [(0, "0.000"), (132, "0.132"), (-1, "-0.001"), (-11_495, "-11.495"), (10**9, "1,000,000.000")],
)
def test_thousandths_are_decimals_with_every_digit(thousandths: int, text: str) -> None:
    assert milli_text(thousandths) == text
