"""The checker catches what it is for: one-line modules that break a rule, and some that do not."""

import pytest

from tests.support.layer_checker import (
    engines_named,
    impurities,
    in_folders,
    outward_arrows,
)


@pytest.mark.parametrize(
    ("module", "source", "caught"),
    [
        ("progressive.domain.x", "import progressive.application.link.ports", True),
        ("progressive.domain.x", "from progressive.wire.codec import encode", True),
        ("progressive.domain.x", "from progressive import adapters", True),
        ("progressive.domain.x", "from ..application import clock", True),
        ("progressive.domain.x", "def f():\n    import progressive.live.hub", True),
        (
            "progressive.domain.x",
            "import importlib\nimportlib.import_module('display.pages')",
            True,
        ),
        ("progressive.domain.x", "from progressive.domain.money import PPM", False),
        ("progressive.domain.x", "from .money import PPM", False),
        ("progressive.domain.rulebook.x", "from progressive.domain.games import claims", True),
        ("progressive.domain.rulebook.x", "from ..games.claims import Claim", True),
        ("progressive.domain.state.x", "from progressive.domain.decide.settle import f", True),
        ("progressive.domain.decide.x", "from progressive.domain.state.evolve import apply", False),
        ("progressive.application.link.x", "from progressive.adapters import sqlite", True),
        ("progressive.application.link.x", "from progressive.wire import codec", True),
        ("progressive.application.link.x", "from progressive.application.people import x", True),
        (
            "progressive.application.link.x",
            "from progressive.domain.decide.decide import decide",
            False,
        ),
        (
            "progressive.application.journal.x",
            "from progressive.application.link import ports",
            True,
        ),
        ("progressive.adapters.sqlite.x", "from progressive.entry import cli", True),
        (
            "progressive.adapters.sqlite.x",
            "from progressive.application.link.ports import Store",
            False,
        ),
        ("progressive.adapters.sqlite.x", "from progressive.domain.decide import decide", True),
        ("progressive.wire.x", "from progressive.application.link.ports import Store", True),
        ("progressive.wire.x", "from progressive.live.hub import Hub", True),
        ("progressive.live.x", "from progressive.domain.ids import LinkId", True),
        ("progressive.live.x", "from progressive.live.frames import text_frame", False),
        ("progressive.simulator.x", "from progressive.application.link import worker", True),
        ("progressive.simulator.x", "from progressive.domain.games.buster import READER", True),
        ("progressive.simulator.x", "from progressive.wire.table_messages import Locked", False),
        ("progressive.montecarlo.x", "from progressive.domain.odds.shoe import Shoe", True),
        ("progressive.entry.table.x", "from progressive.entry.pit.hub import PitHub", True),
        ("display.x", "from progressive.domain.ids import LinkId", True),
        ("display.x", "from progressive.wire.feed_messages import Update", False),
        ("progressive.entry.x", "from progressive.adapters.clock import SystemClock", False),
    ],
)
def test_checker_catches_an_outward_arrow(module: str, source: str, caught: bool) -> None:
    assert bool(outward_arrows(module, source)) is caught


@pytest.mark.parametrize(
    ("source", "caught"),
    [
        ("RATE = 0.2175", True),
        ("x = 1e3", True),
        ("def f(a: float) -> int: ...", True),
        ("x = float(3)", True),
        ("import asyncio", True),
        ("from time import monotonic", True),
        ("import random", True),
        ("from logging import getLogger", True),
        ("from datetime import datetime\nat = datetime.now()", True),
        ("import datetime\nat = datetime.date.today()", True),
        ("share = amount / 2", True),
        ("amount /= 2", True),
        ("share = amount // 2", False),
        ("from datetime import date\nsince = date(2024, 1, 1)", False),
        ("X = 1_000_000", False),
    ],
)
@pytest.mark.parametrize(
    "module",
    [
        "money",
        "decide.settle",
        "decide.void_award",
        "decide.corrections",
        "state.evolve_awards",
        "awards.settlement",
        "awards.player_dealer",
        "games.claims",
        "some.folder.still.to.come",
    ],
)
def test_checker_catches_an_impurity(module: str, source: str, caught: bool) -> None:
    assert bool(impurities(f"progressive.domain.{module}", source)) is caught


@pytest.mark.parametrize(
    ("module", "source", "caught"),
    [
        ("table.socket", "from progressive.adapters.keys.tables import TableKeys", True),
        ("signs.log", "from progressive.adapters.sqlite import sign_log_reader", True),
        ("x", "import progressive.adapters.sqlite.people", True),
        ("table.socket", "from progressive.application.keys.ports import KeyCheck", False),
        ("table.socket", "from progressive.adapters.clock import SystemClock", False),
        ("bootstrap", "from progressive.adapters.keys.tables import TableKeys", False),
        ("commands.key", "from progressive.adapters.keys.tables import TableKeys", False),
    ],
)
def test_checker_catches_an_engine_outside_wiring(module: str, source: str, caught: bool) -> None:
    assert bool(engines_named(f"progressive.entry.{module}", source)) is caught


def test_checker_lets_odds_divide() -> None:
    assert impurities("progressive.domain.odds.shoe", "p = Fraction(1) / 2") == []


@pytest.mark.parametrize(
    ("source", "caught"),
    [
        ("from progressive.domain.decide.decide import decide", True),
        ("from progressive.domain.events import WagersRegistered", True),
        ("import progressive.application.journal.record", True),
        ("from ...adapters.sqlite import read_only", True),
        ("from progressive import __version__", True),
        ("from progressive.verifier.program.main import main", True),
        ("from progressive.verifier.reading.seals import read_seals", False),
        ("from progressive.verifier.rules.books import Books", False),
        ("import sqlite3", False),
    ],
)
def test_checker_catches_a_verifier_that_borrows(source: str, caught: bool) -> None:
    assert bool(outward_arrows("progressive.verifier.reading.x", source)) is caught


def test_checker_fails_where_there_is_nothing_to_look_at() -> None:
    with pytest.raises(AssertionError, match="did they move"):
        in_folders("progressive.application.audited", at_least=1)
