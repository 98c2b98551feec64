"""`progressive check FILE`: every problem of a floor file in one run, one line each."""

from pathlib import Path

import click
import msgspec

from progressive.adapters.config.files import path_text
from progressive.adapters.config.floor import ConfigError, Problem, load_floor
from progressive.domain.money import PPM
from progressive.domain.rulebook.rules import FloorRules
from progressive.runtime.streams import print_line


class CheckResult(msgspec.Struct):
    """What `--json` prints."""

    ok: bool
    problems: tuple[Problem, ...]
    warnings: tuple[Problem, ...]


@click.command("check")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, for machines.")
def command(file: Path, as_json: bool) -> None:
    """Check the floor file FILE against its rule texts.

    Prints one line a problem, with the key, the value and the clause it offends, and exits with
    2; all problems are found in one run. Warnings alone exit with 0, as does a good file, which
    is summed up in one line.

    Game and jurisdiction files are looked for in games/ and jurisdictions/ beside FILE, then
    among those that come with the program.
    """
    rules: FloorRules | None = None
    try:
        loaded = load_floor(file)
    except ConfigError as error:
        result = CheckResult(ok=False, problems=error.problems, warnings=error.warnings)
    else:
        rules = loaded.rules
        result = CheckResult(ok=True, problems=(), warnings=loaded.warnings)
    if as_json:
        click.echo(msgspec.json.encode(result))
    else:
        for problem in result.problems:
            print_line(problem.line())
        for warning in result.warnings:
            print_line(warning.line(warning=True))
        if rules is not None:
            print_line(f"{path_text(file)}: good: {_summary(rules)}")
    if not result.ok:
        raise SystemExit(2)


def _summary(rules: FloorRules) -> str:
    """The floor in one line, for a reader who wants to see that it is the right one."""
    bets = [bet for link in rules.links for bet in link.terms.bets]
    meters = sum(len(bet.meters) for bet in bets)
    rates_ppm = sorted(
        sum(meter.rate_ppm + meter.reset_rate_ppm for meter in bet.meters)
        for bet in bets
        if bet.progressive
    )
    parts = [
        rules.name,
        _count(len(rules.links), "link"),
        _count(sum(len(link.tables) for link in rules.links), "table"),
        _count(meters, "meter"),
    ]
    if rates_ppm:
        low, high = _percent(rates_ppm[0]), _percent(rates_ppm[-1])
        taken = low if low == high else f"{low} to {high}"
        parts.append(f"{taken} of each wager to the meters")
    return ", ".join(parts)


def _count(number: int, of: str) -> str:
    return f"{number} {of}" if number == 1 else f"{number} {of}s"


def _percent(rate_ppm: int) -> str:
    """`24%`, `20.0001%`: exact, as a rate just below a legal floor must not look like it."""
    whole, rest = divmod(rate_ppm * 100, PPM)
    return f"{whole}.{rest:06}".rstrip("0").rstrip(".") + "%"
