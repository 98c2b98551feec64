"""Whatever a floor file says, the answer is rules or a ConfigError with printable lines."""

import copy
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from progressive.adapters.config.floor import (
    ConfigError,
    LoadedFloor,
    load_floor,
    rules_of,
    shipped_config,
)
from progressive.adapters.config.problems import Report

GOOD_FILE = shipped_config() / "floor.toml"
GOOD_TEXT = GOOD_FILE.read_text(encoding="utf-8")
GOOD_DATA = tomllib.loads(GOOD_TEXT)

SCALARS = (
    st.integers()
    | st.integers(-1, 1_000_001)
    | st.floats()
    | st.booleans()
    | st.text(max_size=80)
    | st.sampled_from(["main", "mega", "BJ-01", "nj-blazing-7s", "us-nj", "1", "2", "clockwise"])
    | st.dates()
    | st.times()
    | st.datetimes()
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4)
    ),
    max_leaves=6,
)


def places(data: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Every place in a document where something could be put instead."""
    if isinstance(data, dict):
        inner = [place for key, value in data.items() for place in places(value, (*path, key))]
    elif isinstance(data, list):
        inner = [
            place for number, value in enumerate(data) for place in places(value, (*path, number))
        ]
    else:
        inner = []
    return [path, *inner] if path else inner


PLACES = places(GOOD_DATA)
MOVES = st.tuples(
    st.sampled_from(PLACES), st.sampled_from(["replace", "delete", "add", "twice"]), VALUES
)


def edit(data: dict[str, Any], place: tuple[str | int, ...], move: str, value: object) -> None:
    """Do one thing at one place; a place that an earlier edit took away is left alone."""
    holder: Any = data
    try:
        for step in place[:-1]:
            holder = holder[step]
        if move == "replace":
            holder[place[-1]] = value
        elif move == "delete":
            del holder[place[-1]]
        elif move == "add":
            holder[place[-1]]["id" if value is True else str(value)] = value
        else:
            holder.append(copy.deepcopy(holder[place[-1]]))
    except (KeyError, IndexError, TypeError, AttributeError):
        return


def assert_told(error: ConfigError) -> None:
    assert error.problems
    for problem in error.problems:
        # One line a problem, and nothing in it that a terminal would act upon.
        assert problem.line().isprintable()
        assert len(problem.line()) < 1000


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(st.lists(MOVES, min_size=1, max_size=6))
def test_edited_floor_is_rules_or_a_config_error(
    moves: list[tuple[tuple[str | int, ...], str, object]],
) -> None:
    data = copy.deepcopy(GOOD_DATA)
    for place, move, value in moves:
        edit(data, place, move, value)
    try:
        loaded = rules_of(data, GOOD_FILE, Report())
    except ConfigError as error:
        assert_told(error)
    else:
        assert isinstance(loaded, LoadedFloor)
        for link in loaded.rules.links:
            for bet in link.terms.bets:
                if bet.reader != "blazing_sevens":
                    continue
                # What passes obeys 13:69F-2.28(i), whatever way it was edited into shape.
                taken = sum(meter.rate_ppm + meter.reset_rate_ppm for meter in bet.meters)
                assert 200_000 <= taken <= 1_000_000


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, len(GOOD_TEXT)), st.integers(0, 40), st.text(max_size=20)),
        min_size=1,
        max_size=4,
    )
)
def test_mangled_text_is_rules_or_a_config_error(
    tmp_path_factory: pytest.TempPathFactory, cuts: list[tuple[int, int, str]]
) -> None:
    text = GOOD_TEXT
    for start, length, inserted in cuts:
        text = text[:start] + inserted + text[start + length :]
    file: Path = tmp_path_factory.getbasetemp() / "mangled.toml"
    file.write_bytes(text.encode(errors="surrogatepass"))
    try:
        load_floor(file)
    except ConfigError as error:
        assert_told(error)
