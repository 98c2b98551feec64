"""(state, command, rules) -> event, repeat or refusal. Same inputs, same answer; nothing moves.

The only place where it is decided what a wager puts on a meter. Checks come in the order of
`Rejection`: the numbering first, so that a message sent again is answered as it was.
"""

from collections.abc import Sequence

from msgspec import Struct, structs

from progressive.domain.commands import (
    RegisterWagers,
    SettleRound,
    TableCommand,
    VoidRound,
    Wager,
)
from progressive.domain.decide_settle import primaries_after, settle_round
from progressive.domain.events import (
    LinkOpened,
    MeterFlow,
    RoundSettled,
    RoundVoided,
    SettledEarly,
    Stake,
    TableEvent,
    WagersRegistered,
    plain_wagers,
)
from progressive.domain.ids import TableId
from progressive.domain.money import MICROCENTS_PER_CENT, microcents
from progressive.domain.policy import Moment
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.rules import BetRules, LinkRules
from progressive.domain.state import NEW_TABLE, LinkState, Receipt


class Repeat(Struct, frozen=True, gc=False):
    """The message was accepted before; its receipt, or None where it is older than we remember."""

    receipt: Receipt | None


Decision = TableEvent | Repeat | Refusal


def open_link(rules: LinkRules) -> LinkOpened:
    """The first event of a link: the house's money goes onto the meters."""
    return LinkOpened(
        link=rules.id,
        terms=rules.terms,
        terms_version=1,
        funding=tuple(
            MeterFlow(meter.id, microcents(meter.initial_cents), 0, 0)
            for meter in rules.terms.meters
        ),
    )


def decide(
    state: LinkState, rules: LinkRules, table: TableId, command: TableCommand, when: Moment
) -> Decision:
    """What a table's message leads to."""
    at_table = state.tables.get(table, NEW_TABLE)
    seq = command.seq
    if seq != at_table.last_seq + 1:
        if seq > at_table.last_seq:
            expected = at_table.last_seq + 1
            return Refusal(
                Rejection.SEQ_GAP, f"seq {seq} leaves a gap: {expected} comes next", expected
            )
        return _repeat(at_table.receipts, command)
    match command:
        case RegisterWagers():
            if at_table.round is not None:
                return Refusal(
                    Rejection.ROUND_OPEN,
                    f"round {at_table.round.round} is locked and not settled yet",
                )
            if command.round == at_table.last_round:
                return Refusal(
                    Rejection.WRONG_ROUND, f"round {command.round} has been played already"
                )
            return _register(state, rules, table, command)
        case SettleRound() | VoidRound():
            opened = at_table.round
            if opened is None:
                return Refusal(Rejection.NO_ROUND, f"no round is open at {table}")
            if opened.round != command.round:
                return Refusal(
                    Rejection.WRONG_ROUND,
                    f"the open round is {opened.round}, not {command.round}",
                )
            if isinstance(command, SettleRound):
                return settle_round(state, rules, table, command, opened, when)
            if table in state.early:
                # Money has left the rack upon this round: it is settled, not undone.
                return Refusal(
                    Rejection.ROUND_HAS_AWARDS,
                    f"round {opened.round} has awards that were paid before the peek: settle it",
                )
            return _void(state, table, command, opened)


def _repeat(receipts: tuple[Receipt, ...], command: TableCommand) -> Repeat | Refusal:
    """Exactly once: the same message gets its answer again, another under its number does not."""
    for receipt in receipts:
        if receipt.event.table_seq == command.seq:
            return repeat_or_reused(receipt, command)
    return Repeat(None)


def repeat_or_reused(receipt: Receipt, command: TableCommand) -> Repeat | Refusal:
    """Whether a message that carries an old number is the message of that number."""
    if _same(command, receipt.event):
        return Repeat(receipt)
    return Refusal(
        Rejection.SEQ_REUSED, f"seq {command.seq} was used by another message of this table"
    )


def command_of(event: TableEvent) -> TableCommand:
    """The message that led to an event: the journal holds every field."""
    match event:
        case WagersRegistered():
            return RegisterWagers(event.table_seq, event.round, event.wagers, event.chips_counted)
        case RoundSettled():
            return SettleRound(
                event.table_seq, event.round, event.dealer, event.seats, event.complete
            )
        case SettledEarly():
            return SettleRound(event.table_seq, event.round, event.dealer, event.seats, early=True)
        case RoundVoided():
            return VoidRound(event.table_seq, event.round, event.reason)


def _same(command: TableCommand, event: TableEvent) -> bool:
    """Whether an event is what became of this very message."""
    if isinstance(command, SettleRound) and command.early:
        # Before the peek no round is complete, whatever the message says: it is not recorded.
        command = structs.replace(command, complete=True)
    return command_of(event) == command


# --- lock-out ---------------------------------------------------------------------------------


def _register(
    state: LinkState, rules: LinkRules, table: TableId, command: RegisterWagers
) -> WagersRegistered | Refusal:
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
        # NJ 13:69F-2.3(m): a coupon is a way of making the wager; it feeds the meters alike.
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
        if (refusal := _unacceptable(wager, bet)) is not None:
            return refusal
    return None


def _unacceptable(wager: Wager, bet: BetRules) -> Refusal | None:
    """Why a bet does not take this wager, or None."""
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
    if bet.capped_by_base_wager and amount > wager.base_cents:
        return Refusal(
            Rejection.ABOVE_BASE_WAGER,
            f"{bet.id} at seat {wager.seat} may not exceed the base wager of {wager.base_cents}",
            wager.base_cents,
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


# --- misdeal ----------------------------------------------------------------------------------


def _void(
    state: LinkState, table: TableId, command: VoidRound, opened: WagersRegistered
) -> RoundVoided:
    """Contra entries for all that the lock-out posted.

    What the round put on a meter may have been won elsewhere since. A meter never falls below
    nothing: the house then bears what it gives back, out of its hold.
    """
    flows: list[MeterFlow] = []
    hold = opened.hold
    for flow in opened.flows:
        back = MeterFlow(
            flow.meter,
            -min(flow.primary, state.balances["primary", flow.meter]),
            -min(flow.reset, state.balances["reset", flow.meter]),
            -min(flow.overflow, state.balances["overflow", flow.meter]),
        )
        hold += flow.primary + flow.reset + flow.overflow
        hold += back.primary + back.reset + back.overflow
        flows.append(back)
    return RoundVoided(
        table=table,
        table_seq=command.seq,
        round=command.round,
        reason=command.reason,
        stakes=opened.stakes,
        flows=tuple(flows),
        hold=-hold,
        meters=primaries_after(state, tuple(flows)),
    )
