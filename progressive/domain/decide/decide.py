"""(state, command, rules) -> event, repeat or refusal. Same inputs, same answer; nothing moves.

Checks come in the order of `Rejection`: the numbering first, so that a message sent again is
answered as it was. Each kind of message has a module of its own beside this one.
"""

from msgspec import Struct, structs

from progressive.domain.commands import RegisterWagers, SettleRound, TableCommand, VoidRound
from progressive.domain.decide.early import settle_early
from progressive.domain.decide.lock_out import register_wagers
from progressive.domain.decide.retire import RETIRED
from progressive.domain.decide.settle import settle_round
from progressive.domain.decide.void_round import void_round
from progressive.domain.events import (
    LinkOpened,
    MeterFlow,
    RoundSettled,
    RoundVoided,
    SettledEarly,
    TableEvent,
    WagersRegistered,
)
from progressive.domain.ids import TableId
from progressive.domain.money import microcents
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.rulebook.floor_record import FloorRecord
from progressive.domain.rulebook.rules import LinkRules
from progressive.domain.state.link_state import NEW_TABLE, LinkState, Receipt
from progressive.domain.text import text_problem
from progressive.domain.time_text import Moment


class Repeat(Struct, frozen=True, gc=False):
    """The message was accepted before; its receipt, or None where it is older than we remember."""

    receipt: Receipt | None


Decision = TableEvent | Repeat | Refusal


def open_link(rules: LinkRules, floor: FloorRecord | None = None) -> LinkOpened:
    """The first event of a link: the house's money goes onto the meters."""
    return LinkOpened(
        link=rules.id,
        terms=rules.terms,
        terms_version=1,
        funding=tuple(
            MeterFlow(meter.id, microcents(meter.initial_cents), 0, 0)
            for meter in rules.terms.meters
        ),
        dealer_decides=True,
        floor=floor,
        times_hold=True,
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
            if state.retired:
                return RETIRED
            if (why := text_problem(command.round)) is not None:
                return Refusal(Rejection.BAD_MESSAGE, f"round: {why}")
            if at_table.round is not None:
                return Refusal(
                    Rejection.ROUND_OPEN,
                    f"round {at_table.round.round} is locked and not settled yet",
                )
            if command.round == at_table.last_round:
                return Refusal(
                    Rejection.WRONG_ROUND, f"round {command.round} has been played already"
                )
            return register_wagers(state, rules, table, command)
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
                settle = settle_early if command.early else settle_round
                return settle(state, rules, table, command, opened, when)
            if (why := text_problem(command.reason)) is not None:
                return Refusal(Rejection.BAD_MESSAGE, f"reason: {why}")
            return void_round(state, table, command, opened)


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
    if isinstance(event, RoundVoided) and event.by is not None and isinstance(command, VoidRound):
        # A supervisor voided it in the table's place, in words of her own.
        return command.round == event.round
    if isinstance(command, SettleRound) and command.early:
        # Before the peek no round is complete, whatever the message says: it is not recorded.
        command = structs.replace(command, complete=True)
    return command_of(event) == command
