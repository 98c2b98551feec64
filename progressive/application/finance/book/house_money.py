"""Whose money lies on a displayed meter: the pro-rata rule.

The house's money and the players' share one displayed amount. The rule, printed on the reports:

- What the house puts on a meter (initial amount, its part of a reset) is the house's; what wagers
  put there, at once or by way of the reset and overflow meters, is the players'.
- An award takes from both in proportion to what each has on display just before it, to the
  microcent, half up. A voided award gives back what it took, and the awards of its round are
  worked out again by the same rule.
- Contra entries, corrections and transfers move players' money. The house's part is never below
  nothing, nor above what the meter shows.

Only records that move a meter otherwise than by a wager matter, so a past of any length can be
folded by these few records alone.
"""

from collections.abc import Mapping
from typing import Final

from progressive.application.finance.book.standing import MeterPast, Standing, Taking
from progressive.application.journal.record import Record
from progressive.domain.award_events import AwardMade, AwardPaid, AwardVoided
from progressive.domain.events import LinkOpened, LinkReopened, RoundSettled, RoundVoided
from progressive.domain.ids import MeterId
from progressive.domain.money import MICROCENTS_PER_CENT
from progressive.domain.person_events import CorrectionApproved, LinkRetired, TermsChanged

RULE: Final = (
    "Player and house part (rule of 2026-11-18): the house's money is what it put on the meter; an "
    "award takes from both in proportion to what each has on display just before it (pro rata, to "
    "the microcent); contra entries and corrections move players' money."
)


def share_of(house: int, before: int, amount: int) -> int:
    """The house's part of an amount that a meter pays, in microcents, half up."""
    return (2 * amount * house + before) // (2 * before) if before > 0 else 0


def follow_house(standing: Standing, record: Record, displayed: Mapping[MeterId, int]) -> None:
    """One record that moves meters otherwise than by a wager. `displayed`: as it left them."""
    event, pasts = record.event, standing.pasts
    match event:
        case LinkOpened() | LinkReopened() | TermsChanged():
            for flow in event.funding:
                past = pasts.setdefault(flow.meter, MeterPast(emptied_seq=record.seq))
                past.house += flow.primary
        case RoundSettled():
            for made in event.awards:
                if made.meter is not None:
                    _take(standing, record, made)
        case AwardVoided():
            _void(standing, event)
        case AwardPaid():
            _finish(standing, event.award)
        case LinkRetired():
            for past in pasts.values():
                past.house = 0
        case RoundVoided() | CorrectionApproved():
            pass
        case _:
            return
    for meter, past in pasts.items():
        past.house = max(0, min(past.house, displayed.get(meter, past.house)))


def _take(standing: Standing, record: Record, made: AwardMade) -> None:
    meter = made.meter
    if meter is None:
        return
    past = standing.pasts.setdefault(meter, MeterPast())
    amount, before = made.amount_cents * MICROCENTS_PER_CENT, made.meter_before or 0
    part = share_of(past.house, before, amount)
    standing.takings.setdefault(record.seq, []).append(
        Taking(
            award=made.award,
            meter=meter,
            cents=made.amount_cents,
            before=before,
            funded_cents=made.funded_cents,
            house_before=past.house,
            house_part=part,
            hit_before_at=past.hit_at,
            hit_before_seq=past.hit_seq,
            emptied_before=past.emptied_seq,
        )
    )
    if (entry := standing.awards.get(made.award)) is not None:
        entry.house_part, entry.hit_before_at = part, past.hit_at
    past.house += made.funded_cents * MICROCENTS_PER_CENT - part
    past.hit_at, past.hit_seq = record.at, record.seq
    if _empties(standing.takings[record.seq][-1]):
        past.emptied_seq = record.seq


def _void(standing: Standing, event: AwardVoided) -> None:
    """The round's awards from the meter worked out again: what lies there otherwise now is the
    house's by the difference."""
    found = _taking(standing, event.award)
    if found is None:
        return
    seq, voided = found
    group = [each for each in standing.takings[seq] if each.meter == voided.meter]
    first = group[0].house_before
    was = _walk(first, [each for each in group if not each.voided])
    voided.voided = voided.final = True
    changes = {change.award: change for change in event.changes}
    for each in group:
        if (change := changes.get(each.award)) is not None:
            each.cents, each.before = change.amount_cents, change.meter_before
            each.funded_cents = change.funded_cents
    standing_now = [each for each in group if not each.voided]
    would_be = _walk(first, standing_now)
    past = standing.pasts[voided.meter]
    past.house += would_be - was
    if not standing_now and past.hit_seq == seq:
        past.hit_at, past.hit_seq = group[0].hit_before_at, group[0].hit_before_seq
    if past.emptied_seq == seq and not any(_empties(each) for each in standing_now):
        past.emptied_seq = group[0].emptied_before
    for each in standing_now:
        if (entry := standing.awards.get(each.award)) is not None:
            entry.house_part = each.house_part
    _drop_finished(standing, seq)


def _empties(taking: Taking) -> bool:
    """Whether less than a cent was left."""
    return taking.before - taking.cents * MICROCENTS_PER_CENT < MICROCENTS_PER_CENT


def _walk(house: int, takings: list[Taking]) -> int:
    """The house's money after takings in their order; each learns its part."""
    for each in takings:
        each.house_before = house
        amount = each.cents * MICROCENTS_PER_CENT
        each.house_part = share_of(house, each.before, amount)
        house += each.funded_cents * MICROCENTS_PER_CENT - each.house_part
    return house


def _finish(standing: Standing, award: str) -> None:
    found = _taking(standing, award)
    if found is not None:
        found[1].final = True
        _drop_finished(standing, found[0])


def _taking(standing: Standing, award: str) -> tuple[int, Taking] | None:
    return next(
        (
            (seq, each)
            for seq, group in standing.takings.items()
            for each in group
            if each.award == award
        ),
        None,
    )


def _drop_finished(standing: Standing, seq: int) -> None:
    if all(each.final for each in standing.takings[seq]):
        del standing.takings[seq]
