"""`progressive sign-log`: what a sign read at some moment, and how old that was."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

import click
import msgspec
from msgspec import Struct

from progressive.adapters import service_note
from progressive.adapters.config.floor import ConfigError, load_floor
from progressive.adapters.sqlite.journal_reader import SqliteJournalReader
from progressive.adapters.sqlite.sign_log_reader import open_sign_log
from progressive.application.journal.times import as_journal_time
from progressive.application.signs.history import GlassThen, Silence, glass_then, reading_of
from progressive.application.signs.reports import SignEntry, milliseconds, time_text
from progressive.domain.money import money_text
from progressive.domain.rulebook.rules import FloorRules
from progressive.runtime.options import SERVER
from progressive.runtime.plain_errors import FindingError


class ListedEntry(Struct, frozen=True, omit_defaults=True):
    """An entry of the listing, for machines."""

    at: str
    kind: str
    epoch: int = 0
    seq: int = 0
    state: str = ""
    meters: dict[str, int] = {}


@click.command("sign-log")
@click.argument("sign")
@click.option("--at", metavar="TIME", help="The moment: RFC 3339, like 2026-01-02T20:14:05-05:00.")
@click.option("--from", "begin", metavar="TIME", help="List what changed on the glass since then …")
@click.option("--to", "end", metavar="TIME", help="… until then.")
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    help="The service's data directory; without it that of the service running at --server.",
)
@click.option("--server", default="http://127.0.0.1:8080", show_default=True, type=SERVER)
@click.option(
    "--floor",
    type=click.Path(path_type=Path),
    help="The floor file: times without an offset are then local there, those printed too, and "
    "amounts have its currency.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, for machines.")
def command(
    sign: str,
    at: str | None,
    begin: str | None,
    end: str | None,
    data: Path | None,
    server: str,
    floor: Path | None,
    as_json: bool,
) -> None:
    """What SIGN read at a moment: each amount on the glass, the sign's state, its record, what the
    journal had by then, and since when the journal was ahead of the glass.

    Reads beside a running service, or after it. Exit 1 where the sign said nothing about that
    moment.
    """
    folder = data or service_note.find(server)
    if folder is None:
        raise click.UsageError("the data directory is missing: --data DIR")
    rules = None if floor is None else _rules(floor)
    zone = None if rules is None else ZoneInfo(rules.time_zone)
    # Neither the journal nor the sign log has a currency: without a floor file none is printed.
    currency = "" if rules is None else rules.currency
    if at is not None and begin is None and end is None:
        _moment(folder, sign, _ms(at, zone, "--at"), zone, currency, as_json=as_json)
    elif at is None and begin is not None and end is not None:
        from_ms, to_ms = _ms(begin, zone, "--from"), _ms(end, zone, "--to")
        _listing(folder, sign, from_ms, to_ms, zone, currency, as_json=as_json)
    else:
        raise click.UsageError("give --at TIME, or --from TIME and --to TIME")


def _rules(floor: Path) -> FloorRules:
    try:
        return load_floor(floor).rules
    except ConfigError as error:
        raise click.BadParameter(error.problems[0].line(), param_hint="--floor") from None


def _ms(text: str, zone: tzinfo | None, option: str) -> int:
    at = as_journal_time(text, zone)
    if at is None:
        needs = "a time" if zone is not None else "an RFC 3339 time with its offset"
        raise click.BadParameter(f"{text!r} is not {needs}", param_hint=option)
    return milliseconds(at)


# --- a moment -----------------------------------------------------------------------------------


def _moment(
    folder: Path, sign: str, at_ms: int, zone: tzinfo | None, currency: str, *, as_json: bool
) -> None:
    link, said = reading_of(open_sign_log(folder), sign, at_ms)
    if link is None:
        with open_sign_log(folder) as log:
            known = ", ".join(log.signs()) or "none"
        raise FindingError(f"nothing is stored of {sign}; signs in the log: {known}")
    if isinstance(said, Silence):
        raise FindingError(f"{sign}: {said.in_words()}")
    journal = SqliteJournalReader(folder, unchanged=True)
    glass = asyncio.run(glass_then(journal, sign=sign, link=link, report=said, at_ms=at_ms))
    if as_json:
        click.echo(msgspec.json.encode(glass))
    else:
        for line in _told(glass, zone or UTC, currency):
            click.echo(line)


def _told(glass: GlassThen, zone: tzinfo, currency: str) -> Iterator[str]:
    yield f"{glass.sign} (link {glass.link}) at {_clock(glass.at, zone, day=True)}"
    before = milliseconds(glass.at) - milliseconds(glass.reported_at)
    yield (
        f"{glass.state}, digits rolling towards record {glass.seq} of epoch {glass.epoch}; "
        f"reported {_seconds(before)} earlier"
    )
    names = max([len(meter.name) for meter in glass.meters], default=0)
    for meter in glass.meters:
        shown = "not shown" if meter.cents is None else money_text(meter.cents, currency)
        stored = meter.journal_cents
        durable = "" if stored is None else f"  journal {money_text(stored, currency)}"
        yield f"  {meter.name:{names}}  {shown:>16}{durable}"
    if glass.journal is None:
        yield "the journal begins later"
    elif glass.ahead is None:
        yield f"all that was durable: record {glass.journal.seq}"
    else:
        ahead = glass.ahead
        more, since = ("more than ", "before") if ahead.at_least else ("", "since")
        yield (
            f"the journal (record {glass.journal.seq}) was ahead of the glass for "
            f"{more}{_seconds(ahead.milliseconds)}: {since} record {ahead.seq} at "
            f"{_clock(ahead.at, zone)}"
        )


# --- a listing ----------------------------------------------------------------------------------


def _listing(
    folder: Path,
    sign: str,
    from_ms: int,
    to_ms: int,
    zone: tzinfo | None,
    currency: str,
    *,
    as_json: bool,
) -> None:
    with open_sign_log(folder) as log:
        listed = list(_changes(log.between(sign, from_ms=from_ms, to_ms=to_ms)))
    if not listed:
        raise FindingError(f"{sign}: nothing between {time_text(from_ms)} and {time_text(to_ms)}")
    if as_json:
        told = {"sign": sign, "entries": [_listed(entry) for entry in listed]}
        click.echo(msgspec.json.encode(told))
        return
    for entry in listed:
        click.echo(_line(entry, zone or UTC, currency))


def _changes(entries: Iterator[SignEntry]) -> Iterator[SignEntry]:
    """Without the reports that say what the one before said."""
    last: SignEntry | None = None
    for entry in entries:
        if last is None or msgspec.structs.replace(entry, at_ms=last.at_ms) != last:
            yield entry
        last = entry


def _listed(entry: SignEntry) -> ListedEntry:
    return ListedEntry(
        at=time_text(entry.at_ms),
        kind=entry.kind,
        epoch=entry.epoch,
        seq=entry.seq,
        state=entry.state,
        meters={each.meter: each.cents for each in entry.glass},
    )


_WORDS = {"connected": "connected", "gone": "gone", "cut": "the service ended without notice"}


def _line(entry: SignEntry, zone: tzinfo, currency: str) -> str:
    at = _clock(time_text(entry.at_ms), zone, day=True)
    if entry.kind != "showing":
        return f"{at}  {_WORDS[entry.kind]}"
    amounts = "  ".join(f"{each.meter} {money_text(each.cents, currency)}" for each in entry.glass)
    return f"{at}  {entry.state:<10}  {entry.epoch}.{entry.seq}  {amounts}"


def _clock(at: str, zone: tzinfo, *, day: bool = False) -> str:
    local = datetime.fromisoformat(at).astimezone(zone)
    text = local.strftime("%Y-%m-%d %H:%M:%S.%f" if day else "%H:%M:%S.%f")[:-3]
    return f"{text} {local.strftime('%Z')}" if day else text


def _seconds(ms: int) -> str:
    return f"{ms // 1000}.{ms % 1000:03} s"
