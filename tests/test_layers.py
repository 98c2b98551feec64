"""Import direction, folder by folder. Read with `ast`; nothing is run.

`domain` ← `application` ← `adapters` ← `entry`; `wire` sees `domain` only. Every rule is an
allow-list of folders: a new folder sees nothing until it is listed here, and a moved file falls
under the rules of where it lies now. Every rule also says how many modules it has to cover at
least, so that none can pass with nothing to look at.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def inside(layer: str, *folders: str) -> set[str]:
    """Folders of one layer, the layer's own flat modules not included."""
    return {f"progressive.{layer}.{folder}" for folder in folders}


KERNEL = {"progressive.domain"}
"""The flat modules of the domain: units, ids, cards, and the language of commands and events."""
RULEBOOK = inside("domain", "rulebook")
GAMES = inside("domain", "games")
AWARDS = inside("domain", "awards")
STATE = inside("domain", "state")
DECIDE = inside("domain", "decide")
PEOPLE = inside("domain", "people")
ODDS = inside("domain", "odds")
DOMAIN = KERNEL | RULEBOOK | GAMES | AWARDS | STATE | DECIDE | PEOPLE | ODDS

CLOCK = {"progressive.application"}
"""The one flat module of the use cases: the port for time."""
JOURNAL = inside("application", "journal")
LINK = inside("application", "link")
USE_CASES = CLOCK | inside(
    "application",
    *("audit", "awards", "finance", "floor", "journal", "keys", "link", "people"),
    *("settle_tool", "signs"),
)
COMMON = {"progressive.common"}
"""Pure helpers without a subject: for everybody but the domain."""
WIRE = {"progressive.wire"}
LIVE = {"progressive.live"}
RUNTIME = {"progressive.runtime"}
ADAPTERS = {"progressive.adapters"} | inside(
    "adapters", "config", "keys", "memory", "redis", "reports", "sqlite"
)
SIGN_SERVER = {"display", "display.home", "display.led"}
ROUTES = inside("entry", "http", "people")
"""What the pages of every noun share."""
INNER = COMMON | DOMAIN | USE_CASES | WIRE | LIVE | RUNTIME | ADAPTERS | SIGN_SERVER | ROUTES

# What a folder may import of our own code, besides itself.
MAY_SEE: dict[str, set[str]] = {
    "progressive": {"progressive.entry"},
    # The domain. The fold (`state`) and the decisions (`decide`) share data, and one direction.
    "progressive.domain": RULEBOOK,
    "progressive.domain.rulebook": KERNEL,
    "progressive.domain.people": KERNEL,
    "progressive.domain.games": KERNEL | RULEBOOK,
    "progressive.domain.awards": KERNEL | RULEBOOK | GAMES,
    "progressive.domain.state": KERNEL | RULEBOOK | AWARDS,
    "progressive.domain.decide": KERNEL | RULEBOOK | GAMES | AWARDS | PEOPLE | STATE,
    "progressive.domain.odds": KERNEL | RULEBOOK | GAMES,
    # Helpers without a subject.
    "progressive.common": set(),
    # Use cases.
    "progressive.application": set(),
    "progressive.application.journal": CLOCK | KERNEL | RULEBOOK,
    "progressive.application.audit": JOURNAL | KERNEL | RULEBOOK,
    "progressive.application.link": CLOCK | JOURNAL | KERNEL | RULEBOOK | STATE | DECIDE,
    "progressive.application.awards": JOURNAL | KERNEL | RULEBOOK | STATE,
    "progressive.application.finance": JOURNAL | KERNEL | RULEBOOK | STATE,
    "progressive.application.keys": KERNEL,
    "progressive.application.people": CLOCK | COMMON | JOURNAL | KERNEL | PEOPLE,
    "progressive.application.floor": inside("application", "people") | KERNEL | PEOPLE,
    "progressive.application.signs": CLOCK | JOURNAL | KERNEL | RULEBOOK,
    "progressive.application.settle_tool": KERNEL | RULEBOOK | GAMES | AWARDS,
    # The protocol, fan-out, and what a process starts with.
    "progressive.wire": KERNEL | RULEBOOK | STATE,
    "progressive.live": COMMON | WIRE,
    "progressive.runtime": {"progressive"},
    # Technologies.
    "progressive.adapters": USE_CASES | DOMAIN,
    "progressive.adapters.config": KERNEL | RULEBOOK | GAMES,
    "progressive.adapters.keys": USE_CASES | KERNEL,
    "progressive.adapters.memory": USE_CASES | KERNEL,
    "progressive.adapters.redis": USE_CASES | KERNEL | PEOPLE,
    "progressive.adapters.reports": inside("application", "finance") | KERNEL,
    "progressive.adapters.sqlite": USE_CASES | KERNEL | PEOPLE,
    # The outermost layer. A noun sees the shared routes, not its neighbours.
    "progressive.entry": INNER
    | {"progressive"}
    | inside("entry", "awards", "pit", "signs", "table", "finance"),
    "progressive.entry.http": INNER,
    "progressive.entry.people": INNER,
    "progressive.entry.table": INNER,
    "progressive.entry.pit": INNER,
    "progressive.entry.signs": INNER | inside("entry", "pit"),
    "progressive.entry.awards": INNER,
    "progressive.entry.finance": INNER,
    "progressive.entry.odds": DOMAIN | {"progressive.montecarlo"},
    "progressive.entry.commands": INNER
    | {"progressive.entry", "progressive.simulator"}
    | inside("entry", "odds", "pit"),
    # Strangers who know the protocol, and checks that share nothing with what they check.
    "progressive.simulator": KERNEL | WIRE | RUNTIME,
    "progressive.montecarlo": KERNEL,
    "display": COMMON | WIRE | LIVE | RUNTIME | {"display.home"},
    "display.home": {"display"} | WIRE,
    "display.led": {"display"} | COMMON | WIRE | LIVE | RUNTIME,
}

