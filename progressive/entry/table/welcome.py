"""What a table is told on connecting: where it stands, and by which terms awards are made."""

from msgspec import UNSET

from progressive.application.link.worker import LinkWorker
from progressive.domain.events import SettledEarly, WagersRegistered
from progressive.domain.ids import TableId
from progressive.domain.rulebook.paytable import ForOne, PayLine, ShareOfMeter, ToOne
from progressive.domain.rulebook.rules import BetRules, LinkRules
from progressive.wire.meters import MeterCents
from progressive.wire.table_messages import (
    BetMessage,
    DealingMessage,
    LineMessage,
    OpenRoundMessage,
    ResetMessage,
    Welcome,
)


def welcome(table: TableId, worker: LinkWorker) -> Welcome:
    """The first message on a table's socket."""
    at_table = worker.table_state(table)
    view = worker.view
    opened = at_table.round
    here = worker.rules.table_by_id[table]
    return Welcome(
        table=table,
        link=view.link,
        epoch=view.epoch,
        next_seq=at_table.last_seq + 1,
        round=None if opened is None else _open_round(opened, early_of(worker, table)),
        bets=[bet_message(bet) for bet in worker.rules.terms.bets],
        meters=[MeterCents(meter.id, meter.cents) for meter in view.meters],
        state=view.state,
        reason=view.reason,
        dealing=dealing_message(worker.rules),
        base_min_cents=here.base_min_cents,
        base_max_cents=here.base_max_cents,
    )


def early_of(worker: LinkWorker, table: TableId) -> SettledEarly | None:
    """What was settled before the peek in a table's open round."""
    return None if worker.state is None else worker.state.early.get(table)


def _open_round(opened: WagersRegistered, early: SettledEarly | None) -> OpenRoundMessage:
    return OpenRoundMessage(
        round=opened.round,
        wagers=opened.wagers,
        early_up_card=UNSET if early is None else early.dealer.cards[0],
    )


def dealing_message(rules: LinkRules) -> DealingMessage:
    """What holds for all bets of a link."""
    return DealingMessage(
        decks=rules.terms.decks,
        dealer_procedure=rules.terms.dealer_procedure,
        soft17=rules.terms.soft17,
        rack_limit_cents=rules.policy.rack_limit_cents,
        overflow=rules.terms.overflow,
    )


def bet_message(bet: BetRules) -> BetMessage:
    """A bet's terms; what is on a reset meter is not for the floor to see, its rate is posted."""
    return BetMessage(
        id=bet.id,
        game=bet.game,
        paytable=bet.paytable,
        wager_cents=bet.wager_cents,
        min_cents=None if bet.wager_cents else bet.min_cents,
        max_cents=bet.max_cents,
        meters=[meter.id for meter in bet.meters],
        dealing_option=bet.dealing_option,
        payment_order=bet.payment_order,
        award_rounding=bet.award_rounding,
        free_bonus_min_cents=bet.free_bonus_min_cents,
        player_points_max=bet.player_points_max,
        lines=[_line(bet, line) for line in bet.lines],
        resets=[
            ResetMessage(meter.id, meter.reset_cents, meter.reset_rate_ppm) for meter in bet.meters
        ],
        validation=bet.validation,
        validation_from_cents=bet.validation_from_cents,
    )


def _line(bet: BetRules, line: PayLine) -> LineMessage:
    bonus = next((each.cents for each in bet.free_bonus_lines if each.id == line.id), 0)
    match line.pays:
        case ShareOfMeter(meter=meter, share_percent=share):
            return LineMessage(line.id, meter=meter, share_percent=share, bonus_cents=bonus)
        case ForOne(for_one=times):
            return LineMessage(line.id, for_one=times, bonus_cents=bonus)
        case ToOne(to=to, per=per):
            return LineMessage(line.id, to_one=to, per=per, bonus_cents=bonus)
