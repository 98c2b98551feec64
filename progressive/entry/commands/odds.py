"""`progressive odds`: the exact odds of a bet, and a simulation beside them where one is asked."""

import sys
from pathlib import Path
from typing import Final, get_args

import click
import msgspec
from rich.console import Console

from progressive.adapters.config.files import rule_file, rule_names, shipped_config
from progressive.adapters.config.games import load_game
from progressive.adapters.config.problems import Report
from progressive.domain.games.reading import Dealing
from progressive.domain.ids import MeterId
from progressive.domain.money import CENTS_MAX
from progressive.domain.odds.answer import Odds, Question, answer
from progressive.domain.odds.shoe import DECKS_MAX, Shoe
from progressive.domain.options import DealerProcedure, Soft17
from progressive.domain.rulebook.paytable import FreeBonus, Game, GameBet, Paytable
from progressive.entry.odds.as_json import INFINITE, JsonSimulation, json_odds
from progressive.entry.odds.as_table import print_odds

HANDS_MAX: Final = 10**12
WAGER_CENTS: Final = 500
GAME_FILE: Final = ".toml"


def _shoe(text: str) -> Shoe:
    if text == INFINITE:
        return Shoe(None)
    if text.isascii() and text.isdecimal() and 1 <= int(text) <= DECKS_MAX:
        return Shoe(int(text))
    raise click.BadParameter(f"{text!r} is not 1 to {DECKS_MAX} or {INFINITE}")


def _meter_amount(text: str) -> tuple[str, int]:
    meter, _, cents = text.partition("=")
    if meter and cents.isascii() and cents.isdecimal() and len(cents) <= len(str(CENTS_MAX)):
        return meter, int(cents)
    raise click.BadParameter(f"{text!r} is not a meter and its whole cents, like mega=12500000")


@click.command("odds")
@click.argument("game_name", metavar="GAME")
@click.option("--bet", "bet_id", help="Which bet, where the game has several.")
@click.option("--paytable", "paytable_id", help="Which paytable, where the bet has several.")
@click.option("--decks", "shoe", type=_shoe, required=True, metavar=f"N|{INFINITE}")
@click.option("--option", type=int, help="The dealing option, 1 where none is said.")
@click.option(
    "--procedure",
    type=click.Choice(get_args(DealerProcedure)),
    default="no_peek",
    show_default=True,
    help="How the dealer's hole card is dealt and seen.",
)
@click.option(
    "--soft17", type=click.Choice(get_args(Soft17)), help="Default: what the game prescribes."
)
@click.option("--free-bonus", "bonus_id", metavar="ID", help="The free bonus beside the bet.")
@click.option(
    "--wager-cents",
    type=click.IntRange(1, CENTS_MAX),
    default=WAGER_CENTS,
    show_default=True,
    help="Break-even amounts and the worth of a bonus depend on it.",
)
@click.option(
    "--meter",
    "meters",
    type=_meter_amount,
    multiple=True,
    metavar="ID=CENTS",
    help="What lies on a meter, for the house edge; may be repeated.",
)
@click.option(
    "--simulate", type=click.IntRange(1, HANDS_MAX), help="Deal so many hands as a check."
)
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, for machines.")
def command(
    game_name: str,
    bet_id: str | None,
    paytable_id: str | None,
    shoe: Shoe,
    option: int | None,
    procedure: DealerProcedure,
    soft17: Soft17 | None,
    bonus_id: str | None,
    wager_cents: int,
    meters: tuple[tuple[str, int], ...],
    simulate: int | None,
    seed: int,
    as_json: bool,
) -> None:
    """The exact odds of every line of a bet of GAME.

    GAME is a game that comes with the program, or a game file of your own (NAME.toml).

    Prints each line's probability, the return of the lines that pay fixed odds, the house edge, the
    meter amounts at which the bet is even, and what a free bonus is worth. All are exact; --json
    has them as fractions. What was assumed is said below the figures.

    --simulate deals hands at random, by code that shares nothing with the exact answer, and
    prints how far they came from it in standard deviations (z). It needs numpy.
    """
    game = _game(game_name)
    bet = _bet(game, bet_id)
    paytable = _paytable(bet, paytable_id)
    question = Question(
        game=game,
        bet=bet,
        paytable=paytable,
        shoe=shoe,
        dealing=Dealing(
            procedure=procedure,
            soft17=_soft17(game, soft17),
            option=_dealing_option(bet, option),
            player_points_max=None if bet.player_points is None else bet.player_points.points,
        ),
        wager_cents=wager_cents,
        meters_cents=_meters(paytable, meters),
        free_bonus=_free_bonus(bet, bonus_id),
    )
    odds = answer(question)
    simulation = None if simulate is None else _simulation(question, odds, simulate, seed)
    if as_json:
        told = json_odds(question, odds)
        if simulation is not None:
            told.simulation = simulation
        click.echo(msgspec.json.encode(told))
    else:
        print_odds(Console(file=sys.stdout), question, odds, simulation)


