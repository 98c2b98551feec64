"""COLD. The audit's own books: every amount that a record names is computed again.

Written from the recorded terms alone. It must never borrow from `decide`, `evolve` or `ledger`:
a mistake made there has to show here.
"""

from msgspec import Struct

from progressive.application.audit_differences import flows_differ, stakes_differ
from progressive.application.audit_findings import DiscrepancyError, differs, shown
from progressive.application.audit_terms import AuditedBet, AuditedMeter, audited_bets
from progressive.domain.commands import Wager
from progressive.domain.events import (
    Checkpointed,
    Event,
    LinkOpened,
    MeterFlow,
    RoundSettled,
    RoundVoided,
    Stake,
    TableEvent,
    WagersRegistered,
)
from progressive.domain.money import MICROCENTS_PER_CENT
from progressive.domain.rules import LinkTerms


class AuditedTable:
    """A table's numbering and its open round."""

    __slots__ = ("last_round", "last_seq", "opened")

    def __init__(self) -> None:
        self.last_seq = 0
        self.opened: WagersRegistered | None = None
        self.last_round: str | None = None


class Totals(Struct):
    """Where money came from and where it lies now, in microcents."""

    wagers_chip: int = 0
    wagers_coupon: int = 0
    funding: int = 0
    meters: int = 0
    hold: int = 0
    refunds_chip: int = 0
    refunds_coupon: int = 0

    @property
    def came_in(self) -> int:
        """All that came from outside."""
        return self.wagers_chip + self.wagers_coupon + self.funding

    @property
    def lies(self) -> int:
        """All that lies somewhere now."""
        return self.meters + self.hold + self.refunds_chip + self.refunds_coupon