# The domain is pure: what it must not even name.
IMPURE_MODULES = {
    "asyncio", "time", "random", "logging", "secrets", "os", "io", "pathlib", "socket", "sqlite3",
    "threading", "subprocess", "aiohttp", "redis", "uuid", "locale",
}  # fmt: skip
CLOCK_CALLS = {"now", "utcnow", "today", "fromtimestamp"}
MAY_DIVIDE = ODDS
"""Odds are fractions. Anywhere else in the domain, `/` would make a float of money."""

# Use cases know asyncio, never a driver.
DRIVERS = {"aiohttp", "sqlite3", "redis", "prometheus_client", "click", "rich", "socket", "uvloop"}

# Where things are stored is chosen in one place a noun: all else in `entry` sees the ports, so that
# another engine can hold what a node stores.
ENGINES = inside("adapters", "keys", "memory", "redis", "sqlite")
WIRING = {
    "progressive.entry.bootstrap",
    "progressive.entry.people.reception",
    "progressive.entry.signs.signs",
    "progressive.entry.stores",
}
"""Besides the commands, which are programs of their own."""

# The audit shares no code with the writer beyond the record format and plain data: a bug in one is
# caught by the other. Of the kernel it sees these modules and no others; it reads cards, rounds
# money and tells people apart by itself.
AUDIT_SEES_OF_THE_KERNEL = {
    f"progressive.domain.{name}"
    for name in (
        *("award_events", "commands", "events", "ids", "money", "options", "person_events"),
        "signatures",
    )
}
WORKED_OUT_BY_THE_RECORD = {"due_cents", "due_at", "terms_of"}
"""Properties of recorded values that compute what the audit has to compute."""