def _simulation(question: Question, odds: Odds, hands: int, seed: int) -> JsonSimulation:
    try:
        from progressive.entry.odds.simulation import simulated
    except ModuleNotFoundError as error:
        if error.name != "numpy":
            raise
        raise click.BadParameter(
            "numpy is not installed: pip install 'progressive-meters[simulate]'",
            param_hint="--simulate",
        ) from None
    return simulated(question, odds, hands=hands, seed=seed)


# --- options ------------------------------------------------------------------------------------


def _game(name: str) -> Game:
    """A shipped game by its name, or anybody's game file by its path."""
    shipped = shipped_config()
    path = Path(name) if name.endswith(GAME_FILE) else rule_file("games", name, beside=shipped)
    if path is None:
        known = ", ".join(rule_names("games", beside=shipped))
        raise click.BadParameter(f"unknown game {name!r} (known: {known})", param_hint="GAME")
    report = Report()
    game = load_game(path, report)
    if game is None:
        raise click.BadParameter(report.problems[0].line(), param_hint="GAME")
    return game


def _bet(game: Game, bet_id: str | None) -> GameBet:
    if bet_id is None and len(game.bets) == 1:
        return game.bets[0]
    bet = None if bet_id is None else game.bet(bet_id)
    if bet is None:
        raise _not_one_of(bet_id, [bet.id for bet in game.bets], param_hint="--bet")
    return bet


def _paytable(bet: GameBet, paytable_id: str | None) -> Paytable:
    if paytable_id is None and len(bet.paytables) == 1:
        return bet.paytables[0]
    paytable = None if paytable_id is None else bet.paytable(paytable_id)
    if paytable is None:
        raise _not_one_of(
            paytable_id, [table.id for table in bet.paytables], param_hint="--paytable"
        )
    return paytable


def _free_bonus(bet: GameBet, bonus_id: str | None) -> FreeBonus | None:
    if bonus_id is None:
        return None
    if not bet.free_bonuses:
        raise click.BadParameter(
            f"the bet {bet.id} has no free bonus ({bet.clause})", param_hint="--free-bonus"
        )
    bonus = bet.free_bonus(bonus_id)
    if bonus is None:
        raise _not_one_of(
            bonus_id, [each.id for each in bet.free_bonuses], param_hint="--free-bonus"
        )
    return bonus


def _soft17(game: Game, soft17: Soft17 | None) -> Soft17:
    accepted = game.soft17.accepted
    if soft17 is None:
        return accepted[0]
    if soft17 not in accepted:
        raise click.BadParameter(
            f"{soft17!r} is not {' or '.join(accepted)} ({game.soft17.clause})",
            param_hint="--soft17",
        )
    return soft17


def _dealing_option(bet: GameBet, option: int | None) -> int | None:
    accepted = bet.dealing_option
    if accepted is None:
        if option is not None:
            raise click.BadParameter(
                f"the bet {bet.id} has no dealing options ({bet.clause})", param_hint="--option"
            )
        return None
    if option is None:
        return accepted.accepted[0]
    if option not in accepted.accepted:
        choices = " or ".join(map(str, accepted.accepted))
        raise click.BadParameter(
            f"{option} is not {choices} ({accepted.clause})", param_hint="--option"
        )
    return option


def _meters(paytable: Paytable, given: tuple[tuple[str, int], ...]) -> dict[MeterId, int] | None:
    known = [meter.id for meter in paytable.meters]
    for meter, _ in given:
        if meter not in known:
            names = ", ".join(known) or "none at all"
            raise click.BadParameter(
                f"paytable {paytable.id} has no meter {meter!r} (it has: {names})",
                param_hint="--meter",
            )
    amounts = {MeterId(meter): cents for meter, cents in given}
    if len(amounts) < len(given):
        raise click.BadParameter("a meter is given twice", param_hint="--meter")
    return amounts or None


def _not_one_of(given: str | None, choices: list[str], *, param_hint: str) -> click.BadParameter:
    what = "missing" if given is None else f"unknown: {given!r}"
    return click.BadParameter(f"{what} (use {', '.join(choices)})", param_hint=param_hint)