class Books:
    """A link's money and numbering as its journal tells them."""

    def __init__(self, link: str) -> None:
        self.link = link
        self.terms: LinkTerms | None = None
        self.terms_version = 0
        self.bets: list[AuditedBet] = []
        self.meters: list[AuditedMeter] = []
        self.tables: dict[str, AuditedTable] = {}
        self.totals = Totals()
        self.rounds = 0
        self.voided = 0
        self.wagers = 0
        self._bet_by_id: dict[str, AuditedBet] = {}
        self._meter_by_id: dict[str, AuditedMeter] = {}

    def enter(self, event: Event) -> None:
        """Take one event in; raises DiscrepancyError where it is not what it should be."""
        if self.terms is None:
            if not isinstance(event, LinkOpened):
                raise DiscrepancyError("a journal begins with link_opened")
            self._open(event)
            return
        match event:
            case WagersRegistered():
                self._lock(event)
            case RoundSettled():
                self._close_round(event)
            case RoundVoided():
                self._void(event)
            case Checkpointed():
                _check_digest(event.state_digest)
            case LinkOpened():
                raise DiscrepancyError("the link is opened a second time")
            case _:
                raise DiscrepancyError("awards are not audited yet")
        self._check_meters(event.meters)

    def check_balance(self) -> None:
        """Everything that came in lies somewhere, to the microcent."""
        totals = self.totals
        totals.meters = sum([m.primary + m.reset + m.overflow for m in self.meters])
        if totals.came_in != totals.lies:
            raise DiscrepancyError(
                f"the books do not balance: {totals.came_in} microcents came in, "
                f"{totals.lies} lie somewhere"
            )

    # --- events ------------------------------------------------------------------------------

    def _open(self, event: LinkOpened) -> None:
        if event.link != self.link:
            raise DiscrepancyError(f"this is the journal of {shown(event.link)}")
        if event.terms_version < 1:
            raise DiscrepancyError(f"{shown(event.terms_version)} is no version of terms")
        bets = audited_bets(event.terms)
        meters = [meter for bet in bets for meter in bet.meters]
        expected = tuple([MeterFlow(meter.id, meter.primary, 0, 0) for meter in meters])
        if event.funding != expected:
            raise flows_differ("funding", event.funding, expected)
        self.terms = event.terms
        self.terms_version = event.terms_version
        self.bets = bets
        self.meters = meters
        self._bet_by_id = {bet.id: bet for bet in bets}
        self._meter_by_id = {meter.id: meter for meter in meters}
        self.totals.funding = sum([flow.primary for flow in event.funding])

    def _lock(self, event: WagersRegistered) -> None:
        table = self._numbered(event)
        if table.opened is not None:
            raise DiscrepancyError(
                f"table {shown(event.table)} locks a round while {shown(table.opened.round)} "
                "is open"
            )
        if event.round == table.last_round:
            raise DiscrepancyError(
                f"table {shown(event.table)} locks round {shown(event.round)} a second time"
            )
        if event.terms_version != self.terms_version:
            raise differs(
                "terms_version", stored=event.terms_version, recomputed=self.terms_version
            )
        stakes = self._stakes(event)
        if event.stakes != stakes:
            raise stakes_differ(event.stakes, stakes)
        flows: list[MeterFlow] = []
        totals = self.totals
        hold = 0
        for stake in stakes:
            bet = self._bet_by_id[stake.bet]
            cents = stake.chip_cents + stake.coupon_cents
            bet.wagered_cents += cents
            totals.wagers_chip += stake.chip_cents * MICROCENTS_PER_CENT
            totals.wagers_coupon += stake.coupon_cents * MICROCENTS_PER_CENT
            hold += cents * MICROCENTS_PER_CENT
            for meter in bet.meters:
                # 1 cent x 1 ppm is 1 microcent.
                share = cents * meter.rate_ppm
                reset = cents * meter.reset_rate_ppm
                hold -= share + reset
                above = 0
                if meter.limit:
                    above = min(share, max(0, meter.primary + share - meter.limit))
                    share -= above
                    meter.overflow += above
                meter.primary += share
                meter.reset += reset
                flows.append(MeterFlow(meter.id, share, reset, above))
        if event.flows != (expected := tuple(flows)):
            raise flows_differ("flows", event.flows, expected)
        self._take_hold(event.hold, hold)
        self.rounds += 1
        self.wagers += len(event.wagers)
        table.opened = event
        table.last_round = event.round

    def _void(self, event: RoundVoided) -> None:
        opened = self._close_round(event)
        if event.stakes != opened.stakes:
            raise stakes_differ(event.stakes, opened.stakes)
        refunded = 0
        for stake in opened.stakes:
            chip = stake.chip_cents * MICROCENTS_PER_CENT
            coupon = stake.coupon_cents * MICROCENTS_PER_CENT
            self.totals.refunds_chip += chip
            self.totals.refunds_coupon += coupon
            self._bet_by_id[stake.bet].voided_cents += stake.chip_cents + stake.coupon_cents
            refunded += chip + coupon
        flows: list[MeterFlow] = []
        for flow in opened.flows:
            meter = self._meter_by_id[flow.meter]
            # What was put there may have been won since; a meter never falls below nothing.
            primary = min(flow.primary, meter.primary)
            reset = min(flow.reset, meter.reset)
            overflow = min(flow.overflow, meter.overflow)
            meter.primary -= primary
            meter.reset -= reset
            meter.overflow -= overflow
            refunded -= primary + reset + overflow
            flows.append(MeterFlow(meter.id, -primary, -reset, -overflow))
        if event.flows != (expected := tuple(flows)):
            raise flows_differ("flows", event.flows, expected)
        # What the meters do not give back, the house does.
        self._take_hold(event.hold, -refunded)
        self.voided += 1

    # --- parts -------------------------------------------------------------------------------

    def _numbered(self, event: TableEvent) -> AuditedTable:
        table = self.tables.get(event.table)
        if table is None:
            table = self.tables[event.table] = AuditedTable()
        expected = table.last_seq + 1
        if event.table_seq != expected:
            raise differs(
                f"table_seq of table {shown(event.table)}",
                stored=event.table_seq,
                recomputed=expected,
            )
        table.last_seq = expected
        return table

    def _close_round(self, event: RoundSettled | RoundVoided) -> WagersRegistered:
        table = self._numbered(event)
        opened = table.opened
        if opened is None or opened.round != event.round:
            there = "none" if opened is None else shown(opened.round)
            raise DiscrepancyError(
                f"table {shown(event.table)} closes round {shown(event.round)}, "
                f"but the open one is {there}"
            )
        table.opened = None
        return opened

    def _stakes(self, event: WagersRegistered) -> tuple[Stake, ...]:
        """The wagers, each allowed by the terms, as sums by bet and tender."""
        lights = 0
        wagers = event.wagers
        bet_by_id = self._bet_by_id
        for wager in wagers:
            bet = bet_by_id.get(wager.bet)
            if bet is None:
                raise DiscrepancyError(f"the terms have no bet {shown(wager.bet)}")
            if not bet.allows(wager):
                raise bet.objection(wager)
            if wager.tender == "chip":
                bet.chip_cents += wager.amount_cents
                if bet.meters:
                    lights += 1
            else:
                bet.coupon_cents += wager.amount_cents
        if len({(wager.seat, wager.bet) for wager in wagers}) != len(wagers):
            raise _duplicate(wagers)
        if event.chips_counted != lights:
            raise differs("chips_counted", stored=event.chips_counted, recomputed=lights)
        stakes: list[Stake] = []
        for bet in self.bets:
            # No wager is of nothing, so a bet without cents is one that nobody made.
            if bet.chip_cents or bet.coupon_cents:
                stakes.append(Stake(bet.id, bet.chip_cents, bet.coupon_cents))
                bet.chip_cents = bet.coupon_cents = 0
        return tuple(stakes)

    def _take_hold(self, stored: int, recomputed: int) -> None:
        if stored != recomputed:
            raise differs("hold", stored=stored, recomputed=recomputed)
        self.totals.hold += stored

    def _check_meters(self, stored: tuple[int, ...]) -> None:
        expected = tuple([meter.primary for meter in self.meters])
        if stored == expected:
            return
        if len(stored) != len(expected):
            raise DiscrepancyError(f"{len(stored)} meters stored, the terms have {len(expected)}")
        for meter, amount in zip(self.meters, stored, strict=True):
            if amount != meter.primary:
                raise differs(f"meter {meter.id}", stored=amount, recomputed=meter.primary)


def _check_digest(digest: str) -> None:
    if len(digest) != 64 or not set(digest) <= set("0123456789abcdef"):
        raise DiscrepancyError(f"state_digest {shown(digest)} is no SHA-256")


def _duplicate(wagers: tuple[Wager, ...]) -> DiscrepancyError:
    seen: set[tuple[int, str]] = set()
    for wager in wagers:
        if (wager.seat, wager.bet) in seen:
            break
        seen.add((wager.seat, wager.bet))
    return DiscrepancyError(f"seat {shown(wager.seat)} has two wagers on {shown(wager.bet)}")