def modules() -> dict[str, Path]:
    """Every module of ours by its dotted name."""
    found = {}
    for top in ("progressive", "display"):
        for path in sorted((ROOT / top).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


OURS = modules()
FOLDERS = {module for module, path in OURS.items() if path.name == "__init__.py"}


def folder_of(name: str) -> str | None:
    """The folder of ours that a dotted name leads into; None for other people's code."""
    while name:
        if name in FOLDERS:
            return name
        name = name.rpartition(".")[0]
    return None


def in_folders(*folders: str, at_least: int) -> list[tuple[str, Path]]:
    """The modules that lie in these folders or below; too few of them is a failure."""
    found = [
        (module, path)
        for module, path in OURS.items()
        if any(module == folder or module.startswith(folder + ".") for folder in folders)
    ]
    assert len(found) >= at_least, f"only {len(found)} modules in {folders}: did they move?"
    return found


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
            # A folder is seen by what is taken from it: naming it alone shows nothing.
            if base not in FOLDERS:
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
    """What a module imports and its folder must not see."""
    folder = folder_of(module)
    if folder is None:
        return []
    allowed = MAY_SEE[folder] | {folder}
    wrong = set()
    for name in imports(ast.parse(source), module):
        seen = folder_of(name)
        if seen is not None and seen not in allowed:
            wrong.add(name)
    return sorted(wrong)


def impurities(module: str, source: str) -> list[str]:
    """What makes a domain module depend on more than its inputs, or inexact."""
    tree = ast.parse(source)
    found = {name for name in imports(tree, module) if name.split(".")[0] in IMPURE_MODULES}
    may_divide = folder_of(module) in MAY_DIVIDE
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=float() | complex()):
                found.add(f"line {node.lineno}: {node.value}")
            case ast.Name(id="float" | "open" | "print" | "input" as name):
                found.add(f"line {node.lineno}: {name}")
            case ast.Attribute(attr=attribute) if attribute in CLOCK_CALLS:
                found.add(f"line {node.lineno}: .{attribute}")
            case ast.BinOp(op=ast.Div()) | ast.AugAssign(op=ast.Div()) if not may_divide:
                found.add(f"line {node.lineno}: /")
            case _:
                pass
    return sorted(found)


def shared_with_the_writer(module: str, source: str) -> list[str]:
    """What an audit module imports or asks of the code it is to judge."""
    tree = ast.parse(source)
    found = {
        name
        for name in imports(tree, module)
        if folder_of(name) == "progressive.domain"
        and not any(
            name == each or name.startswith(each + ".") for each in AUDIT_SEES_OF_THE_KERNEL
        )
    }
    found |= {
        f"line {node.lineno}: .{node.attr}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr in WORKED_OUT_BY_THE_RECORD
    }
    return sorted([*found, *outward_arrows(module, source)])


def reached_from(starts: list[str]) -> set[str]:
    """All modules of ours that these import, and what those import in turn."""
    reached: set[str] = set()
    ahead = starts
    while ahead:
        module = ahead.pop()
        if module in reached:
            continue
        reached.add(module)
        tree = ast.parse(OURS[module].read_text("utf-8"))
        ahead += [name for name in imports(tree, module) if name in OURS]
    return reached


# --- the code as it is ------------------------------------------------------------------------


def test_every_folder_has_its_list() -> None:
    assert set(MAY_SEE) == FOLDERS
    assert len(FOLDERS) >= 40
    assert not {seen for allowed in MAY_SEE.values() for seen in allowed} - FOLDERS
    for top in ("progressive", "display"):
        loose = {path.parent for path in (ROOT / top).rglob("*.py")}
        without = [folder for folder in loose if not (folder / "__init__.py").exists()]
        assert without == []


@pytest.mark.parametrize("module", OURS)
def test_no_arrow_points_outward(module: str) -> None:
    assert outward_arrows(module, OURS[module].read_text("utf-8")) == []


def test_no_two_folders_of_the_core_see_each_other() -> None:
    """A ring of folders is one folder in disguise: the data modules of the kernel aside."""
    core = {folder: MAY_SEE[folder] - KERNEL for folder in DOMAIN | USE_CASES}
    rings = [
        (one, other)
        for one, allowed in core.items()
        for other in allowed
        if one in core.get(other, set())
    ]
    assert rings == []
    assert len(core) >= 18


def test_domain_is_pure_and_exact() -> None:
    found = {
        module: wrong
        for module, path in in_folders("progressive.domain", at_least=60)
        if (wrong := impurities(module, path.read_text("utf-8")))
    }
    assert found == {}


def test_use_cases_know_no_driver() -> None:
    found = {
        module: wrong
        for module, path in in_folders("progressive.application", at_least=55)
        if (
            wrong := {name.split(".")[0] for name in imports(ast.parse(path.read_text()), module)}
            & DRIVERS
        )
    }
    assert found == {}


