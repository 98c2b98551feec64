"""Voiding an award: its money goes back, and the rest of its round is settled anew.

A second winner who stood behind a claim that was none is owed what the first was not. What other
tables have won since is theirs; the money joins the meter as it stands now.
"""

from collections.abc import Sequence

from msgspec import Struct

from progressive.domain.acts import ApproveVoid
from progressive.domain.award_events import AwardChange, AwardMoney, AwardVoided, MeterFlow
from progressive.domain.awards.meter_payouts import MeterAmounts, Taking, take_all
from progressive.domain.awards.paperwork import approvers, tax_form
from progressive.domain.ids import AwardId
from progressive.domain.money import microcents
from progressive.domain.people.names import same_person
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.rulebook.policy import AwardPolicy
from progressive.domain.state.award_state import Award, WonMeter
from progressive.domain.state.link_state import LinkState
from progressive.domain.state.meters import amounts_on, primaries_after
from progressive.domain.time_text import Moment


class _Resettled(Struct, frozen=True):
    """What a void does to the meter it concerns, and to the awards behind it."""

    flows: tuple[MeterFlow, ...]
    changes: tuple[AwardChange, ...]
    owed: int
    """By how much less (with a minus) the other awards of the meter are owed, in microcents."""
    kept: int
    """By how much the hold's part in them changes: lines that were partly paid early."""


def void_award(
    state: LinkState, award: Award, act: ApproveVoid, when: Moment
) -> AwardVoided | Refusal:
    """The void that somebody proposed, where a second person agrees and it is not too late."""
    if award.final or award.void_proposed_by is None or award.void_reason is None:
        return Refusal(
            Rejection.WRONG_STATUS, f"award {act.award} is {award.status}: no void is proposed"
        )
    if same_person(act.by, award.void_proposed_by):
        return Refusal(
            Rejection.SAME_PERSON, f"{act.by.name} proposed the void: a second person agrees to it"
        )
    won = next(
        (each for each in state.won.get(award.journal_seq, ()) if act.award in each.awards), None
    )
    if won is not None and (paid := _paid_behind(state, won, act.award)) is not None:
        return Refusal(
            Rejection.VOID_TOO_LATE,
            f"award {paid} of the same round has been paid: an approved correction is the way out",
        )
    if (counted := _counted_in(state, award)) is not None:
        return Refusal(
            Rejection.VOID_TOO_LATE,
            f"award {counted.made.award} counts it as paid before the peek: "
            + (
                "that one has been paid, and an approved correction is the way out"
                if counted.status == "paid"
                else "void that one first"
            ),
        )
    made = award.made
    owed = microcents(made.due_cents)
    if won is None:
        # A fixed award: what the hold gave it, it gets back, a returned stake with it.
        stake = microcents(made.stake_returned_cents)
        money = AwardMoney(hold=owed + stake, pending=-owed, returned=-stake)
        resettled = _Resettled((), (), 0, 0)
    else:
        resettled = _resettle(state, won, act.award, when)
        pending = resettled.owed - owed
        hold = resettled.kept - (microcents(made.amount_cents) - owed)
        on_meter = sum(flow.primary + flow.reset + flow.overflow for flow in resettled.flows)
        # The house takes back its part of resets that now never were, and bears what is missing.
        money = AwardMoney(funding=-(on_meter + pending + hold), hold=hold, pending=pending)
    return AwardVoided(
        award=act.award,
        by=act.by,
        proposed_by=award.void_proposed_by,
        reason=award.void_reason,
        changes=resettled.changes,
        flows=resettled.flows,
        money=money,
        meters=primaries_after(state, resettled.flows),
    )


def _counted_in(state: LinkState, award: Award) -> Award | None:
    """The award of the round's settlement that was lowered by this one, made before the peek."""
    if not award.settled_seq:
        return None
    return next(
        (
            each
            for each in state.awards.values()
            if each.journal_seq == award.settled_seq
            and (each.made.seat, each.made.bet) == (award.made.seat, award.made.bet)
            and each.made.paid_before_cents
            and each.status != "void"
        ),
        None,
    )


def _standing(state: LinkState, won: WonMeter) -> list[AwardId]:
    return [each for each in won.awards if state.awards[each].status != "void"]


def _paid_behind(state: LinkState, won: WonMeter, award: AwardId) -> AwardId | None:
    """An award that would change and has been paid already; or None."""
    standing = _standing(state, won)
    behind = standing if won.order == "equal_share" else standing[standing.index(award) + 1 :]
    return next((each for each in behind if state.awards[each].status == "paid"), None)


def _resettle(state: LinkState, won: WonMeter, award: AwardId, when: Moment) -> _Resettled:
    """The round's other awards from this meter as if the voided one had never been."""
    # What is worked out today is treated by the terms that are recorded today.
    policy = AwardPolicy() if state.terms is None else state.terms.policy
    standing = _standing(state, won)
    rest = [each for each in standing if each != award]
    before = _takings(state, won, standing)
    after = _takings(state, won, rest)
    was = before[-1].after
    would_be = after[-1].after if after else won.before
    changes: list[AwardChange] = []
    owed = kept = 0
    for each, taking in zip(rest, after, strict=True):
        made = state.awards[each].made
        due = made.due_at(taking.amount_cents)
        change = AwardChange(
            award=each,
            amount_cents=taking.amount_cents,
            approvers=approvers(policy, due, on=when.day),
            tax_form=tax_form(
                policy,
                taking.amount_cents + made.bonus_cents,
                made.wager_cents,
                made.stake_returned_cents,
                on=when.day,
            ),
            meter_before=taking.before.primary,
            meter_after=taking.after.primary,
            funded_cents=taking.funded_cents,
            from_reset=taking.before.reset - taking.after.reset,
            from_overflow=taking.before.overflow - taking.after.overflow,
        )
        if (made.amount_cents, made.meter_before, made.meter_after) == (
            change.amount_cents,
            change.meter_before,
            change.meter_after,
        ):
            continue
        owed += microcents(due - made.due_cents)
        kept += microcents((taking.amount_cents - due) - (made.amount_cents - made.due_cents))
        changes.append(change)
    flow = _joining(amounts_on(state, won.meter), was, would_be, won)
    return _Resettled((flow,), tuple(changes), owed, kept)


def _takings(state: LinkState, won: WonMeter, awards: Sequence[AwardId]) -> list[Taking]:
    shares = [state.awards[each].made.share_percent or 0 for each in awards]
    return take_all(won.before, won.reset, shares, order=won.order, rounding=won.rounding)


def _joining(
    now: MeterAmounts, was: MeterAmounts, would_be: MeterAmounts, won: WonMeter
) -> MeterFlow:
    """The difference to what the round would have left, upon the meter as it stands now.

    A part of a meter never falls below nothing, as it may have been won since; and the displayed
    amount does not pass its limit.
    """
    primary = max(would_be.primary - was.primary, -now.primary)
    reset = max(would_be.reset - was.reset, -now.reset)
    overflow = max(would_be.overflow - was.overflow, -now.overflow)
    if won.reset.limit_cents:
        above = now.primary + primary - microcents(won.reset.limit_cents)
        above = min(max(0, above), max(0, primary))
        primary, overflow = primary - above, overflow + above
    return MeterFlow(won.meter, primary, reset, overflow)
