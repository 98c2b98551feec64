"""PURE. An answer's awards, as notes for the books of meters and of wins."""

from collections.abc import Sequence

from progressive.simulator.meter_track import Take
from progressive.simulator.terms import TableTerms
from progressive.simulator.wins import Won
from progressive.wire.table_messages import AwardMessage


def takes_of(
    awards: Sequence[AwardMessage], terms: TableTerms, meter_ids: Sequence[str]
) -> tuple[Take, ...]:
    """What the awards took from meters; they were looked at before, so nothing is missing."""
    return tuple([_take(award, terms, meter_ids) for award in awards if award.meter is not None])


def _take(award: AwardMessage, terms: TableTerms, meter_ids: Sequence[str]) -> Take:
    bet = next(bet for bet in terms.bets if bet.id == award.bet)
    reset = next(each for each in bet.resets if each.meter == award.meter)
    return Take(
        meter=meter_ids.index(reset.meter),
        what=f"{award.line} at seat {award.seat}",
        share_percent=award.share_percent or 0,
        amount_cents=award.amount_cents,
        before_cents=award.meter_before_cents or 0,
        after_cents=award.meter_after_cents or 0,
        reset_cents=reset.reset_cents,
        rounding=bet.award_rounding,
        together=bet.payment_order == "equal_share",
        overflow_stays=terms.dealing.overflow == "stay",
    )


def wins_of(table: str, journal_seq: int, awards: Sequence[AwardMessage]) -> list[Won]:
    """What every sign must show of the awards."""
    return [
        Won(
            award=award.award,
            seq=journal_seq,
            table=table,
            seat=award.seat,
            meter=award.meter,
            line=award.line,
            amount_cents=award.amount_cents,
            next_cents=award.meter_after_cents or 0,
        )
        for award in awards
        if award.meter is not None
    ]
