"""HOT. What wagers do to the meters, and how a record says it: prepared once, used again and again.

The same stakes come round after round. What is prepared holds for the present terms only, and its
number is limited: a journal of any length takes the same memory.
"""

import json
import re
from dataclasses import dataclass
from typing import Final

from progressive.verifier.recorded.limits import MICROCENTS_PER_CENT
from progressive.verifier.recorded.values import MeterFlow, Stake, Wager
from progressive.verifier.rules.accounts import Accounts
from progressive.verifier.rules.terms import AuditedBet, AuditedMeter

_PREPARED_MAX: Final = 1_000
_WAGER: Final = re.compile(
    r'"seat":([1-9][0-9]{0,2}+),"bet":"([^"\\\x00-\x1f]{0,64}+)",'
    r'"amount_cents":([1-9][0-9]{0,10}+),"base_cents":([1-9][0-9]{0,10}+),'
    r'"tender":"(chip|coupon)"'
)
"""What stands between the braces of a wager."""


@dataclass(slots=True)
class PreparedLock:
    """What certain stakes do."""

    text: str
    """How a record says it, from the number of chips to the meters."""
    chips_counted: int
    stakes: tuple[Stake, ...]
    flows: tuple[MeterFlow, ...]
    hold: int
    wagered: list[tuple[AuditedBet, int]]
    chip_microcents: int
    coupon_microcents: int
    moves: list[tuple[AuditedMeter, MeterFlow]]
    adds: list[int]
    """Onto the primary part of each meter of the link, in the order of the terms."""


@dataclass(slots=True)
class PreparedWagers:
    """Wagers that the terms allow, and what follows from them."""

    wagers: tuple[Wager, ...]
    stakes: tuple[Stake, ...]
    chips_counted: int
    highest_seat: int
    lowest_base_cents: int
    highest_base_cents: int


