"""Game and jurisdiction files to their checked form, all problems in one run.

These files are the rule texts as data; a floor is judged by what they say, so they are held to
the same care as the floor file.
"""

import re
from pathlib import Path
from typing import Final, get_args

import msgspec

from progressive.adapters.config.fields import Section, refuse_duplicates
from progressive.adapters.config.files import path_text, read_toml, shipped_config
from progressive.adapters.config.game_bets import (
    ACCEPTED_KEYS,
    GAME_BET_KEYS,
    check_accepted,
    check_game_bet,
)
from progressive.adapters.config.policy import (
    check_approvals,
    check_meter_changes,
    check_overflow,
    check_tax_forms,
)
from progressive.adapters.config.problems import Report, shown
from progressive.adapters.config.retention import check_retention_rule
from progressive.domain.money import CENTS_MAX, PPM
from progressive.domain.options import HouseMoney, PaymentOrder, Soft17
from progressive.domain.rulebook.jurisdiction import Jurisdiction
from progressive.domain.rulebook.paytable import Game

SCHEMA: Final = 1

JURISDICTION_KEYS: Final = (
    "schema",
    "id",
    "name",
    "regulator",
    "games",
    "progression",
    "overflow",
    "payment_approval",
    "tax_form",
    "meter_changes",
    "retention",
    "readings",
    "accounting",
)
PROGRESSION_KEYS: Final = ("combined_min_ppm", "clause")
READING_KEYS: Final = ("every_days", "clause")
READING_DAYS_MAX: Final = 92
ACCOUNTING_KEYS: Final = ("base", "clause")

GAME_KEYS: Final = (
    "schema",
    "id",
    "name",
    "clause",
    "currency",
    "decks",
    "soft17",
    "payment_order",
    "player_dealer",
    "bet",
)
PAYMENT_ORDER_KEYS: Final = ("standard", "on_approval", "clause")
PLAYER_DEALER_KEYS: Final = (
    "house_clause",
    "bank_rounds",
    "least_action_cents",
    "clause",
    "collection",
)
COLLECTION_KEYS: Final = ("id", "table_min_cents", "table_max_cents", "player_cents", "band")
BAND_KEYS: Final = ("up_to_cents", "player_dealer_cents")

BANK_ROUNDS_MAX: Final = 1_000
_CURRENCY: Final = re.compile(r"[A-Z]{3}")


def check_schema(section: Section) -> None:
    """Every file says which version of its format it is in; there has been one so far."""
    schema = section.whole("schema")
    if schema is not None and schema != SCHEMA:
        section.problem("schema", f"{schema} is not {SCHEMA}")


def check_currency(section: Section) -> None:
    """Three letters of ISO 4217; which ones is the writer's business."""
    currency = section.text("currency")
    if currency is not None and not _CURRENCY.fullmatch(currency):
        section.problem("currency", f"{shown(currency)} is not three capital letters, like USD")


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
    if root.has("progression"):
        progression = root.section("progression", PROGRESSION_KEYS)
        if progression is not None:
            progression.whole("combined_min_ppm", low=0, high=PPM)
            progression.text("clause")
            root.clean["progression"] = progression.clean
    root.clean["overflow"] = check_overflow(root)
    root.clean["approvals"] = check_approvals(root)
    root.clean["tax_forms"] = check_tax_forms(root)
    root.clean["meter_changes"] = check_meter_changes(root)
    root.clean["retention"] = check_retention_rule(root)
    if root.has("readings"):
        readings = root.section("readings", READING_KEYS)
        if readings is not None:
            readings.whole("every_days", low=1, high=READING_DAYS_MAX)
            readings.text("clause")
            root.clean["readings"] = readings.clean
    if root.has("accounting"):
        accounting = root.section("accounting", ACCOUNTING_KEYS)
        if accounting is not None:
            accounting.choice("base", get_args(HouseMoney))
            accounting.text("clause")
            root.clean["accounting"] = accounting.clean
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
    if root.has("currency"):
        check_currency(root)
    check_accepted(root, "decks")
    _check_soft17(root)
    _check_payment_order(root)
    if root.has("player_dealer"):
        _check_player_dealer(root)
    bets = root.sections("bet", GAME_BET_KEYS)
    if not bets:
        root.problem("bet", "missing: a game has at least one")
    root.clean["bets"] = [check_game_bet(bet) for bet in bets]
    refuse_duplicates(bets)
    if len(report.problems) > problems_before:
        return None
    return msgspec.convert(root.clean, Game)


def shipped_games() -> dict[str, Game]:
    """The games that come with the program, by id."""
    report = Report()
    files = sorted((shipped_config() / "games").glob("*.toml"))
    games = [load_game(file, report) for file in files]
    if report.problems:
        raise AssertionError(f"a shipped game file is broken: {report.problems[0].line()}")
    return {game.id: game for game in games if game is not None}


def _check_own_id(root: Section, path: Path) -> None:
    """A file is found by its name: one that calls itself something else is a copy gone wrong."""
    own = root.identifier("id")
    if own is not None and own != path.stem:
        root.problem("id", f'"{own}" is not the name of the file')


def _check_soft17(root: Section) -> None:
    section = root.section("soft17", ACCEPTED_KEYS)
    if section is not None:
        section.words("accepted", choices=get_args(Soft17))
        section.text("clause")
        root.clean["soft17"] = section.clean


def _check_payment_order(root: Section) -> None:
    section = root.section("payment_order", PAYMENT_ORDER_KEYS)
    if section is not None:
        section.choice("standard", get_args(PaymentOrder))
        if section.has("on_approval"):
            section.words("on_approval", choices=get_args(PaymentOrder))
        section.text("clause")
        root.clean["payment_order"] = section.clean


def _check_player_dealer(root: Section) -> None:
    section = root.section("player_dealer", PLAYER_DEALER_KEYS)
    if section is None:
        return
    section.text("house_clause", default="")
    section.whole("bank_rounds", low=1, high=BANK_ROUNDS_MAX)
    section.whole("least_action_cents", low=0)
    section.text("clause")
    schedules = section.sections("collection", COLLECTION_KEYS)
    drafts = [_collection(schedule) for schedule in schedules]
    refuse_duplicates(schedules)
    root.clean["player_dealer"] = section.clean | {"collections": drafts}


def _collection(schedule: Section) -> dict[str, object]:
    schedule.whole("id", low=1)
    schedule.whole("table_min_cents", low=1)
    schedule.whole("table_max_cents", low=1)
    schedule.whole("player_cents", low=0)
    bands = schedule.sections("band", BAND_KEYS)
    if not bands:
        schedule.problem("band", "missing: a schedule has at least one")
    reached = 0
    for band in bands:
        band.whole("player_dealer_cents", low=0)
        last = band is bands[-1]
        if last and band.has("up_to_cents"):
            band.problem("up_to_cents", "the last band has no end: any action has a rate")
        elif not last:
            reached = band.whole("up_to_cents", low=reached + 1, high=CENTS_MAX) or reached
    return schedule.clean | {"bands": [band.clean for band in bands]}
