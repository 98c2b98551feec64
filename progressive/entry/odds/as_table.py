"""An answer about odds for people: tables, and under them what was assumed."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from progressive.domain.money import money_text
from progressive.domain.odds.answer import BonusOdds, Odds, Question
from progressive.domain.rulebook.line_names import line_name
from progressive.domain.rulebook.paytable import ForOne, Pays, ShareOfMeter, ToOne
from progressive.entry.odds.as_json import INFINITE, JsonSimulation, one_in


def print_odds(
    console: Console, question: Question, odds: Odds, simulation: JsonSimulation | None
) -> None:
    """Everything that was asked for, on a console."""
    for part in _parts(question, odds, simulation):
        console.print(part, highlight=False)


def _parts(
    question: Question, odds: Odds, simulation: JsonSimulation | None
) -> Iterator[RenderableType]:
    yield _lines(question, odds)
    yield from _sums(odds, question)
    if odds.free_bonus is not None:
        yield _bonus(question, odds.free_bonus)
        yield from _bonus_sums(odds.free_bonus)
    if simulation is not None:
        yield _simulation(question, simulation)
    yield Text("Assumed:")
    for assumption in odds.assumptions:
        yield Text(f"- {assumption}")
    yield Text("Exact fractions: --json", style="dim")


def _lines(question: Question, odds: Odds) -> Table:
    decks = question.shoe.decks or INFINITE
    of_decks = f"{decks} deck" if decks == 1 else f"{decks} decks"
    title = f"{question.bet.name}, paytable {question.paytable.id}, {of_decks}"
    pushes = any(each.push_probability is not None for each in odds.lines)
    table = _table(title, "line", "pays", "probability", "one in")
    if pushes:
        table.add_column("push", justify="right")
    for each in odds.lines:
        row = [_name(question, each.line.id), _pays(each.line.pays), *_chance(each.probability)]
        table.add_row(*row, *([_percent(each.push_probability)] if pushes else []))
    return table


def _sums(odds: Odds, question: Question) -> Iterator[Text]:
    currency = question.game.currency
    if odds.fixed_return is not None:
        yield Text(f"fixed return  {_percent(odds.fixed_return)}")
    if odds.house_edge is not None:
        yield Text(f"house edge    {_percent(odds.house_edge)}")
    elif question.paytable.meters:
        yield Text("house edge    depends on the meters: --meter ID=CENTS")
    for meter, cents in odds.break_even_cents.items():
        amount = "never: it cannot be won" if cents is None else money_text(cents, currency)
        alone = ", the other meters empty" if len(odds.break_even_cents) > 1 else ""
        yield Text(f"break-even    {meter} {amount}{alone}")


def _bonus(question: Question, bonus: BonusOdds) -> Table:
    table = _table(f"Free bonus {bonus.paytable}", "line", "bonus", "probability", "one in")
    for each in bonus.lines:
        amount = money_text(each.line.cents, question.game.currency)
        table.add_row(_name(question, each.line.id), amount, *_chance(each.probability))
    return table


def _bonus_sums(bonus: BonusOdds) -> Iterator[Text]:
    yield Text(f"worth         {float(bonus.worth_cents):.4f} cents a round")
    if bonus.house_edge_with_bonus is not None:
        yield Text(f"house edge    {_percent(bonus.house_edge_with_bonus)} with the bonus")


def _simulation(question: Question, simulation: JsonSimulation) -> Table:
    title = f"Simulated: {simulation.hands:,} hands, seed {simulation.seed}"
    table = _table(title, "line", "count", "frequency", "expected", "z")
    for each in simulation.lines:
        name = _name(question, each.line)
        name = name if each.result == "win" else f"{name} ({each.result})"
        z = "-" if each.z is None else f"{each.z:+.2f}"
        table.add_row(name, f"{each.count:,}", f"{each.frequency:.6%}", f"{each.expected:.6%}", z)
    return table


def _name(question: Question, line: str) -> str:
    return line_name(line, player_dealer=question.game.player_dealer is not None)


def _table(title: str, first: str, *others: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold")
    # A name may take a second line; half a number would be a wrong one.
    table.add_column(first)
    for other in others:
        table.add_column(other, justify="right", no_wrap=True)
    return table


def _chance(probability: Fraction) -> Sequence[str]:
    hands = one_in(probability)
    return _percent(probability), "never" if hands is None else f"{hands:,.2f}"


def _pays(pays: Pays) -> str:
    match pays:
        case ShareOfMeter(meter=meter, share_percent=share):
            return f"{share}% of {meter}"
        case ForOne(for_one=for_one):
            return f"{for_one} for 1"
        case ToOne(to=to, per=per):
            return f"{to} to {per}"


def _percent(part: Fraction | None) -> str:
    return "-" if part is None else f"{float(part):.6%}"
