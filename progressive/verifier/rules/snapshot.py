"""A stored snapshot against the verifier's own books.

A start trusts the snapshot for all that lies before it, so what is in it is compared and not only
its digest: a writer that saved a wrong state would vouch for it all the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

from progressive.verifier.findings import DiscrepancyError, differs, shown
from progressive.verifier.record import read_json, shown_error
from progressive.verifier.recorded.decoder import UnreadableError, reader_of
from progressive.verifier.recorded.events import Event
from progressive.verifier.recorded.house import FloorRecord
from progressive.verifier.recorded.person_events import (
    CorrectionProposed,
    RetirementProposed,
    TermsProposed,
)
from progressive.verifier.recorded.table_events import Checkpointed, SettledEarly
from progressive.verifier.recorded.terms import LinkTerms
from progressive.verifier.recorded.values import MeterFlow, PlainWagers, Signature, Stake, Wager
from progressive.verifier.report import StoredSnapshot
from progressive.verifier.rules.books import Books
from progressive.verifier.rules.closed_days import Days
from progressive.verifier.rules.register import AuditedAward, WonMeter
from progressive.verifier.rules.tables import AuditedTable

_ADDED_ACCOUNTS: Final = ("pending", "paid", "returned", "corrections", "parked")
"""Accounts that older snapshots do not know: nothing lay there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptRound:
    """An open round."""

    round: str
    terms_version: int
    wagers: tuple[Wager, ...]
    plain: PlainWagers | None = None
    stakes: tuple[Stake, ...]
    flows: tuple[MeterFlow, ...]
    hold: int


@dataclass(frozen=True, slots=True)
class _Table:
    last_seq: int
    round: KeptRound | None
    last_round: str | None


@dataclass(frozen=True, slots=True)
class _Counters:
    wagers_cents: int
    voided_cents: int


@dataclass(frozen=True, slots=True)
class _Hits:
    hits: int
    wins_cents: int
    voided_hits: int = 0
    voided_cents: int = 0


@dataclass(frozen=True, slots=True)
class Kept:
    """The parts of a snapshot that the journal alone decides."""

    link: str
    seq: int
    terms: LinkTerms
    terms_version: int
    balances: list[tuple[str, str, int]]
    bet_counters: dict[str, _Counters]
    tables: dict[str, _Table]
    primaries: tuple[int, ...] | None = None
    meter_counters: dict[str, _Hits] | None = None
    dealers: dict[str, Signature] = field(default_factory=dict)
    sign_ons: dict[str, int] = field(default_factory=dict)
    early: dict[str, SettledEarly] = field(default_factory=dict)
    awards: list[AuditedAward] = field(default_factory=list)
    won: dict[int, tuple[WonMeter, ...]] = field(default_factory=dict)
    finals: list[AuditedAward] = field(default_factory=list)
    corrections: list[CorrectionProposed] = field(default_factory=list)
    documents: int = 0
    manual_documents: list[str] = field(default_factory=list)
    terms_proposed: TermsProposed | None = None
    former_terms: dict[int, LinkTerms] = field(default_factory=dict)
    floor: FloorRecord | None = None
    retirement: RetirementProposed | None = None
    retired: bool = False
    days: Days = field(default_factory=Days)


_read_kept: Final = reader_of(Kept, exact=False)


def read_kept(body: bytes, of: str) -> Kept:
    """A saved state; raises where the bytes are none."""
    try:
        kept: Kept = _read_kept(read_json(body))
    except UnreadableError as error:
        raise DiscrepancyError(f"{of} is unreadable: {shown_error(str(error))}") from None
    return kept


def check_snapshot(snapshot: StoredSnapshot, books: Books, *, vouching: Event) -> None:
    """Raise unless the record after the snapshot vouches for it and the books agree with it."""
    of = f"the stored snapshot at {snapshot.seq}"
    if not isinstance(vouching, Checkpointed):
        raise DiscrepancyError(f"{of} has no checkpointed record after it")
    if (digest := sha256(snapshot.body).hexdigest()) != vouching.state_digest:
        raise differs(f"{of}: state_digest", stored=vouching.state_digest, recomputed=digest)
    kept = read_kept(snapshot.body, of)
    for what, stored, recomputed in (
        ("link", kept.link, books.link),
        ("seq", kept.seq, snapshot.seq),
        ("terms", kept.terms, books.terms),
        ("terms_version", kept.terms_version, books.terms_version),
    ):
        if stored != recomputed:
            raise differs(f"{of}: {what}", stored=stored, recomputed=recomputed)
    _compare(of, stored_balances(kept), books.accounts.balances())
    _compare(
        of,
        {
            f"wagers and voids of {bet}": (counted.wagers_cents, counted.voided_cents)
            for bet, counted in kept.bet_counters.items()
        },
        {
            f"wagers and voids of {bet.id}": (bet.wagered_cents, bet.voided_cents)
            for bet in books.accounts.ever_bets.values()
        },
    )
    _compare(
        of,
        {f"table {name}": table for name, table in kept.tables.items()},
        {f"table {name}": _as_kept(table) for name, table in books.tables.items()},
    )
    primaries = tuple([meter.primary for meter in books.accounts.meters])
    if kept.primaries not in (None, primaries):
        raise differs(f"{of}: primaries", stored=kept.primaries, recomputed=primaries)
    _check_awards(of, kept, books)
    _check_proposals(of, kept, books)


