"""Import direction: an inner layer never names an outer one. Read with `ast`, nothing is run.

`domain` ← `application` ← `adapters` ← `entry`; `wire` sees `domain` only; `live` sees `wire`;
the simulator is a stranger who knows the protocol; `montecarlo` sees `domain`, but not the odds it
checks; `display` sees `wire` and `live`.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

# What a layer may import of our own code, besides itself.
MAY_SEE: dict[str, set[str]] = {
    "progressive.domain": set(),
    "progressive.application": {"progressive.domain"},
    "progressive.wire": {"progressive.domain"},
    "progressive.live": {"progressive.wire"},
    "progressive.adapters": {"progressive.application", "progressive.domain"},
    "progressive.simulator": {"progressive.wire", "progressive.domain"},
    "progressive.montecarlo": {"progressive.domain"},
    "simulator": {"progressive.wire", "progressive.domain"},
    "display": {"progressive.wire", "progressive.live"},
    "progressive.entry": {
        "progressive.domain",
        "progressive.application",
        "progressive.wire",
        "progressive.live",
        "progressive.adapters",
        "progressive.simulator",
        "progressive.montecarlo",
        "simulator",
        "display",
    },
}

# The domain is pure: what it must not even name.
IMPURE_MODULES = {
    "asyncio", "time", "random", "logging", "secrets", "os", "io", "pathlib", "socket", "sqlite3",
    "threading", "subprocess", "aiohttp", "redis", "uuid", "locale",
}  # fmt: skip
CLOCK_CALLS = {"now", "utcnow", "today", "fromtimestamp"}
# Where money is moved, `/` would make a float of it. Odds may divide: they are fractions.
MONEY_MODULES = {
    "money", "decide", "plain_round", "evolve", "ledger", "awards", "state", "events", "invariants",
    "commands",
}  # fmt: skip

# Use cases know asyncio, never a driver.
DRIVERS = {"aiohttp", "sqlite3", "redis", "prometheus_client", "click", "rich", "socket", "uvloop"}

# The audit shares no code with the writer beyond the record format: a bug in one is caught by the
# other.
THE_WRITERS_OWN = {
    "progressive.domain.decide",
    "progressive.domain.decide_acts",
    "progressive.domain.decide_corrections",
    "progressive.domain.decide_settle",
    "progressive.domain.decide_void",
    "progressive.domain.plain_round",
    "progressive.domain.evolve",
    "progressive.domain.evolve_awards",
    "progressive.domain.ledger",
    "progressive.domain.invariants",
    "progressive.domain.state",
    "progressive.domain.award_state",
    "progressive.domain.settlement",
    "progressive.domain.dealt",
    "progressive.domain.lammers",
    "progressive.application.batch",
    "progressive.application.recovery",
    "progressive.application.link_standing",
    "progressive.application.link_worker",
    "progressive.application.snapshot",
}
# The recorded terms carry their own reading along, for the writer. The audit takes the fields and
# reads cards, takes from meters and tells people apart by itself.
CARRIED_BY_THE_TERMS = {
    "progressive.domain.awards",
    "progressive.domain.base_game",
    "progressive.domain.cards",
    "progressive.domain.claims",
    "progressive.domain.games",
    "progressive.domain.policy",
    "progressive.domain.people.same_department",
    "progressive.domain.people.same_person",
    "progressive.domain.people.name_key",
    "progressive.domain.money.floor_cents",
    "progressive.domain.money.rounded",
}
WORKED_OUT_BY_THE_RECORD = {"due_cents", "offered", "resets", "terms_of"}
"""Properties of recorded values that compute what the audit has to compute."""


def modules() -> list[tuple[str, Path]]:
    """Every module of ours by its dotted name."""
    found = []
    for top in ("progressive", "display", "simulator"):
        for path in sorted((ROOT / top).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found.append((".".join(parts[:-1] if parts[-1] == "__init__" else parts), path))
    return found


def layer_of(module: str) -> str | None:
    """The layer a module belongs to; None for strangers and for the package's own front door."""
    inside = [name for name in MAY_SEE if module == name or module.startswith(name + ".")]
    return max(inside, key=len, default=None)


