"""The bets of a game file, with their paytables and bonuses, to their checked form."""

from typing import Final, get_args

from progressive.adapters.config.fields import Section, refuse_duplicates
from progressive.domain.games.readers import LINES
from progressive.domain.money import CENTS_MAX
from progressive.domain.rulebook.paytable import Cap

GAME_BET_KEYS: Final = (
    "id",
    "name",
    "clause",
    "reader",
    "needs_base_wager",
    "capped_by_base_wager",
    "wager_cents",
    "least_wager",
    "dealing_option",
    "player_points",
    "lammers",
    "free_bonus_minimum",
    "free_bonus",
    "paytable",
)
ACCEPTED_KEYS: Final = ("accepted", "clause")
LEAST_WAGER_KEYS: Final = ("cents", "clause")
PLAYER_POINTS_KEYS: Final = ("points", "clause")
BONUS_MINIMUM_KEYS: Final = ("cents", "adjustable", "clause")
BONUS_KEYS: Final = ("id", "clause", "line")
BONUS_LINE_KEYS: Final = ("id", "cents")
PAYTABLE_KEYS: Final = ("id", "clause", "line", "meter")
LINE_KEYS: Final = ("id", "meter", "share_percent", "for_one", "to_one", "odds")
METER_FLOOR_KEYS: Final = ("id", "initial_min_cents", "reset_min_cents", "clause")

MULTIPLE_MAX: Final = 1_000_000
POINTS_MAX: Final = 1_000


def check_accepted(root: Section, name: str) -> None:
    """A section that lists the numbers a floor may choose from."""
    section = root.section(name, ACCEPTED_KEYS)
    if section is not None:
        section.wholes("accepted", low=1, high=CENTS_MAX)
        section.text("clause")
        root.clean[name] = section.clean


def check_game_bet(bet: Section) -> dict[str, object]:
    """One bet of a game; the draft of its `GameBet`."""
    bet.identifier("id")
    bet.text("name")
    bet.text("clause")
    reader = bet.choice("reader", sorted(LINES))
    bet.flag("needs_base_wager")
    bet.choice("capped_by_base_wager", get_args(Cap))
    if bet.has("lammers"):
        bet.flag("lammers")
    for optional in ("wager_cents", "dealing_option"):
        if bet.has(optional):
            check_accepted(bet, optional)
    _check_limits(bet)
    readable = LINES.get(reader or "")
    bonuses = bet.sections("free_bonus", BONUS_KEYS)
    drafts = [_bonus(bonus, readable) for bonus in bonuses]
    refuse_duplicates(bonuses)
    if bonuses and not bet.has("free_bonus_minimum"):
        bet.problem("free_bonus_minimum", "missing: the least wager that earns a free bonus")
    paytables = bet.sections("paytable", PAYTABLE_KEYS)
    if not paytables:
        bet.problem("paytable", "missing: a bet has at least one")
    tables = [_paytable(paytable, readable) for paytable in paytables]
    refuse_duplicates(paytables)
    return bet.clean | {"free_bonuses": drafts, "paytables": tables}


def _check_limits(bet: Section) -> None:
    if bet.has("least_wager"):
        least = bet.section("least_wager", LEAST_WAGER_KEYS)
        if least is not None:
            least.whole("cents", low=1)
            least.text("clause")
            bet.clean["least_wager"] = least.clean
    if bet.has("player_points"):
        points = bet.section("player_points", PLAYER_POINTS_KEYS)
        if points is not None:
            points.whole("points", low=1, high=POINTS_MAX)
            points.text("clause")
            bet.clean["player_points"] = points.clean
    if bet.has("free_bonus_minimum"):
        minimum = bet.section("free_bonus_minimum", BONUS_MINIMUM_KEYS)
        if minimum is not None:
            minimum.whole("cents", low=1)
            minimum.flag("adjustable")
            minimum.text("clause")
            bet.clean["free_bonus_minimum"] = minimum.clean


def _bonus(bonus: Section, readable: tuple[str, ...] | None) -> dict[str, object]:
    bonus.identifier("id")
    bonus.text("clause")
    lines = bonus.sections("line", BONUS_LINE_KEYS)
    if not lines:
        bonus.problem("line", "missing: a bonus has at least one")
    for line in lines:
        _check_readable(line, readable)
        line.whole("cents", low=1)
    refuse_duplicates(lines)
    return bonus.clean | {"lines": [line.clean for line in lines]}


def _paytable(paytable: Section, readable: tuple[str, ...] | None) -> dict[str, object]:
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
    drafts = [_line(line, meter_ids, readable) for line in lines]
    refuse_duplicates(lines)
    won = {line.clean.get("meter") for line in lines}
    for meter in meters:
        if meter.clean.get("id") not in won:
            meter.problem("", "no line pays this meter: what players put on it could not be won")
    return paytable.clean | {"lines": drafts, "meters": [meter.clean for meter in meters]}


def _line(
    line: Section, meter_ids: list[str], readable: tuple[str, ...] | None
) -> dict[str, object]:
    """A line pays in one way: a share of a meter, for one, to one, or odds."""
    _check_readable(line, readable)
    ways = [way for way in ("for_one", "to_one", "odds") if line.has(way)]
    if ways:
        for excess in ("meter", "share_percent"):
            if line.has(excess):
                line.problem(excess, f"a line that pays {ways[0]} pays no meter")
        for excess in ways[1:]:
            line.problem(excess, f"a line that pays {ways[0]} pays no {excess}")
        return {"id": line.clean.get("id"), "pays": _multiple(line, ways[0])}
    if line.has("meter") or line.has("share_percent"):
        meter = line.choice("meter", meter_ids)
        share = line.whole("share_percent", low=1, high=100)
        pays: dict[str, object] = {
            "type": "share_of_meter",
            "meter": meter,
            "share_percent": share,
        }
        return {"id": line.clean.get("id"), "pays": pays}
    line.problem("", "pays nothing: give meter and share_percent, for_one, to_one or odds")
    return {}


def _multiple(line: Section, way: str) -> dict[str, object]:
    if way == "odds":
        line.wholes("odds", low=1, high=MULTIPLE_MAX)
        odds = line.clean.get("odds")
        if not isinstance(odds, list):
            return {}
        if len(odds) != 2:
            line.problem("odds", f"{odds} is not two numbers, like [3, 2] for 3 to 2")
            return {}
        return {"type": "to_one", "to": odds[0], "per": odds[1]}
    multiple = line.whole(way, low=1, high=MULTIPLE_MAX)
    return {"type": way, "for_one" if way == "for_one" else "to": multiple}


def _check_readable(line: Section, readable: tuple[str, ...] | None) -> None:
    """A line that the reader cannot name would never be paid."""
    own = line.identifier("id")
    if own is not None and readable is not None and own not in readable:
        line.problem("id", f'"{own}" is no line that the reader knows: {", ".join(readable)}')
