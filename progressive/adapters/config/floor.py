"""The floor file to rules. Every problem is found in one run, with file, key, value and clause.

Types and names are checked field by field; what the rule texts ask is checked by
`domain.jurisdiction`, with the numbers of the game and jurisdiction files.
"""

import re
import zoneinfo
from pathlib import Path
from typing import Any, Final, get_args

import msgspec
from msgspec import Struct

from progressive.adapters.config.fields import Section, refuse_duplicates
from progressive.adapters.config.files import (
    RuleKind,
    path_text,
    read_toml,
    rule_file,
    rule_names,
    shipped_config,
)
from progressive.adapters.config.floor_bets import BET_KEYS, METER_KEYS, check_bet
from progressive.adapters.config.games import (
    check_currency,
    check_schema,
    load_game,
    load_jurisdiction,
)
from progressive.adapters.config.local_rules import LocalRules
from progressive.adapters.config.policy import check_approvals
from progressive.adapters.config.problems import Problem, Report, shown
from progressive.adapters.config.retention import SIGN_LOG_DAYS_MAX, check_retention
from progressive.adapters.config.signs import SIGN_KEYS, check_sign
from progressive.adapters.config.tables import bets_in, check_tables
from progressive.domain.options import DealerProcedure, Soft17
from progressive.domain.rulebook import legal_checks as legal
from progressive.domain.rulebook.jurisdiction import Jurisdiction
from progressive.domain.rulebook.paytable import Game
from progressive.domain.rulebook.policy import RACK_LIMIT_CENTS
from progressive.domain.rulebook.rules import (
    CLOSE_WITHIN_HOURS,
    SIGN_LOG_DAYS,
    SIGN_LOG_MAX_MIB,
    FloorRules,
)

__all__ = ["ConfigError", "LoadedFloor", "Problem", "load_floor", "shipped_config"]

FLOOR_KEYS: Final = (
    "schema",
    "name",
    "currency",
    "time_zone",
    "gaming_day_starts",
    "jurisdiction",
    "payment_approval",
    "sign_log_days",
    "sign_log_max_mib",
    "close_within_hours",
    "anonymous_relays",
    "retention",
    "link",
    "table",
    "sign",
)
LINK_KEYS: Final = ("id", "name", "decks", "dealer_procedure", "soft17", "rack_limit_cents", "bet")

SIGN_LOG_MIB_LEAST: Final = 16
SIGN_LOG_MIB_MOST: Final = 1_048_576
"""A tebibyte."""

CLOSE_WITHIN_HOURS_MOST: Final = 24 * 366
_TIME_OF_DAY: Final = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9]")


class LoadedFloor(Struct, frozen=True):
    """A good floor, and what its operator should know all the same."""

    rules: FloorRules
    warnings: tuple[Problem, ...]


class ConfigError(Exception):
    """A floor that must not run, with everything that is wrong with it."""

    def __init__(self, problems: tuple[Problem, ...], warnings: tuple[Problem, ...]) -> None:
        super().__init__("\n".join(problem.line() for problem in problems))
        self.problems = problems
        self.warnings = warnings


def load_floor(path: Path) -> LoadedFloor:
    """The rules in a floor file, or a ConfigError with all problems."""
    report = Report()
    data = read_toml(path, report)
    if data is None:
        raise ConfigError(report.problems, report.warnings)
    return rules_of(data, path, report)


def rules_of(data: dict[str, object], path: Path, report: Report) -> LoadedFloor:
    """The rules in what was read from `path`, or a ConfigError with all problems."""
    draft = _FloorCheck(data, path, report).draft()
    if report.problems:
        raise ConfigError(report.problems, report.warnings)
    return LoadedFloor(msgspec.convert(draft, FloorRules), report.warnings)