def imports(tree: ast.AST, module: str) -> Iterator[str]:
    """Every name that a module imports, in any form, wherever in the file."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parent = ".".join(module.split(".")[: -node.level])
                base = f"{parent}.{base}".rstrip(".")
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)
        elif (
            isinstance(node, ast.Call)
            and ast.unparse(node.func) in ("__import__", "import_module", "importlib.import_module")
            and node.args
            and isinstance(node.args[0], ast.Constant)
        ):
            yield str(node.args[0].value)


def outward_arrows(module: str, source: str) -> list[str]:
    """What a module imports and its layer must not see."""
    layer = layer_of(module)
    if layer is None:
        return []
    allowed = MAY_SEE[layer] | {layer}
    wrong = set()
    for name in imports(ast.parse(source), module):
        seen = layer_of(name)
        if seen is not None and seen not in allowed:
            wrong.add(name)
    return sorted(wrong)


def impurities(module: str, source: str) -> list[str]:
    """What makes a domain module depend on more than its inputs, or inexact."""
    tree = ast.parse(source)
    found = {name for name in imports(tree, module) if name.split(".")[0] in IMPURE_MODULES}
    moves_money = module.split(".")[-1] in MONEY_MODULES
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=float() | complex()):
                found.add(f"line {node.lineno}: {node.value}")
            case ast.Name(id="float" | "open" | "print" | "input" as name):
                found.add(f"line {node.lineno}: {name}")
            case ast.Attribute(attr=attribute) if attribute in CLOCK_CALLS:
                found.add(f"line {node.lineno}: .{attribute}")
            case ast.BinOp(op=ast.Div()) | ast.AugAssign(op=ast.Div()) if moves_money:
                found.add(f"line {node.lineno}: /")
            case _:
                pass
    return sorted(found)


def shared_with_the_writer(module: str, source: str) -> list[str]:
    """What an audit module imports or asks of the code it is to judge."""
    tree = ast.parse(source)
    judged = THE_WRITERS_OWN | CARRIED_BY_THE_TERMS
    found = {
        name
        for name in imports(tree, module)
        if name in judged or name.startswith("progressive.domain.games.")
    }
    found |= {
        f"line {node.lineno}: .{node.attr}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr in WORKED_OUT_BY_THE_RECORD
    }
    return sorted(found)


OURS = modules()


def of_layer(layer: str) -> list[tuple[str, Path]]:
    return [(module, path) for module, path in OURS if layer_of(module) == layer]


def audit_modules() -> list[tuple[str, Path]]:
    return [(m, p) for m, p in of_layer("progressive.application") if p.stem.startswith("audit")]


# --- the code as it is ------------------------------------------------------------------------


@pytest.mark.parametrize(("module", "path"), OURS, ids=[module for module, _ in OURS])
def test_no_arrow_points_outward(module: str, path: Path) -> None:
    assert outward_arrows(module, path.read_text("utf-8")) == []


@pytest.mark.parametrize(("module", "path"), of_layer("progressive.domain"), ids=lambda v: str(v))
def test_domain_is_pure_and_exact(module: str, path: Path) -> None:
    assert impurities(module, path.read_text("utf-8")) == []


@pytest.mark.parametrize(
    ("module", "path"), of_layer("progressive.application"), ids=lambda v: str(v)
)
def test_use_cases_know_no_driver(module: str, path: Path) -> None:
    named = {name.split(".")[0] for name in imports(ast.parse(path.read_text("utf-8")), module)}
    assert named & DRIVERS == set()


def test_audit_shares_no_code_with_the_writer() -> None:
    shared = {
        module: found
        for module, path in audit_modules()
        if (found := shared_with_the_writer(module, path.read_text("utf-8")))
    }
    assert shared == {}


def test_audit_borrows_nothing_through_others_either() -> None:
    paths = dict(OURS)
    reached: set[str] = set()
    ahead = [module for module, _ in audit_modules()]
    while ahead:
        module = ahead.pop()
        if module in reached:
            continue
        reached.add(module)
        tree = ast.parse(paths[module].read_text("utf-8"))
        ahead += [name for name in imports(tree, module) if name in paths]
    assert reached & THE_WRITERS_OWN == set()


def test_simulation_shares_no_code_with_the_odds_it_checks() -> None:
    judged = ("progressive.domain.odds", "progressive.domain.games")
    borrowed = {
        name
        for module, path in of_layer("progressive.montecarlo")
        for name in imports(ast.parse(path.read_text("utf-8")), module)
        if name.startswith(judged)
    }
    assert borrowed == set()


def test_simulator_shares_no_code_with_the_awards_it_checks() -> None:
    judged = {
        f"progressive.domain.{name}"
        for name in ("games", "claims", "settlement", "awards", "decide", "decide_settle", "dealt")
    }
    borrowed = {
        name
        for module, path in of_layer("progressive.simulator")
        for name in imports(ast.parse(path.read_text("utf-8")), module)
        if any(name == each or name.startswith(each + ".") for each in judged)
    }
    assert borrowed == set()


def test_numpy_is_an_extra_that_only_the_simulation_needs() -> None:
    needing = {
        layer_of(module)
        for module, path in OURS
        if "numpy" in set(imports(ast.parse(path.read_text("utf-8")), module))
    }
    assert needing == {"progressive.montecarlo"}


def test_every_layer_was_looked_at() -> None:
    looked_at = {layer_of(module) for module, _ in OURS}
    assert {
        "progressive.domain",
        "progressive.application",
        "progressive.wire",
        "progressive.live",
        "progressive.adapters",
        "progressive.montecarlo",
        "progressive.entry",
    } <= looked_at
    strangers = {module for module, _ in OURS if layer_of(module) is None}
    assert strangers <= {"progressive", "progressive.__main__"}


# --- the checker itself -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("module", "source", "caught"),
    [
        ("progressive.domain.x", "import progressive.application.ports", True),
        ("progressive.domain.x", "from progressive.wire.codec import encode", True),
        ("progressive.domain.x", "from progressive import adapters", True),
        ("progressive.domain.x", "from ..application import ports", True),
        ("progressive.domain.x", "def f():\n    import progressive.live.hub", True),
        (
            "progressive.domain.x",
            "import importlib\nimportlib.import_module('display.pages')",
            True,
        ),
        ("progressive.domain.x", "from progressive.domain.money import PPM", False),
        ("progressive.domain.x", "from .money import PPM", False),
        ("progressive.application.x", "from progressive.adapters import store_sqlite", True),
        ("progressive.application.x", "from progressive.wire import codec", True),
        ("progressive.application.x", "from progressive.domain.decide import decide", False),
        ("progressive.adapters.x", "from progressive.entry import cli", True),
        ("progressive.adapters.x", "from progressive.application.ports import Store", False),
        ("progressive.wire.x", "from progressive.application.ports import LinkView", True),
        ("progressive.wire.x", "from progressive.live.hub import Hub", True),
        ("progressive.live.x", "from progressive.domain.ids import LinkId", True),
        ("progressive.live.x", "from progressive.live.frames import text_frame", False),
        ("progressive.simulator.x", "from progressive.application import link_worker", True),
        ("progressive.simulator.x", "from progressive.wire.messages import Locked", False),
        ("display.x", "from progressive.domain.ids import LinkId", True),
        ("display.x", "from progressive.wire.messages import Update", False),
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
def test_checker_catches_an_impurity(source: str, caught: bool) -> None:
    assert bool(impurities("progressive.domain.money", source)) is caught


@pytest.mark.parametrize(
    ("source", "caught"),
    [
        ("from progressive.domain.decide import decide", True),
        ("from progressive.domain import ledger", True),
        ("import progressive.application.snapshot", True),
        ("from . import recovery", True),
        ("from progressive.domain.awards import take_all", True),
        ("from progressive.domain.claims import side_bet_claims", True),
        ("from progressive.domain.games import READERS", True),
        ("from progressive.domain.games.buster import made", True),
        ("from progressive.domain.people import same_person", True),
        ("from progressive.domain.money import rounded", True),
        ("owed = made.due_cents", True),
        ("bet = terms.offered[wager.bet]", True),
        ("from progressive.domain.people import Signature", False),
        ("from progressive.domain.award_events import AwardMade", False),
        ("from progressive.application.journal import decode_record", False),
        ("from progressive.domain.events import WagersRegistered", False),
    ],
)
def test_checker_catches_an_audit_that_borrows(source: str, caught: bool) -> None:
    assert bool(shared_with_the_writer("progressive.application.audit", source)) is caught
