"""The rule-book page has a row for each clause, and what a row names is there."""

import ast
import re
from functools import cache
from typing import NamedTuple

import pytest

from tests.support.service import ROOT

PAGE = (ROOT / "docs" / "rule-books.md").read_text(encoding="utf-8")
SECTION = PAGE[PAGE.index("## Clause by clause") :]
MODULE = re.compile(r"`([a-z_/0-9]+\.(?:py|js))`")
CONFIG = re.compile(r"`(config/[a-z0-9/-]+\.toml)`")
TEST = re.compile(r"`([a-z_/0-9]+\.py)::(test_[a-z0-9_]+)`")

CLAUSES = {
    "New Jersey: Blazing 7's": (
        *(f"13:69E-1.10(t){number}" for number in range(1, 6)),
        *("13:69F-2.2(a)4", "13:69F-2.3(m)", "13:69F-2.6(j)4", "13:69F-2.6(k)7", "13:69F-2.9(g)"),
        *("13:69F-2.11(g)", *(f"13:69F-2.28({letter})" for letter in "abcdefhi")),
        *(f"13:69F-2.28(g){number}" for number in range(1, 4)),
    ),
    "New Jersey: Buster Blackjack": (
        *(f"13:69E-1.10(x)({number})" for number in range(1, 5)),
        *(f"13:69F-2.30({letter})" for letter in "abceghi"),
        *("13:69F-2.30(d)1", "13:69F-2.30(d)2"),
        *(f"13:69F-2.30(f){number}" for number in range(1, 4)),
    ),
    "South Dakota: Buster Blackjack": (
        *(f"({number})" for number in (1, 2, 3, 4, 5, 7, 8)),
        *("(6)(a)", "(6)(b)", "(9)(a)", "(9)(b)"),
    ),
    "Washington: Buster Blackjack": ("summary (a)", "summary (b)", "summary (c)1", "28 or more"),
    "The 101 Casino: Blackjack X": (
        "Type of Game",
        "Odds",
        "Buster Bet",
        "Jack Magic",
        "Collection",
    ),
}
"""What each text is made of: no clause of it is without a row."""


class Row(NamedTuple):
    text: str
    clause: str
    asks: str
    lives: str
    tested: str


def rows() -> list[Row]:
    found: list[Row] = []
    for part in re.split(r"^### ", SECTION, flags=re.MULTILINE)[1:]:
        title = part.splitlines()[0]
        for line in part.splitlines():
            if line.startswith("| ") and not line.startswith("| clause "):
                cells = [cell.strip() for cell in line.strip("|").split("|")]
                assert len(cells) == 4, line
                found.append(Row(title, *cells))
    return found


ROWS = rows()


@cache
def functions(path: str) -> frozenset[str]:
    tree = ast.parse((ROOT / "tests" / path).read_text(encoding="utf-8"))
    return frozenset(
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )


def test_every_text_has_its_rows() -> None:
    assert {row.text for row in ROWS} == set(CLAUSES)
    assert len(ROWS) >= 90
    for text, clauses in CLAUSES.items():
        told = [row.clause for row in ROWS if row.text == text]
        missing = [each for each in clauses if not any(each in clause for clause in told)]
        assert missing == [], text


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.text[:14]} {row.clause}")
def test_what_a_row_names_is_there(row: Row) -> None:
    modules, tests = MODULE.findall(row.lives), TEST.findall(row.tested)
    assert row.asks
    # A clause that no program can keep says so; any other one has a module and a test.
    assert (modules and tests) or row.lives.startswith("outside")
    for module in modules:
        assert (ROOT / "progressive" / module).is_file(), module
    for file in CONFIG.findall(row.lives):
        assert (ROOT / file).is_file(), file
    for path, name in tests:
        assert name in functions(path), f"{path}::{name}"