class _FloorCheck:
    """One run over one floor. Its drafts are plain mappings; with a problem they are dropped."""

    def __init__(self, data: dict[str, object], path: Path, report: Report) -> None:
        self._root = Section(data, file=path_text(path), report=report, known=FLOOR_KEYS)
        self._report = report
        self._beside = path.parent
        self._games: dict[Path, Game | None] = {}
        self._local = LocalRules(report)
        self._shown: dict[str, dict[str, list[str]]] = {}
        """What a sign may name: links, their bets, and the meters of each."""

    def draft(self) -> dict[str, object]:
        """The whole floor, as `FloorRules` wants it."""
        root = self._root
        check_schema(root)
        root.text("name")
        check_currency(root)
        _check_times(root)
        jurisdiction = self._jurisdiction()
        own_approvals = check_approvals(root)
        root.whole("sign_log_days", low=1, high=SIGN_LOG_DAYS_MAX, default=SIGN_LOG_DAYS)
        root.whole(
            "sign_log_max_mib",
            low=SIGN_LOG_MIB_LEAST,
            high=SIGN_LOG_MIB_MOST,
            default=SIGN_LOG_MAX_MIB,
        )
        root.whole(
            "close_within_hours", low=1, high=CLOSE_WITHIN_HOURS_MOST, default=CLOSE_WITHIN_HOURS
        )
        rule = None if jurisdiction is None else jurisdiction.retention
        root.clean["retention"] = check_retention(root, rule)
        if root.has("anonymous_relays"):
            root.flag("anonymous_relays")
        links = root.sections("link", LINK_KEYS)
        if not links:
            root.problem("link", "missing: a floor has at least one")
        drafts = [self._link(link, jurisdiction) for link in links]
        refuse_duplicates(links)
        link_ids = [str(link.clean["id"]) for link in links if "id" in link.clean]
        bets_of = {str(draft["id"]): bets_in(draft) for draft in drafts}
        tables = check_tables(root, link_ids, bets_of)
        for link, draft in zip(links, drafts, strict=True):
            draft["currency"] = root.clean.get("currency")
            draft["terms"]["house"] = self._house(link, draft["terms"], jurisdiction, own_approvals)
            draft["tables"] = [table for table in tables if table.get("link") == draft["id"]]
            if draft["id"] is not None and not draft["tables"]:
                link.warn("", legal.Breach("no table is in this link"))
        signs = root.sections("sign", SIGN_KEYS)
        for sign in signs:
            check_sign(sign, self._shown)
        refuse_duplicates(signs)
        return root.clean | {
            "links": drafts,
            "signs": [sign.clean for sign in signs],
            "games": [game for game in self._games.values() if game is not None],
            "lesser_rules": self._local.lesser,
        }

    # --- rule texts ---------------------------------------------------------------------------

    def _jurisdiction(self) -> Jurisdiction | None:
        file = self._rule_file(self._root, "jurisdiction", "jurisdictions")
        if file is None:
            return None
        jurisdiction = load_jurisdiction(file, self._report)
        self._local.compare("jurisdictions", file, jurisdiction)
        return jurisdiction

    def _game(self, bet: Section) -> Game | None:
        file = self._rule_file(bet, "game", "games")
        if file is None:
            return None
        if file not in self._games:
            self._games[file] = game = load_game(file, self._report)
            self._local.compare("games", file, game)
        return self._games[file]

    def _rule_file(self, section: Section, name: str, kind: RuleKind) -> Path | None:
        wanted = section.text(name)
        if wanted is None:
            return None
        file = rule_file(kind, wanted, beside=self._beside)
        if file is None:
            found = ", ".join(rule_names(kind, beside=self._beside)) or "none"
            section.problem(name, f"{shown(wanted)} is not among the {kind} found: {found}")
        else:
            self._local.note(kind, wanted, file)
        return file

    # --- links and their tables ---------------------------------------------------------------

    def _link(self, link: Section, jurisdiction: Jurisdiction | None) -> dict[str, Any]:
        link_id = link.identifier("id")
        link.text("name", default=link_id)
        shown_bets = self._shown.setdefault(link_id, {}) if link_id is not None else {}
        decks = link.whole("decks")
        link.choice("dealer_procedure", get_args(DealerProcedure))
        soft17 = link.choice("soft17", get_args(Soft17))
        bets = link.sections("bet", BET_KEYS)
        if not bets:
            link.problem("bet", "missing: a link has at least one")
        drafts: list[dict[str, object]] = []
        all_meters: list[Section] = []
        banked_by_players: list[object] = []
        for bet in bets:
            game = self._game(bet)
            if game is not None:
                bet.refuse("game", legal.banked_by_a_player(game))
            if game is not None and decks is not None:
                link.refuse("decks", legal.unaccepted(decks, game.decks))
            if game is not None and soft17 is not None:
                link.refuse("soft17", legal.unaccepted_soft17(soft17, game.soft17))
            meters = bet.sections("meter", METER_KEYS)
            drafts.append(check_bet(bet, meters, game=game, jurisdiction=jurisdiction))
            all_meters += meters
            if game is not None and game.player_dealer is not None:
                banked_by_players.append(bet.clean.get("id"))
            shown_bets[str(bet.clean.get("id"))] = [str(each.clean.get("id")) for each in meters]
        refuse_duplicates(bets)
        # Messages name a meter by its id alone, so it must be the only one on the link.
        refuse_duplicates(all_meters)
        terms = {name: link.clean.get(name) for name in ("decks", "dealer_procedure", "soft17")}
        if jurisdiction is not None:
            terms["overflow"] = jurisdiction.overflow
        link.whole("rack_limit_cents", low=0, default=RACK_LIMIT_CENTS)
        link.warn("rack_limit_cents", legal.empty_rack(link.clean.get("rack_limit_cents")))
        return {
            "id": link.clean.get("id"),
            "name": link.clean.get("name"),
            "terms": terms | {"bets": drafts},
            "player_dealer_bets": banked_by_players,
        }

    def _house(
        self,
        link: Section,
        terms: dict[str, Any],
        jurisdiction: Jurisdiction | None,
        own_approvals: list[dict[str, object]],
    ) -> dict[str, object]:
        """The link's terms beside its bets."""
        root = self._root.clean
        of_floor = ("currency", "time_zone", "gaming_day_starts", "jurisdiction")
        house: dict[str, object] = {key: root.get(key) for key in of_floor} | {
            "name": link.clean.get("name"),
            "policy": _policy(link, jurisdiction, own_approvals),
            "rule_files": self._local.recorded(
                root.get("jurisdiction"), [bet.get("game") for bet in terms["bets"]]
            ),
        }
        if jurisdiction is not None:
            house["meter_changes"] = msgspec.to_builtins(jurisdiction.meter_changes)
        return house


def _policy(
    link: Section,
    jurisdiction: Jurisdiction | None,
    own_approvals: list[dict[str, object]],
) -> dict[str, object]:
    """How the link's awards are treated; the house's own steps of approval replace the state's."""
    policy: dict[str, object] = {"rack_limit_cents": link.clean.get("rack_limit_cents")}
    if jurisdiction is not None:
        policy["tax_forms"] = msgspec.to_builtins(jurisdiction.tax_forms)
        policy["approvals"] = own_approvals or msgspec.to_builtins(jurisdiction.approvals)
    return policy


def _check_times(root: Section) -> None:
    zone = root.text("time_zone")
    if zone is not None:
        try:
            zoneinfo.ZoneInfo(zone)
        except (KeyError, ValueError, OSError):
            root.problem("time_zone", f"{shown(zone)} is no time zone, like America/New_York")
    starts = root.text("gaming_day_starts")
    if starts is not None and not _TIME_OF_DAY.fullmatch(starts):
        root.problem("gaming_day_starts", f"{shown(starts)} is not a time from 00:00 to 23:59")