def _check_awards(of: str, kept: Kept, books: Books) -> None:
    """Whatever people may still do something about, and what was ever won."""
    register = books.register
    if kept.meter_counters is not None:
        _compare(
            of,
            {f"hits of {meter}": counted for meter, counted in kept.meter_counters.items()},
            {
                f"hits of {m.id}": _Hits(m.hits, m.wins_cents, m.voided_hits, m.voided_cents)
                for m in books.accounts.ever_meters.values()
            },
        )
    early = {name: table.early for name, table in books.tables.items() if table.early is not None}
    # A snapshot may remember fewer finished awards than there were, but no others.
    finals = list(register.finals)[-len(kept.finals) :] if kept.finals else []
    # Nor need it know by which record a dealer signed on under an older version.
    sign_ons = {of: seq for of, seq in register.sign_ons.items() if of in kept.sign_ons}
    for what, stored, recomputed in (
        ("dealer of", kept.dealers, register.dealers),
        ("sign-on at", kept.sign_ons, sign_ons),
        ("settled early at", kept.early, early),
        ("award", _by_id(kept.awards), register.awards),
        ("finished award", _by_id(kept.finals), _by_id(finals)),
        ("meters won by record", kept.won, register.won),
    ):
        _compare(
            of,
            {f"{what} {key}": value for key, value in stored.items()},
            {f"{what} {key}": value for key, value in recomputed.items()},
        )
    # The order of payment is the order in which a round is settled again.
    _compare(
        of,
        {
            "documents": kept.documents,
            "manual documents": sorted(kept.manual_documents),
            "order of awards": [award.made.award for award in kept.awards],
        },
        {
            "documents": register.documents,
            "manual documents": sorted(register.manual_documents),
            "order of awards": list(register.awards),
        },
    )


def _check_proposals(of: str, kept: Kept, books: Books) -> None:
    """What waits for a second signature, and the terms of rounds that were locked before."""
    opened = [table.opened for table in books.tables.values() if table.opened is not None]
    former = {round_.terms_version for round_ in opened} - {books.terms_version}
    _compare(
        of,
        {f"correction {each.correction}": each for each in kept.corrections}
        | {f"terms of version {version}": terms for version, terms in kept.former_terms.items()}
        | {"terms proposed": kept.terms_proposed, "floor": kept.floor}
        | {"retirement": kept.retirement, "retired": kept.retired, "days": kept.days},
        {f"correction {name}": each for name, each in books.corrections.proposed.items()}
        | {f"terms of version {version}": books.in_force[version].terms for version in former}
        | {"terms proposed": books.terms_proposed, "floor": books.floor}
        | {"retirement": books.retirement.proposed, "retired": books.retirement.done}
        | {"days": books.days.days},
    )


def _by_id(awards: Sequence[AuditedAward]) -> dict[str, AuditedAward]:
    return {award.made.award: award for award in awards}


def stored_balances(kept: Kept) -> dict[str, int]:
    """The accounts of a state by name."""
    stored = {f"{kind} {name}".rstrip(): amount for kind, name, amount in kept.balances}
    return dict.fromkeys(_ADDED_ACCOUNTS, 0) | stored


def _as_kept(table: AuditedTable) -> _Table:
    opened = table.opened
    return _Table(
        last_seq=table.last_seq,
        round=None
        if opened is None
        else KeptRound(
            round=opened.round,
            terms_version=opened.terms_version,
            wagers=opened.listed,
            plain=opened.plain,
            stakes=opened.stakes,
            flows=opened.flows,
            hold=opened.hold,
        ),
        last_round=table.last_round,
    )


def _compare(of: str, stored: Mapping[str, object], recomputed: Mapping[str, object]) -> None:
    if stored == recomputed:
        return
    for what in [*recomputed, *stored]:
        was, ought = stored.get(what, "nothing"), recomputed.get(what, "nothing")
        if was != ought:
            raise differs(f"{of}: {shown(what)}", stored=was, recomputed=ought)
