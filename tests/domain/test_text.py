"""Which texts may be stored."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from progressive.domain.text import is_plain, text_problem, tidied

UNSEEN = [
    *("a\x00b", "a\nb", "a\tb", "a\x7fb", "a\x85b"),
    *("\u202eround", "a\u2066b", "a\u200eb", "a\u200bb", "a\ufeffb", "a\u2028b"),
    *("a\u00a0b", "a\u3164b", "a\u034fb", "a\ufe0fb", "a\ud800b", "a\ue000b"),
]


@pytest.mark.parametrize("text", UNSEEN)
def test_what_cannot_be_seen_is_not_stored(text: str) -> None:
    assert text_problem(text) == "it holds a character that cannot be seen"
    assert text_problem(tidied(text)) is not None


@pytest.mark.parametrize(
    ("text", "why"), [(" r1", "a space"), ("r1 ", "a space"), ("e\u0301", "NFC")]
)
def test_other_form_is_tidied_or_refused(text: str, why: str) -> None:
    problem = text_problem(text)
    assert problem is not None
    assert why in problem
    assert text_problem(tidied(text)) is None


@pytest.mark.parametrize(
    "text", ["", "r1", "the light was off", "Zoë", "王芳", "«no»", "½ Ω", "👍"]
)
def test_what_people_write_is_stored(text: str) -> None:
    assert text_problem(text) is None


@given(st.text(max_size=20))
def test_plain_text_has_no_problem_and_tidying_is_done_once(text: str) -> None:
    if is_plain(text):
        assert text_problem(text) is None
    assert tidied(tidied(text)) == tidied(text)
