"""What an LED sign can draw: any name at all goes in, and nothing but drawable bytes comes out."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from display.led import charset
from tests.support.virtual_sign import VirtualSign

DRAWABLE = re.compile(rb"([ -}]|\x08[\x20-\x5f])*")


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("Mega", b"Mega"),
        ("Montaña", b"Monta\x08\x44a"),
        ("¡PREMIO ÚNICO!", b"\x08\x4aPREMIO UNICO!"),
        ("ÁÉÍ ñÑ", b"\x08\x5a\x08\x30\x08\x5f \x08\x44\x08\x45"),
        ("áéíóúü", b"\x08\x40\x08\x22\x08\x41\x08\x42\x08\x43\x08\x21"),
        ("£5 – “x”… 50°", b'\x08\x3c5 - "x"... 50\x08\x49'),
        ("e\N{COMBINING ACUTE ACCENT}", b"\x08\x22"),
        ("Łódź", b"?\x08\x42dz"),
        ("a~b", b"a-b"),
        ("½ ﬁne", b"? fine"),
        ("超级", b"??"),
    ],
)
def test_a_text_is_drawn_as_nearly_as_the_sign_can(text: str, drawn: bytes) -> None:
    assert charset.encoded(text) == drawn


@pytest.mark.parametrize("text", ["Montaña", "¡áéíóúüñ Ñ Á É Í¿", "Mega $1,000.00 (50%)"])
def test_spanish_comes_back_whole_from_the_glass(text: str) -> None:
    sign = VirtualSign()
    assert sign._drawn(charset.encoded(text)) == text


@given(st.text())
def test_no_text_carries_a_command_to_the_sign(text: str) -> None:
    assert DRAWABLE.fullmatch(charset.encoded(text))
    assert DRAWABLE.fullmatch(charset.encoded(charset.tidy(text)))


@given(st.text(), st.integers(0, 20))
def test_a_text_is_cut_at_a_character(text: str, bytes_max: int) -> None:
    cut = charset.encoded(text, bytes_max)
    assert len(cut) <= bytes_max
    assert charset.encoded(text).startswith(cut)
    assert DRAWABLE.fullmatch(cut)


@pytest.mark.parametrize(
    ("text", "drawable"),
    [
        ("Mega", True),
        ("Montaña", True),
        ("超级", False),
        ("Mega 超", False),
        ("", False),
        (" ", False),
        ("\N{COMBINING ACUTE ACCENT}", False),
    ],
)
def test_a_name_is_drawable_whole_or_not(text: str, drawable: bool) -> None:
    assert charset.is_drawable(text) is drawable


def test_a_name_loses_its_control_characters_and_stray_spaces() -> None:
    assert charset.tidy(" Me\x04ga\x02\n  Jack\N{ZERO WIDTH SPACE}pot ") == "Me ga Jack pot"
