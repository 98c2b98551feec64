"""`progressive explain`: how a meter came to its amount, line by line, to the microcent."""

import asyncio
import sys
from datetime import tzinfo
from pathlib import Path
from typing import Final

import click
import msgspec

from progressive.adapters.clock import SystemClock
from progressive.adapters.data_directory import refuse_unusable
from progressive.adapters.day_books import FileBookCache
from progressive.adapters.sqlite.journal_reader import SqliteJournalReader
from progressive.application.finance.days import LinkDays
from progressive.application.finance.questions.asking import known_link
from progressive.application.finance.questions.books import Books
from progressive.application.finance.questions.explain import Explanation, explain
from progressive.application.finance.questions.explain_lines import ExplainLine
from progressive.application.finance.questions.moments import BadMomentError, record_asked
from progressive.application.finance.refusals import FinanceRefusedError
from progressive.application.journal.ports import JournalReader
from progressive.application.journal.times import clock_text
from progressive.domain.money import MICROCENTS_PER_CENT
from progressive.runtime.plain_errors import CannotRunError, FindingError

_NAMED_MAX: Final = 3
"""Records of one line: of more, the rest is counted."""


@click.command("explain")
@click.argument("link")
@click.argument("meter")
@click.option(
    "--data",
    required=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The service's data directory, or one that a backup was restored into.",
)
@click.option(
    "--at",
    metavar="TIME|SEQ",
    help="A moment (RFC 3339, or the floor's time; of an hour that comes twice, the first, unless "
    "an offset says otherwise) or a record; else the journal's end.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, for machines.")
def command(link: str, meter: str, data: Path, at: str | None, as_json: bool) -> None:
    """How METER of LINK came to its amount, from its last reset to the last microcent.

    Wagers by table and version of the terms, each times its rate; the house's money, awards,
    corrections; every line with the journal records behind it; the sum.

    Exit 1 where the sum is not the meter.
    """
    refuse_unusable(data)
    reader = SqliteJournalReader(data, unchanged=True)
    try:
        found, zone = asyncio.run(_explained(reader, data, link, meter, at))
    except FinanceRefusedError as error:
        raise CannotRunError(str(error)) from None
    if as_json:
        sys.stdout.buffer.write(msgspec.json.encode(found) + b"\n")
    else:
        for line in _texts(found, zone):
            click.echo(line)
    if found.difference_microcents:
        raise FindingError(
            f"{link}: {meter} is not the sum: {found.difference_microcents} microcents differ"
        )


async def _explained(
    reader: JournalReader, data: Path, link: str, meter: str, at: str | None
) -> tuple[Explanation, tzinfo]:
    name = await known_link(reader, link)
    days = await LinkDays.load(reader, name)
    books = Books(reader, name, days, cache=FileBookCache(data))
    try:
        asked = await record_asked(reader, name, days, at, now=SystemClock().now())
    except BadMomentError as error:
        raise click.BadParameter(str(error), param_hint="--at") from None
    if asked.note:
        click.echo(f"note: --at {asked.note}", err=True)
    found = await explain(reader, name, meter, books, seq=asked.seq)
    await books.confirm()
    return found, days.zone


def _texts(found: Explanation, zone: tzinfo) -> list[str]:
    """As narrow as the figures allow: nothing is cut, and a terminal may be small."""
    above = [
        (f"before record {found.from_seq}", found.opening_microcents, ""),
        *[(_what(line), line.microcents, f"  {_records(line)}") for line in found.lines],
    ]
    below = [
        ("sum", found.sum_microcents, ""),
        (f"on display ({_cents(found.cents)})", found.microcents, ""),
        ("difference", found.difference_microcents, ""),
    ]
    what_width = max(len(what) for what, _, _ in (*above, *below))
    amount_width = max(len(_exact(amount)) for _, amount, _ in (*above, *below))

    def lines(parts: list[tuple[str, int, str]]) -> list[str]:
        return [
            f"{what:<{what_width}}  {_exact(amount):>{amount_width}}{records}"
            for what, amount, records in parts
        ]

    return [
        f"{found.link}: {found.meter} after record {found.seq} ({clock_text(found.at, zone)})",
        "",
        *lines(above),
        "─" * (what_width + 2 + amount_width),
        *lines(below),
    ]


def _what(line: ExplainLine) -> str:
    if line.wager_cents is not None:
        return (
            f"{line.what} at {line.table}, terms {line.terms_version}: "
            f"{_cents(line.wager_cents)} x {line.rate_ppm} ppm"
        )
    about = f" {line.award} at {line.table}" if line.award is not None else ""
    return f"{line.what}{about}"


def _exact(amount: int) -> str:
    """Every digit, so that the column adds up."""
    whole, fraction = divmod(abs(amount), MICROCENTS_PER_CENT)
    sign = "-" if amount < 0 else ""
    return f"{sign}{whole // 100:,}.{whole % 100:02}{fraction:06}"


def _records(line: ExplainLine) -> str:
    """The records behind a line, as many as a person reads; `--json` has them all."""
    if not line.records:
        return f"records {line.first_seq} to {line.last_seq}"
    if len(line.records) == 1:
        return f"record {line.records[0]}"
    if len(line.records) <= _NAMED_MAX:
        *most, last = line.records
        return f"records {', '.join(map(str, most))} and {last}"
    named = ", ".join(map(str, line.records[: _NAMED_MAX - 1]))
    return f"records {named} and {len(line.records) - _NAMED_MAX + 1:,} more"


def _cents(cents: int) -> str:
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100:,}.{abs(cents) % 100:02}"
