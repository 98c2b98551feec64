"""`progressive odds --simulate`: hands dealt at random, beside the exact answer.

Needs numpy, which is an extra: to be imported only where a simulation is asked for.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Final

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from progressive.domain.odds.answer import Odds, Question
from progressive.entry.odds.as_json import JsonSimulation
from progressive.montecarlo.game import Setup
from progressive.montecarlo.run import simulate
from progressive.montecarlo.score import Event, observed

PROGRESS_EVERY: Final = 1_000_000
"""Hands between two movements of the bar: drawing must not slow the dealing."""


def simulated(question: Question, odds: Odds, *, hands: int, seed: int) -> JsonSimulation:
    """Deal so many hands and hold them against the answer; how fast goes to standard error."""
    setup = Setup(
        decks=question.shoe.decks,
        lines=tuple(line.id for line in question.paytable.lines),
        dealing_option=question.dealing.option or 1,
        dealer_procedure=question.dealing.procedure,
        soft17=question.dealing.soft17,
        free_bonus=question.free_bonus is not None,
    )
    began = time.perf_counter()
    with _bar(hands) as draw:
        seen = simulate(question.bet.reader, setup, hands=hands, seed=seed, on_progress=draw)
    took_seconds = time.perf_counter() - began
    click.echo(
        f"dealt {hands:,} hands in {took_seconds:.2f} s: "
        f"{hands / took_seconds / 1e6:.1f} million a second",
        err=True,
    )
    lines = observed(seen, _expected(odds), hands=hands)
    return JsonSimulation(hands=hands, seed=seed, lines=lines)


def _expected(odds: Odds) -> dict[Event, Fraction]:
    """Everything in the answer that a simulation can see."""
    wins = {Event("win", each.line.id): each.probability for each in odds.lines}
    pushes = {
        Event("push", each.line.id): each.push_probability
        for each in odds.lines
        if each.push_probability is not None
    }
    bonus_lines = () if odds.free_bonus is None else odds.free_bonus.lines
    bonuses = {Event("free_bonus", each.line.id): each.probability for each in bonus_lines}
    return wins | pushes | bonuses


@contextmanager
def _bar(hands: int) -> Iterator[Callable[[int], None]]:
    """A bar on standard error, where that is a terminal; what it yields moves it."""
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:,} of {task.total:,}"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    ) as progress:
        task = progress.add_task("hands", total=hands)
        drawn = 0

        def draw(dealt: int) -> None:
            nonlocal drawn
            if dealt - drawn >= PROGRESS_EVERY:
                drawn = dealt
                progress.update(task, completed=dealt)

        yield draw
