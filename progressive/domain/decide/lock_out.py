"""The lock-out: which wagers are taken, and what each puts on the meters.

The only place where it is decided what a wager puts on a meter.
"""

from collections.abc import Sequence

from progressive.domain.commands import RegisterWagers, Wager
from progressive.domain.events import MeterFlow, Stake, WagersRegistered, plain_wagers
from progressive.domain.ids import TableId
from progressive.domain.money import MICROCENTS_PER_CENT, microcents
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.rulebook.rules import BetRules, LinkRules
from progressive.domain.state.link_state import LinkState
from progressive.domain.state.meters import primaries_after


def register_wagers(
    state: LinkState, rules: LinkRules, table: TableId, command: RegisterWagers
) -> WagersRegistered | Refusal:
    """What a lock-out leads to: every wager is taken, or none is."""
    placed = command.wagers
    if (refusal := _misplaced(rules, table, placed)) is not None:
        return refusal
    lights, stakes = _count(rules, placed)
    if command.chips_counted != lights:
        # NJ 13:69E-1.10(t)2: as many chips as lights, before anything is registered.
        return Refusal(
            Rejection.CHIP_COUNT_MISMATCH,
            f"{command.chips_counted} chips counted, {lights} lights on",
            lights,
        )
    flows, hold = _contributions(state, rules, stakes)
    plain = plain_wagers(placed)
    return WagersRegistered(
        table=table,
        table_seq=command.seq,
        round=command.round,
        terms_version=state.terms_version,
        listed=() if plain is not None else placed,
        plain=plain,
        chips_counted=command.chips_counted,
        stakes=tuple(stakes),
        flows=flows,
        hold=hold,
        meters=primaries_after(state, flows),
    )


def _count(rules: LinkRules, placed: Sequence[Wager]) -> tuple[int, list[Stake]]:
    """The lights of chips on acceptors, and what was wagered on each bet."""
    lights = 0
    stakes: list[Stake] = []
    for bet in rules.terms.bets:
        chips = [w.amount_cents for w in placed if w.bet == bet.id and w.tender == "chip"]
        # NJ 13:69F-2.3(m): a coupon is a way of making the wager; it feeds the meters alike. But it
        # is not a chip: the dealer's count is compared with the lights of chips alone.
        coupons = [w.amount_cents for w in placed if w.bet == bet.id and w.tender == "coupon"]
        if chips or coupons:
            stakes.append(Stake(bet.id, sum(chips), sum(coupons)))
        if bet.meters:
            lights += len(chips)
    return lights, stakes


def _misplaced(rules: LinkRules, table: TableId, placed: Sequence[Wager]) -> Refusal | None:
    """The first wager that cannot be taken, and why; or None."""
    seats = rules.seats[table]
    lit: set[tuple[int, str]] = set()
    bases: dict[int, int] = {}
    for wager in placed:
        seat = wager.seat
        if not 1 <= seat <= seats:
            return Refusal(Rejection.UNKNOWN_SEAT, f"{table} has seats 1 to {seats}, not {seat}")
        bet = rules.terms.bet_by_id.get(wager.bet)
        if bet is None:
            return Refusal(Rejection.UNKNOWN_BET, f"{rules.id} has no bet {wager.bet!r}")
        if (seat, wager.bet) in lit:
            return Refusal(Rejection.DUPLICATE_WAGER, f"seat {seat} has two wagers on {wager.bet}")
        lit.add((seat, wager.bet))
        base = bases.setdefault(seat, wager.base_cents)
        if base != wager.base_cents:
            # Whatever lies beside it, a seat has one blackjack wager.
            return Refusal(
                Rejection.DUPLICATE_WAGER,
                f"seat {seat} has two base wagers, {base} and {wager.base_cents} cents",
            )
        if (refusal := _unacceptable(wager, bet)) is not None:
            return refusal
        if (refusal := _beside_base(wager, bet, table, rules.base_limits[table])) is not None:
            return refusal
    return None


def _unacceptable(wager: Wager, bet: BetRules) -> Refusal | None:
    """Why a bet does not take this amount, or None."""
    if bet.needs_base_wager and not wager.base_cents:
        # NJ 13:69F-2.28(f)
        return Refusal(
            Rejection.NO_BASE_WAGER, f"seat {wager.seat} has {bet.id} without a base wager"
        )
    amount = wager.amount_cents
    if bet.wager_cents is not None:
        if amount != bet.wager_cents:
            # NJ 13:69F-2.3(m): one denomination, the one posted.
            return Refusal(
                Rejection.WRONG_AMOUNT,
                f"{bet.id} takes {bet.wager_cents} cents, not {amount}",
                bet.wager_cents,
            )
    elif amount < bet.min_cents:
        return Refusal(
            Rejection.BELOW_MINIMUM,
            f"{bet.id} takes {bet.min_cents} cents or more, not {amount}",
            bet.min_cents,
        )
    elif bet.max_cents is not None and amount > bet.max_cents:
        return Refusal(
            Rejection.ABOVE_MAXIMUM,
            f"{bet.id} takes {bet.max_cents} cents or less, not {amount}",
            bet.max_cents,
        )
    return None


def _beside_base(
    wager: Wager, bet: BetRules, table: TableId, limits: tuple[int, int]
) -> Refusal | None:
    """Why the wager does not go with the base wager beside it, or None."""
    base = wager.base_cents
    least, most = limits
    # A bet that needs no base wager may lie at a seat that has none.
    if base and base < least:
        # NJ 13:69F-2.28(f), 2.30(b) ask for a blackjack wager: one that the table takes.
        return Refusal(
            Rejection.BELOW_MINIMUM,
            f"{table} takes base wagers of {least} cents or more, seat {wager.seat} has {base}",
            least,
        )
    if base > most:
        return Refusal(
            Rejection.ABOVE_MAXIMUM,
            f"{table} takes base wagers of {most} cents or less, seat {wager.seat} has {base}",
            most,
        )
    if bet.capped_by_base_wager and wager.amount_cents > base:
        # NJ 13:69F-2.30(c)
        return Refusal(
            Rejection.ABOVE_BASE_WAGER,
            f"{bet.id} at seat {wager.seat} may not exceed the base wager of {base}",
            base,
        )
    return None


def _contributions(
    state: LinkState, rules: LinkRules, stakes: Sequence[Stake]
) -> tuple[tuple[MeterFlow, ...], int]:
    """What the wagers put on the meters, and what remains with the house. No rounding anywhere."""
    flows: list[MeterFlow] = []
    hold = 0
    for stake in stakes:
        cents = stake.chip_cents + stake.coupon_cents
        hold += cents * MICROCENTS_PER_CENT
        for meter in rules.terms.bet_by_id[stake.bet].meters:
            # 1 cent x 1 ppm is 1 microcent.
            primary = cents * meter.rate_ppm
            reset = cents * meter.reset_rate_ppm
            hold -= primary + reset
            overflow = 0
            if meter.limit_cents:
                room = microcents(meter.limit_cents) - state.balances["primary", meter.id]
                overflow = max(0, primary - max(0, room))
                primary -= overflow
            flows.append(MeterFlow(meter.id, primary, reset, overflow))
    return tuple(flows), hold