def engines_named(module: str, source: str) -> list[str]:
    """The storage engines that a module of `entry` imports without being wiring."""
    if module in WIRING or folder_of(module) == "progressive.entry.commands":
        return []
    return sorted(name for name in imports(ast.parse(source), module) if folder_of(name) in ENGINES)


def test_only_wiring_names_an_engine() -> None:
    entry = in_folders("progressive.entry", at_least=60)
    found = {
        module: wrong
        for module, path in entry
        if (wrong := engines_named(module, path.read_text("utf-8")))
    }
    assert found == {}
    assert {module for module, _ in entry} >= WIRING


def test_rules_are_plain_data() -> None:
    """Reading cards with them, or moving money by them, is somebody else's job."""
    rules = [module for module, _ in in_folders("progressive.domain.rulebook", at_least=6)]
    folders = {folder_of(module) for module in reached_from(rules)}
    assert folders == KERNEL | RULEBOOK


def test_fold_reaches_no_decision() -> None:
    fold = [module for module, _ in in_folders("progressive.domain.state", at_least=8)]
    folders = {folder_of(module) for module in reached_from(fold)}
    assert not folders & (DECIDE | PEOPLE)


def test_audit_shares_no_code_with_the_writer() -> None:
    shared = {
        module: found
        for module, path in in_folders("progressive.application.audit", at_least=24)
        if (found := shared_with_the_writer(module, path.read_text("utf-8")))
    }
    assert shared == {}


def test_audit_borrows_nothing_through_others_either() -> None:
    audit = [module for module, _ in in_folders("progressive.application.audit", at_least=24)]
    reached = reached_from(audit)
    assert not {folder_of(module) for module in reached} & (
        GAMES | AWARDS | STATE | DECIDE | PEOPLE | LINK
    )
    assert not reached & {"progressive.domain.rounding", "progressive.domain.cards"}


def test_numpy_is_an_extra_that_only_the_simulation_needs() -> None:
    needing = {
        folder_of(module)
        for module, path in OURS.items()
        if "numpy" in set(imports(ast.parse(path.read_text("utf-8")), module))
    }
    assert needing == {"progressive.montecarlo"}


def test_common_helpers_need_only_the_standard_library() -> None:
    needed = {
        name.split(".")[0]
        for module, path in in_folders("progressive.common", at_least=2)
        for name in imports(ast.parse(path.read_text("utf-8")), module)
    }
    assert needed <= sys.stdlib_module_names


def test_pages_are_made_by_one_environment() -> None:
    making = {
        module
        for module, path in OURS.items()
        if "jinja2.FileSystemLoader" in set(imports(ast.parse(path.read_text("utf-8")), module))
    }
    assert making == {"display.templates"}


def test_every_folder_says_what_lives_there() -> None:
    silent = [
        folder for folder in FOLDERS if not ast.get_docstring(ast.parse(OURS[folder].read_text()))
    ]
    assert silent == []


# --- the checker itself -----------------------------------------------------------------------


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
        ("from progressive.domain.state import ledger", True),
        ("import progressive.application.link.snapshot", True),
        ("from ..link import replay", True),
        ("from progressive.domain.awards.meter_payouts import take_all", True),
        ("from progressive.domain.games.claims import side_bet_claims", True),
        ("from progressive.domain.games.readers import READERS", True),
        ("from progressive.domain.games.buster import made", True),
        ("from progressive.domain.people.names import same_person", True),
        ("from progressive.domain.rounding import rounded", True),
        ("from progressive.domain.cards import total", True),
        ("from progressive.domain import views", True),
        ("owed = made.due_cents", True),
        ("owed = made.due_at(500)", True),
        ("terms = state.terms_of(1)", True),
        ("from progressive.domain.signatures import Signature", False),
        ("from progressive.domain.award_events import AwardMade", False),
        ("from progressive.application.journal.record import decode_record", False),
        ("from progressive.domain.events import WagersRegistered", False),
    ],
)
def test_checker_catches_an_audit_that_borrows(source: str, caught: bool) -> None:
    assert bool(shared_with_the_writer("progressive.application.audit.x", source)) is caught


def test_checker_fails_where_there_is_nothing_to_look_at() -> None:
    with pytest.raises(AssertionError, match="did they move"):
        in_folders("progressive.application.audited", at_least=1)
