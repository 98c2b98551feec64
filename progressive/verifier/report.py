"""What goes into an audit and what comes out of it."""

from collections.abc import Iterator
from dataclasses import dataclass

from progressive.verifier.findings import Problem
from progressive.verifier.recorded.guard_events import ClockStepped, LossAccepted
from progressive.verifier.rules.books import Books
from progressive.verifier.rules.totals import Totals
from progressive.verifier.seals_report import SealsReport, UntriedKeys


@dataclass(frozen=True, slots=True)
class StoredLink:
    """A link as its store keeps it. A store may have been tampered with: any value may be any."""

    link: object
    epoch: object
    seq: object
    head: object
    snapshots: tuple[tuple[object, object], ...] = ()
    """Seq and body of each saved state."""


@dataclass(frozen=True, slots=True)
class StoredBatch:
    """A batch as its store keeps it."""

    first_seq: object
    last_seq: object
    epoch: object
    body: object


@dataclass(frozen=True, slots=True)
class StoredSnapshot:
    """A saved state as its store keeps it."""

    seq: int
    body: bytes


@dataclass(frozen=True, slots=True)
class AuditedSegments:
    """The closed part of a journal. What lies behind a problem is counted, and not proved."""

    count: int
    first_day: str
    last_day: str
    last_seq: int
    """The open part begins after it."""
    bytes: int
    """All files that are there."""


@dataclass(frozen=True, slots=True)
class PurgedSegments:
    """The oldest segments, whose records were removed as two people decided.

    All counts of the report begin after them; amounts go on from the state that follows them.
    """

    count: int
    first_day: str
    last_day: str
    last_seq: int
    last_at: str


@dataclass(frozen=True, slots=True)
class AuditedAmounts:
    """One meter at the end of the journal."""

    id: str
    primary_microcents: int
    reset_microcents: int
    overflow_microcents: int


@dataclass(frozen=True, slots=True)
class AuditedHits:
    """How often one meter was ever won, and what it ever paid; voided ones are among them."""

    id: str
    hits: int
    wins_cents: int
    voided_hits: int
    voided_cents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditedAwards:
    """The awards of a journal, by what has become of them."""

    made: int
    from_rack: int
    """Paid at once; the others need people."""
    pending: int
    validated: int
    paid: int
    void: int
    corrections: int
    """Approved ones: beside awards and misdeals nothing else moves a meter."""
    documents: int
    """The last number of the service's own series."""
    meters: tuple[AuditedHits, ...]


@dataclass(frozen=True, slots=True)
class AuditedDays:
    """The gaming days that finance has closed: all from the first to the last."""

    first: str
    last: str
    restated: int
    """Days that were stated again with what was booked late."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkReport:
    """What the verifier found out about a link."""

    link: str
    records: int
    """Good ones: up to the problem, or all."""
    head: str
    """Hash of the last record that was read."""
    rounds: int
    voided: int
    open: int
    wagers: int
    first_at: str | None
    last_at: str | None
    clock_steps_back: int
    """How often a record is older than the one before: in what older versions wrote, no break."""
    meters: tuple[AuditedAmounts, ...]
    """Empty where there is a problem: amounts that cannot be proved are not told."""
    totals: Totals | None
    awards: AuditedAwards | None
    problem: Problem | None
    losses: tuple[LossAccepted, ...] = ()
    """Records that are gone, as two people accepted: no break, and never to be passed over."""
    clock_steps: tuple[ClockStepped, ...] = ()
    """The machine's clock was set, as the journal says."""
    segments: AuditedSegments | None = None
    purged: PurgedSegments | None = None
    closed_days: AuditedDays | None = None
    """None: no day was closed."""
    open_records: int = 0
    """Good ones that lie in the journal's own file, behind all segments."""
    seals: SealsReport | None = None
    """None: the link is not sealed, or its records are not good."""
    untried: UntriedKeys | None = None
    """Only of records that came without what lies beside a journal."""
    apart: bool = False
    """The records came without what lies beside a journal: its seals may be elsewhere."""


def amounts_in(books: Books) -> tuple[AuditedAmounts, ...]:
    """The meters as they stand now."""
    return tuple(
        [AuditedAmounts(m.id, m.primary, m.reset, m.overflow) for m in books.accounts.meters],
    )


def days_in(books: Books) -> AuditedDays | None:
    """The gaming days that are closed."""
    days = books.days.days
    return AuditedDays(days.first, days.last, len(days.restated)) if days.first else None


def awards_in(books: Books) -> AuditedAwards:
    """What has become of all awards by now."""
    register = books.register
    return AuditedAwards(
        made=books.awards_made,
        from_rack=books.awards_from_rack,
        pending=register.count("pending"),
        validated=register.count("validated"),
        paid=register.paid,
        void=register.void,
        corrections=books.corrections.approved,
        documents=register.documents,
        meters=tuple(
            [
                AuditedHits(m.id, m.hits, m.wins_cents, m.voided_hits, m.voided_cents)
                for m in books.accounts.ever_meters.values()
            ]
        ),
    )


def warnings_in(report: LinkReport) -> Iterator[str]:
    """What breaks no rule, and whoever reads the report must know."""
    if count := report.clock_steps_back:
        yield f"the clock went back {count:,} {'time' if count == 1 else 'times'}"
    if report.clock_steps:
        last, count = report.clock_steps[-1], len(report.clock_steps)
        yield (
            f"the clock was set {count:,} {'time' if count == 1 else 'times'}; at the last it said "
            f"{last.clock_at} where {last.expected_at} was due"
        )
    for loss in report.losses:
        first, second = loss.by
        yield f"{_lost(loss)}, as {first.name} and {second.name} accepted ({loss.reason})"


def _lost(loss: LossAccepted) -> str:
    """What two people accepted."""
    found = f"{loss.found_seq:,} {'was' if loss.found_seq == 1 else 'were'} found"
    if loss.remembered is None and loss.finding:
        return f"the journal was another one: {found}, and the service said: {loss.finding}"
    if loss.remembered is None:
        return f"records may be gone: {found}, and what had been committed could not be read"
    was_seq = loss.remembered.seq
    if loss.found_seq >= was_seq:
        return f"the records are others: {found}, and record {was_seq:,} was not the committed one"
    return f"records are gone: {found} where {was_seq:,} had been committed"
