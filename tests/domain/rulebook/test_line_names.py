"""Every pay line has one name in each language, and there is one list of them."""

import ast
import re
from typing import get_args

import pytest

from progressive.adapters.config.games import shipped_games
from progressive.domain.games.readers import LINES
from progressive.domain.options import SignLanguage
from progressive.domain.rulebook.line_names import line_name, line_name_on, line_names
from tests.support.builders import a_buster, a_link
from tests.support.service import ROOT

EVERY_LINE = sorted({line for lines in LINES.values() for line in lines})
LANGUAGES = get_args(SignLanguage)
THE_LIST = ROOT / "progressive" / "domain" / "rulebook" / "line_names.py"
PAGES = [
    path
    for folder in ("display", "progressive/entry/web")
    for kind in ("*.js", "*.html", "*.css")
    for path in (ROOT / folder).rglob(kind)
]
MODULES = [path for top in ("progressive", "display") for path in (ROOT / top).rglob("*.py")]
SPOKEN = {"other"}
"""Ids that are words of their own: pages may use the word."""


@pytest.mark.parametrize("player_dealer", [False, True])
def test_every_line_has_a_name_of_its_own_in_every_language(player_dealer: bool) -> None:
    assert len(EVERY_LINE) >= 24
    named = [line_names(line, player_dealer=player_dealer) for line in EVERY_LINE]
    assert all(set(names) == set(LANGUAGES) for names in named)
    for language in LANGUAGES:
        texts = [names[language] for names in named]
        assert len(set(texts)) == len(EVERY_LINE)
        assert not [text for text in texts if not text.strip() or re.search("[_{}]", text)]


def test_nothing_else_is_named() -> None:
    """A line that no reader makes would be a name that nobody ever sees checked."""
    tree = ast.parse(THE_LIST.read_text("utf-8"))
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    unread = {
        text
        for text in texts
        if isinstance(text, str) and line_names(text) and text not in EVERY_LINE
    }
    assert unread == set()


def test_every_line_that_a_game_file_pays_is_named() -> None:
    paid = {
        line.id
        for game in shipped_games().values()
        for bet in game.bets
        for paytable in bet.paytables
        for line in paytable.lines
    }
    assert len(paid) >= 20
    assert not [line for line in paid if not line_names(line)]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        # N.J.A.C. 13:69F-2.28(c): "Three Mixed 7s" of paytables 2 and 3, "Any Three 7s" of 1.
        ("three_7_mixed", "Three mixed 7s"),
        ("three_7_any", "Any three 7s"),
        ("three_7_suited_other", "Three 7s of the same suit other than diamonds"),
        ("bust_8_or_more", "Dealer busts with 8 or more cards"),
        ("one_jack", "One jack"),
        ("line_of_a_later_game", "Line of a later game"),
    ],
)
def test_name_has_the_words_of_the_rule_text(line: str, name: str) -> None:
    assert line_name(line) == name


def test_who_banks_the_game_busts() -> None:
    link = a_link(bets=(a_buster(),))
    (buster,) = link.terms.bets
    assert line_name_on(link, buster.id, "bust_3") == "Dealer busts with 3 cards"
    banked = a_link(bets=(a_buster(),), player_dealer_bets=frozenset({buster.id}))
    assert line_name_on(banked, buster.id, "bust_3") == "Player-dealer busts with 3 cards"


def test_pages_hold_no_list_of_lines() -> None:
    assert len(PAGES) >= 70
    ids = re.compile(rf"\b({'|'.join(set(EVERY_LINE) - SPOKEN)})\b|\bbust_\b")
    found = {
        str(path.relative_to(ROOT)): match.group()
        for path in PAGES
        if (match := ids.search(path.read_text("utf-8")))
    }
    assert found == {}


def is_text(node: ast.AST | None) -> bool:
    """Whether it is a literal text, or a call or a tuple of such texts."""
    match node:
        case ast.Constant(value=str()) | ast.JoinedStr():
            return True
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Call(args=parts):
            return bool(parts) and all(map(is_text, parts))
        case _:
            return False


def names_of_lines(source: str) -> list[str]:
    """Line ids that a module maps to literal texts."""
    return [
        key.value
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Dict)
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant) and key.value in EVERY_LINE and is_text(value)
    ]


@pytest.mark.slow
def test_no_other_module_names_lines() -> None:
    assert len(MODULES) >= 300
    found = {
        str(path.relative_to(ROOT)): names
        for path in MODULES
        if (names := names_of_lines(path.read_text("utf-8")))
    }
    assert set(found) == {str(THE_LIST.relative_to(ROOT))}


@pytest.mark.parametrize(
    ("source", "caught"),
    [
        ('NAMES = {"two_7": "Two 7s"}', True),
        ('NAMES = {"two_7": ("Two 7s", "Dos 7")}', True),
        ('def f():\n    return {"x": 1, "bust_3": f"Bust with {n}"}', True),
        ('CHECKS = {"two_7": lambda suits: len(suits) >= 2}', False),
        ('PAYS = {"two_7": 25}', False),
        ('NAMES = {"two_8": "Two 8s"}', False),
    ],
)
def test_a_second_list_would_be_seen(source: str, caught: bool) -> None:
    assert bool(names_of_lines(source)) is caught
