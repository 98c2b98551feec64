"""The verifier's own accounts: bets, meters, and what wagers put where.

Written from the recorded terms alone. It must never borrow from `decide` or `ledger`.
"""

from collections.abc import Sequence

from progressive.verifier.findings import DiscrepancyError, differs, shown
from progressive.verifier.recorded.limits import MICROCENTS_PER_CENT
from progressive.verifier.recorded.table_events import RoundVoided, WagersRegistered
from progressive.verifier.recorded.values import MeterFlow, Stake, Wager
from progressive.verifier.rules.differences import flows_differ, stakes_differ
from progressive.verifier.rules.terms import AuditedBet, AuditedMeter
from progressive.verifier.rules.totals import Totals


class Accounts:
    """Where a link's money lies."""

    def __init__(self) -> None:
        self.totals = Totals()
        self.bets: list[AuditedBet] = []
        self.meters: list[AuditedMeter] = []
        self.meter_by_id: dict[str, AuditedMeter] = {}
        self.ever_bets: dict[str, AuditedBet] = {}
        """Those of former terms too: what was ever wagered on them stays counted."""
        self.ever_meters: dict[str, AuditedMeter] = {}
        self.bet_by_id: dict[str, AuditedBet] = {}

    def install(self, bets: list[AuditedBet], funding: Sequence[MeterFlow]) -> None:
        """Go on with these bets and their meters, the new ones funded by the house."""
        self.bets = bets
        self.meters = [meter for bet in bets for meter in bet.meters]
        self.bet_by_id = {bet.id: bet for bet in bets}
        self.meter_by_id = {meter.id: meter for meter in self.meters}
        self.ever_bets |= self.bet_by_id
        # A meter that is gone is empty, and stays so.
        self.ever_meters |= self.meter_by_id
        self.totals.funding += sum([flow.primary for flow in funding])

    def lock(self, event: WagersRegistered, wagers: Sequence[Wager]) -> None:
        """What a lock-out puts on the meters, and what stays with the house."""
        stakes = self._stakes(event.chips_counted, wagers)
        if event.stakes != stakes:
            raise stakes_differ(event.stakes, stakes)
        flows: list[MeterFlow] = []
        totals = self.totals
        hold = 0
        for stake in stakes:
            bet = self.bet_by_id[stake.bet]
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
                above = meter.above_limit(share)
                flow = MeterFlow(meter.id, share - above, reset, above)
                meter.move(flow)
                flows.append(flow)
        if event.flows != (expected := tuple(flows)):
            raise flows_differ("flows", event.flows, expected)
        self._take_hold(event.hold, hold)

    def give_back(self, event: RoundVoided, opened: WagersRegistered) -> None:
        """The contra entries of a misdeal."""
        if event.stakes != opened.stakes:
            raise stakes_differ(event.stakes, opened.stakes)
        refunded = 0
        for stake in opened.stakes:
            chip = stake.chip_cents * MICROCENTS_PER_CENT
            coupon = stake.coupon_cents * MICROCENTS_PER_CENT
            self.totals.refunds_chip += chip
            self.totals.refunds_coupon += coupon
            self.ever_bets[stake.bet].voided_cents += stake.chip_cents + stake.coupon_cents
            refunded += chip + coupon
        flows: list[MeterFlow] = []
        for flow in opened.flows:
            meter = self.meter_by_id[flow.meter]
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

    def check_meters(self, stored: tuple[int, ...]) -> None:
        """Raise unless the displayed meters are these."""
        expected = tuple([meter.primary for meter in self.meters])
        if stored == expected:
            return
        if len(stored) != len(expected):
            raise DiscrepancyError(f"{len(stored)} meters stored, the terms have {len(expected)}")
        for meter, amount in zip(self.meters, stored, strict=True):
            if amount != meter.primary:
                raise differs(f"meter {meter.id}", stored=amount, recomputed=meter.primary)

    def check_balance(self) -> None:
        """Everything that came in lies somewhere, to the microcent."""
        totals = self.totals
        totals.meters = sum([m.primary + m.reset + m.overflow for m in self.meters])
        if totals.came_in != totals.lies:
            raise DiscrepancyError(
                f"the books do not balance: {totals.came_in} microcents came in, "
                f"{totals.lies} lie somewhere"
            )

    def balances(self) -> dict[str, int]:
        """All accounts by name, as a state has them: what money came from is negative."""
        totals = self.totals
        balances = {
            "wagers chip": -totals.wagers_chip,
            "wagers coupon": -totals.wagers_coupon,
            "refunds chip": totals.refunds_chip,
            "refunds coupon": totals.refunds_coupon,
            "hold": totals.hold,
            "funding": -totals.funding,
            "pending": totals.pending,
            "paid": totals.paid,
            "returned": totals.returned,
            "corrections": -totals.corrections,
            "parked": totals.parked,
        }
        for meter in self.ever_meters.values():
            balances[f"primary {meter.id}"] = meter.primary
            balances[f"reset {meter.id}"] = meter.reset
            balances[f"overflow {meter.id}"] = meter.overflow
        return balances

    def _stakes(self, chips_counted: int, wagers: Sequence[Wager]) -> tuple[Stake, ...]:
        """The wagers, each allowed by the terms, as sums by bet and tender."""
        lights = 0
        bet_by_id = self.bet_by_id
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
        if chips_counted != lights:
            raise differs("chips_counted", stored=chips_counted, recomputed=lights)
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


def _duplicate(wagers: Sequence[Wager]) -> DiscrepancyError:
    seen: set[tuple[int, str]] = set()
    for wager in wagers:
        if (wager.seat, wager.bet) in seen:
            break
        seen.add((wager.seat, wager.bet))
    return DiscrepancyError(f"seat {shown(wager.seat)} has two wagers on {shown(wager.bet)}")