class PreparedLocks:
    """Lock-outs, and wagers, that were met before."""

    def __init__(self, accounts: Accounts) -> None:
        self._accounts = accounts
        self._bets: list[AuditedBet] = []
        """Those that everything here was prepared for."""
        self._locks: dict[tuple[tuple[Stake, ...], int, tuple[int, ...]], PreparedLock] = {}
        self._quoted: dict[str, str] = {}
        """Names of bets and meters as JSON texts."""
        self._wagers: dict[str, Wager] = {}
        self._listed: dict[str, PreparedWagers] = {}
        """Both by their text."""

    def forget_former_terms(self) -> None:
        """Before anything else is asked for a record: the terms may have changed."""
        if self._bets is not self._accounts.bets:
            self._bets = self._accounts.bets
            self._locks.clear()
            self._wagers.clear()
            self._listed.clear()
            accounts = self._accounts
            names = [*accounts.bet_by_id, *accounts.meter_by_id]
            self._quoted = {name: json.dumps(name, ensure_ascii=False) for name in names}

    def listed(self, text: str) -> PreparedWagers | None:
        """Wagers as they are stored, one by one; None where they are not beyond doubt."""
        prepared = self._listed.get(text)
        if prepared is None:
            wagers = [self._wagers.get(each) or self._wager(each) for each in text.split("},{")]
            prepared = self._prepare_wagers([wager for wager in wagers if wager is not None])
            if prepared is None or len(prepared.wagers) != len(wagers):
                return None
            if len(self._listed) >= _PREPARED_MAX:
                self._listed.clear()
            self._listed[text] = prepared
        return prepared

    def _wager(self, text: str) -> Wager | None:
        found = _WAGER.fullmatch(text)
        if found is None:
            return None
        seat, bet_id, amount, base, tender = found.groups()
        bet = self._accounts.bet_by_id.get(bet_id)
        wager = Wager(
            int(seat), bet_id, int(amount), int(base), "chip" if tender == "chip" else "coupon"
        )
        if bet is None or not bet.allows(wager):
            return None
        if len(self._wagers) >= _PREPARED_MAX:
            self._wagers.clear()
        self._wagers[text] = wager
        return wager

    def _prepare_wagers(self, wagers: list[Wager]) -> PreparedWagers | None:
        """None where a seat has two wagers on a bet, or two base wagers; or there are none."""
        bases = {wager.seat: wager.base_cents for wager in wagers}
        amounts: dict[tuple[str, str], list[int]] = {}
        for wager in wagers:
            if bases[wager.seat] != wager.base_cents:
                return None
            kind = wager.bet, wager.tender
            if kind in amounts:
                amounts[kind].append(wager.amount_cents)
            else:
                amounts[kind] = [wager.amount_cents]
        if not wagers or len({(wager.seat, wager.bet) for wager in wagers}) != len(wagers):
            return None
        stakes: list[Stake] = []
        chips_counted = 0
        for bet in self._bets:
            chips, coupons = amounts.get((bet.id, "chip"), ()), amounts.get((bet.id, "coupon"), ())
            if chips or coupons:
                stakes.append(Stake(bet.id, sum(chips), sum(coupons)))
                chips_counted += len(chips) if bet.meters else 0
        return PreparedWagers(
            tuple(wagers),
            tuple(stakes),
            chips_counted,
            max(bases),
            min(bases.values()),
            max(bases.values()),
        )

    def lock(self, stakes: tuple[Stake, ...], chips_counted: int) -> PreparedLock:
        """What these stakes do now: the same as ever, but for meters that reach their limit."""
        bet_by_id = self._accounts.bet_by_id
        above: tuple[int, ...] = ()
        for stake in stakes:
            bet = bet_by_id[stake.bet]
            if bet.limited:
                cents = stake.chip_cents + stake.coupon_cents
                above += tuple([meter.above_limit(cents * meter.rate_ppm) for meter in bet.meters])
        key = stakes, chips_counted, above
        lock = self._locks.get(key)
        if lock is None:
            if len(self._locks) >= _PREPARED_MAX:
                self._locks.clear()
            lock = self._locks[key] = self._prepare(stakes, chips_counted)
        return lock

    def _prepare(self, stakes: tuple[Stake, ...], chips_counted: int) -> PreparedLock:
        quoted = self._quoted
        hold = chip_cents = coupon_cents = 0
        wagered: list[tuple[AuditedBet, int]] = []
        moves: list[tuple[AuditedMeter, MeterFlow]] = []
        stakes_text: list[str] = []
        flows_text: list[str] = []
        for stake in stakes:
            bet = self._accounts.bet_by_id[stake.bet]
            cents = stake.chip_cents + stake.coupon_cents
            chip_cents += stake.chip_cents
            coupon_cents += stake.coupon_cents
            wagered.append((bet, cents))
            stakes_text.append(f"[{quoted[bet.id]},{stake.chip_cents},{stake.coupon_cents}]")
            hold += cents * MICROCENTS_PER_CENT
            for meter in bet.meters:
                # 1 cent x 1 ppm is 1 microcent.
                share, reset = cents * meter.rate_ppm, cents * meter.reset_rate_ppm
                hold -= share + reset
                above = meter.above_limit(share)
                moves.append((meter, MeterFlow(meter.id, share - above, reset, above)))
                flows_text.append(f"[{quoted[meter.id]},{share - above},{reset},{above}]")
        flows = tuple([flow for _, flow in moves])
        onto = {flow.meter: flow.primary for flow in flows}
        return PreparedLock(
            text=f'"chips_counted":{chips_counted},"stakes":[{",".join(stakes_text)}],'
            f'"flows":[{",".join(flows_text)}],"hold":{hold},"meters":[',
            chips_counted=chips_counted,
            stakes=stakes,
            flows=flows,
            hold=hold,
            wagered=wagered,
            chip_microcents=chip_cents * MICROCENTS_PER_CENT,
            coupon_microcents=coupon_cents * MICROCENTS_PER_CENT,
            moves=moves,
            adds=[onto.get(meter.id, 0) for meter in self._accounts.meters],
        )
