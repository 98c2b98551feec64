"""Game and jurisdiction files to their checked form, all problems in one run.

These files are the rule texts as data; a floor is judged by what they say, so they are held to
the same care as the floor file.
"""

from pathlib import Path
from typing import Final, get_args

import msgspec

from progressive.adapters.config_fields import Section, refuse_duplicates
from progressive.adapters.config_files import path_text, read_toml
from progressive.adapters.config_problems import Report
from progressive.domain.games import READERS
from progressive.domain.jurisdiction import Jurisdiction
from progressive.domain.money import CENTS_MAX, PPM
from progressive.domain.paytable import Game
from progressive.domain.rules import PaymentOrder

SCHEMA: Final = 1

JURISDICTION_KEYS: Final = ("schema", "id", "name", "regulator", "games", "progression")
PROGRESSION_KEYS: Final = ("combined_min_ppm", "clause")

GAME_KEYS: Final = (
    "schema",
    "id",
    "name",
    "clause",
    "reader",
    "needs_base_wager",
    "capped_by_base_wager",
    "wager_cents",
    "decks",
    "dealing_option",
    "payment_order",
    "paytable",
)
ACCEPTED_KEYS: Final = ("accepted", "clause")
PAYMENT_ORDER_KEYS: Final = ("standard", "on_approval", "clause")
PAYTABLE_KEYS: Final = ("id", "clause", "line", "meter")
LINE_KEYS: Final = ("id", "meter", "share_percent", "for_one")
METER_FLOOR_KEYS: Final = ("id", "initial_min_cents", "reset_min_cents", "clause")

FOR_ONE_MAX: Final = 1_000_000


def check_schema(section: Section) -> None:
    """Every file says which version of its format it is in; there has been one so far."""
    schema = section.whole("schema")
    if schema is not None and schema != SCHEMA:
        section.problem("schema", f"{schema} is not {SCHEMA}")


def load_jurisdiction(path: Path, report: Report) -> Jurisdiction | None:
    """A jurisdiction, or None and its problems in the report."""
    data = read_toml(path, report)
    if data is None:
        return None
    problems_before = len(report.problems)
    root = Section(data, file=path_text(path), report=report, known=JURISDICTION_KEYS)
    check_schema(root)
    _check_own_id(root, path)
    root.text("name")
    root.text("regulator")
    root.words("games")
    progression = root.section("progression", PROGRESSION_KEYS)
    if progression is not None:
        progression.whole("combined_min_ppm", low=0, high=PPM)
        progression.text("clause")
        root.clean["progression"] = progression.clean
    if len(report.problems) > problems_before:
        return None
    return msgspec.convert(root.clean, Jurisdiction)


def load_game(path: Path, report: Report) -> Game | None:
    """A game, or None and its problems in the report."""
    data = read_toml(path, report)
    if data is None:
        return None
    problems_before = len(report.problems)
    root = Section(data, file=path_text(path), report=report, known=GAME_KEYS)
    check_schema(root)
    _check_own_id(root, path)
    root.text("name")
    root.text("clause")
    root.choice("reader", sorted(READERS))
    root.flag("needs_base_wager")
    root.flag("capped_by_base_wager")
    _check_accepted(root, "decks")
    for optional in ("wager_cents", "dealing_option"):
        if root.has(optional):
            _check_accepted(root, optional)
    _check_payment_order(root)
    paytables = root.sections("paytable", PAYTABLE_KEYS)
    if not paytables:
        root.problem("paytable", "missing: a game has at least one")
    root.clean["paytables"] = [_paytable(paytable) for paytable in paytables]
    refuse_duplicates(paytables)
    if len(report.problems) > problems_before:
        return None
    return msgspec.convert(root.clean, Game)


def _check_own_id(root: Section, path: Path) -> None:
    """A file is found by its name: one that calls itself something else is a copy gone wrong."""
    own = root.identifier("id")
    if own is not None and own != path.stem:
        root.problem("id", f'"{own}" is not the name of the file')


def _check_accepted(root: Section, name: str) -> None:
    section = root.section(name, ACCEPTED_KEYS)
    if section is not None:
        section.wholes("accepted", low=1, high=CENTS_MAX)
        section.text("clause")
        root.clean[name] = section.clean


def _check_payment_order(root: Section) -> None:
    section = root.section("payment_order", PAYMENT_ORDER_KEYS)
    if section is not None:
        section.choice("standard", get_args(PaymentOrder))
        if section.has("on_approval"):
            section.words("on_approval", choices=get_args(PaymentOrder))
        section.text("clause")
        root.clean["payment_order"] = section.clean


def _paytable(paytable: Section) -> dict[str, object]:
    paytable.identifier("id")
    paytable.text("clause")
    meters = paytable.sections("meter", METER_FLOOR_KEYS)
    for meter in meters:
        meter.identifier("id")
        meter.whole("initial_min_cents", low=0, high=CENTS_MAX)
        meter.whole("reset_min_cents", low=0, high=CENTS_MAX)
        meter.text("clause")
    refuse_duplicates(meters)
    lines = paytable.sections("line", LINE_KEYS)
    if not lines:
        paytable.problem("line", "missing: a paytable has at least one")
    meter_ids = [str(meter.clean["id"]) for meter in meters if "id" in meter.clean]
    drafts = [_line(line, meter_ids) for line in lines]
    refuse_duplicates(lines)
    won = {line.clean.get("meter") for line in lines}
    for meter in meters:
        if meter.clean.get("id") not in won:
            meter.problem("", "no line pays this meter: what players put on it could not be won")
    return paytable.clean | {"lines": drafts, "meters": [meter.clean for meter in meters]}


def _line(line: Section, meter_ids: list[str]) -> dict[str, object]:
    """A line pays a share of a meter or a multiple of the wager: one of them, not both."""
    line.identifier("id")
    if line.has("for_one"):
        for excess in ("meter", "share_percent"):
            if line.has(excess):
                line.problem(excess, "a line that pays for_one pays no meter")
        for_one = line.whole("for_one", low=1, high=FOR_ONE_MAX)
        pays: dict[str, object] = {"type": "for_one", "for_one": for_one}
    elif line.has("meter") or line.has("share_percent"):
        meter = line.choice("meter", meter_ids)
        share = line.whole("share_percent", low=1, high=100)
        pays = {"type": "share_of_meter", "meter": meter, "share_percent": share}
    else:
        line.problem("", "pays nothing: give meter and share_percent, or for_one")
        pays = {}
    return {"id": line.clean.get("id"), "pays": pays}
