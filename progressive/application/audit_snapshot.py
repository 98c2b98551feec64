"""COLD. A stored snapshot against the audit's own books.

A start trusts the snapshot for all that lies before it, so what is in it is compared and not only
its digest: a writer that saved a wrong state would vouch for it all the same.
"""

from collections.abc import Mapping
from hashlib import sha256

import msgspec
from msgspec import Struct

from progressive.application.audit_books import AuditedTable, Books
from progressive.application.audit_findings import DiscrepancyError, differs, shown
from progressive.application.ports import StoredSnapshot
from progressive.domain.commands import Wager
from progressive.domain.events import Checkpointed, Event, MeterFlow, Stake
from progressive.domain.rules import LinkTerms


class _Round(Struct, frozen=True):
    round: str
    wagers: tuple[Wager, ...]
    stakes: tuple[Stake, ...]
    flows: tuple[MeterFlow, ...]
    hold: int


class _Table(Struct, frozen=True):
    last_seq: int
    round: _Round | None
    last_round: str | None


class _Counters(Struct, frozen=True):
    wagers_cents: int
    voided_cents: int


class _Kept(Struct, frozen=True):
    """The parts of a snapshot that the journal alone decides."""

    link: str
    seq: int
    terms: LinkTerms
    terms_version: int
    balances: list[tuple[str, str, int]]
    bet_counters: dict[str, _Counters]
    tables: dict[str, _Table]
    primaries: tuple[int, ...] | None = None


_decoder = msgspec.json.Decoder(_Kept)


def check_snapshot(snapshot: StoredSnapshot, books: Books, *, vouching: Event) -> None:
    """Raise unless the record after the snapshot vouches for it and the books agree with it."""
    of = f"the stored snapshot at {snapshot.seq}"
    if not isinstance(vouching, Checkpointed):
        raise DiscrepancyError(f"{of} has no checkpointed record after it")
    if (digest := sha256(snapshot.body).hexdigest()) != vouching.state_digest:
        raise differs(f"{of}: state_digest", stored=vouching.state_digest, recomputed=digest)
    try:
        kept = _decoder.decode(snapshot.body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DiscrepancyError(f"{of} is unreadable: {shown(str(error))}") from None
    for what, stored, recomputed in (
        ("link", kept.link, books.link),
        ("seq", kept.seq, snapshot.seq),
        ("terms", kept.terms, books.terms),
        ("terms_version", kept.terms_version, books.terms_version),
    ):
        if stored != recomputed:
            raise differs(f"{of}: {what}", stored=stored, recomputed=recomputed)
    _compare(
        of,
        {f"{kind} {name}".rstrip(): amount for kind, name, amount in kept.balances},
        _balances(books),
    )
    _compare(
        of,
        {
            f"wagers and voids of {bet}": (counted.wagers_cents, counted.voided_cents)
            for bet, counted in kept.bet_counters.items()
        },
        {
            f"wagers and voids of {bet.id}": (bet.wagered_cents, bet.voided_cents)
            for bet in books.bets
        },
    )
    _compare(
        of,
        {f"table {name}": table for name, table in kept.tables.items()},
        {f"table {name}": _as_kept(table) for name, table in books.tables.items()},
    )
    primaries = tuple([meter.primary for meter in books.meters])
    if kept.primaries not in (None, primaries):
        raise differs(f"{of}: primaries", stored=kept.primaries, recomputed=primaries)


def _balances(books: Books) -> dict[str, int]:
    """The accounts as a snapshot writes them: what money came from is negative."""
    totals = books.totals
    balances = {
        "wagers chip": -totals.wagers_chip,
        "wagers coupon": -totals.wagers_coupon,
        "refunds chip": totals.refunds_chip,
        "refunds coupon": totals.refunds_coupon,
        "hold": totals.hold,
        "funding": -totals.funding,
    }
    for meter in books.meters:
        balances[f"primary {meter.id}"] = meter.primary
        balances[f"reset {meter.id}"] = meter.reset
        balances[f"overflow {meter.id}"] = meter.overflow
    return balances


def _as_kept(table: AuditedTable) -> _Table:
    opened = table.opened
    return _Table(
        last_seq=table.last_seq,
        round=None
        if opened is None
        else _Round(opened.round, opened.wagers, opened.stakes, opened.flows, opened.hold),
        last_round=table.last_round,
    )


def _compare(of: str, stored: Mapping[str, object], recomputed: Mapping[str, object]) -> None:
    if stored == recomputed:
        return
    for what in [*recomputed, *stored]:
        was, ought = stored.get(what, "nothing"), recomputed.get(what, "nothing")
        if was != ought:
            raise differs(f"{of}: {shown(what)}", stored=was, recomputed=ought)
