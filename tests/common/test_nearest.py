"""Mistyped names: what somebody may have meant, or what there is."""

import pytest

from progressive.common.nearest import LISTED_MAX, nearest, no_such


@pytest.mark.parametrize(
    ("name", "known", "found"),
    [
        ("mian", ["main", "high"], ["main"]),
        ("bj-9", ["BJ-09", "HL-01"], ["BJ-09"]),
        ("MAIN", ["main"], ["main"]),
        ("zzz", ["main"], []),
        ("main", [], []),
    ],
)
def test_nearest_names_are_found_whatever_their_case(
    name: str, known: list[str], found: list[str]
) -> None:
    assert nearest(name, known) == found


@pytest.mark.parametrize(
    ("known", "said"),
    [
        (["main", "high"], "no link mian here; nearest: main"),
        (["north", "east"], "no link mian here; it has: east, north"),
        ([], "no link mian here; it has: none"),
    ],
)
def test_message_names_the_nearest_or_all(known: list[str], said: str) -> None:
    assert no_such("link mian here", "mian", known) == said


def test_long_list_is_cut() -> None:
    known = [f"T-{number:03}" for number in range(LISTED_MAX + 1)]
    said = no_such("table zzz", "zzz", known)
    assert said.endswith(f"{known[LISTED_MAX - 1]}, …")


def test_braces_in_a_name_are_only_braces() -> None:
    assert no_such("sign {x} ({y}.toml)", "{x}", []) == "no sign {x} ({y}.toml); it has: none"
