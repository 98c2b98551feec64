"""The lines of an explanation, from the day books of its sum: each amount with its records."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from progressive.application.finance.book.day_book import DayBook
from progressive.application.finance.book.figures import Behind, Cause, PartFlows
from progressive.domain.ids import MeterId
from progressive.domain.money import MICROCENTS_PER_CENT

_REST: tuple[tuple[Cause, str], ...] = (
    ("house_initial", "put there by the house at the beginning"),
    ("house_reset", "put there by the house at resets"),
    ("reserve_moved", "from the reset meter"),
    ("overflow_moved", "from the overflow meter"),
    ("award_void_back", "back from awards that were voided"),
    ("corrections", "corrections"),
    ("transfers", "transfers from and to other meters"),
    ("retired", "parked at the end of the link"),
)


class ExplainLine(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of the sum."""

    what: str
    microcents: int
    table: str | None = None
    terms_version: int | None = None
    wager_cents: int | None = None
    rate_ppm: int | None = None
    award: str | None = None
    first_seq: int | None = None
    last_seq: int | None = None
    records: tuple[int, ...] = ()
    """Every record behind the line; empty for wagers: these are the lock-outs of the table between
    the first and the last, by those terms, and may be a million."""


def explain_lines(
    books: Sequence[DayBook], meter: MeterId, limited: Mapping[int, int]
) -> Iterator[ExplainLine]:
    """`limited`: what the limit kept out of single lock-outs, by record."""
    moved = PartFlows()
    records: dict[Cause, dict[int, int]] = {}
    for book in books:
        each = book.flows.get(meter, {}).get("primary")
        if each is not None:
            for name in PartFlows.__struct_fields__:
                if name not in Behind.__struct_fields__:
                    setattr(moved, name, getattr(moved, name) + getattr(each, name))
        for cause, single in book.moved.get(meter, {}).items():
            of_cause = records.setdefault(cause, {})
            for one in single:
                of_cause[one.seq] = of_cause.get(one.seq, 0) + one.microcents
    yield from _awards(books, meter, moved, records.get("awards", {}))
    yield from _wagers(books, meter, moved, limited, records.get("void_contra", {}))
    for cause, what in _REST:
        amount = getattr(moved, cause)
        if amount:
            yield _line(what, amount, records.get(cause, {}))


def _line(what: str, amount: int, moved: Mapping[int, int]) -> ExplainLine:
    """`moved`: the records behind it; one that moved nothing in the end is none of them."""
    return ExplainLine(
        what=what, microcents=amount, **_behind([seq for seq, each in moved.items() if each])
    )


def _behind(records: Iterable[int]) -> dict[str, Any]:
    found = tuple(sorted(records))
    if not found:
        return {}
    return {"first_seq": found[0], "last_seq": found[-1], "records": found}


def _awards(
    books: Sequence[DayBook], meter: MeterId, moved: PartFlows, records: Mapping[int, int]
) -> Iterator[ExplainLine]:
    """Each award from the meter; what no award accounts for is a line of its own."""
    entries = {
        entry.made.award: entry
        for book in books
        for entry in book.awards.values()
        if entry.made.meter == meter and entry.seq > books[0].opening.seq
    }
    left, left_of = moved.awards, dict(records)
    for award, entry in entries.items():
        amount = -entry.made_cents * MICROCENTS_PER_CENT
        left -= amount
        left_of[entry.seq] = left_of.get(entry.seq, 0) - amount
        yield ExplainLine(
            what=f"award of {entry.made.share_percent} % ({entry.status})",
            microcents=amount,
            table=entry.table,
            award=award,
            **_behind([entry.seq]),
        )
    if left:
        yield _line("awards that no entry accounts for", left, left_of)


def _wagers(
    books: Sequence[DayBook],
    meter: MeterId,
    moved: PartFlows,
    limited: Mapping[int, int],
    kept: Mapping[int, int],
) -> Iterator[ExplainLine]:
    """Wagers by table and version of the terms, each times its rate, less what voids took back."""
    sums: dict[tuple[str, int, int], _AtTable] = {}
    for book in books:
        for use in book.tables.values():
            terms = book.closing.terms.get(use.terms_version)
            rules = None if terms is None else terms.bet_by_id.get(use.bet)
            rate = next(
                (each.rate_ppm for each in (rules.meters if rules else ()) if each.id == meter),
                None,
            )
            if rate is None:
                continue
            found = sums.setdefault((use.table, use.terms_version, rate), _AtTable())
            found.cents += use.cents
            found.voided_cents += use.voided_cents
            found.voids += use.voids
            found.stands_on(use.first_seq, use.last_seq)
    left = moved.contributions + moved.void_contra
    for (table, version, rate), at_table in sorted(sums.items(), key=lambda each: each[0]):
        if at_table.cents:
            left -= at_table.cents * rate
            yield ExplainLine(
                what="wagers", microcents=at_table.cents * rate, table=table,
                terms_version=version, wager_cents=at_table.cents, rate_ppm=rate,
                first_seq=at_table.first_seq, last_seq=at_table.last_seq,
            )  # fmt: skip
        if at_table.voided_cents:
            left += at_table.voided_cents * rate
            yield ExplainLine(
                what="voided rounds", microcents=-at_table.voided_cents * rate, table=table,
                terms_version=version, wager_cents=-at_table.voided_cents, rate_ppm=rate,
                **_behind(set(at_table.voids)),
            )  # fmt: skip
    if left:
        # Above the limit, or given back by the house because the meter had been won since.
        off = dict(limited)
        for seq, amount in kept.items():
            off[seq] = off.get(seq, 0) + amount
        yield _line("above the limit, or won before it was given back", left, off)


class _AtTable(Behind):
    """The wagers that fed the meter at one table by one version of the terms."""

    cents: int = 0
    voided_cents: int = 0
    voids: list[int] = field(default_factory=list)
