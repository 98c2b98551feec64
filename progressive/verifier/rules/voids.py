"""A void, worked out again: the money goes back, the rest of the round is settled again."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace

from progressive.verifier.findings import DiscrepancyError, differs, shown
from progressive.verifier.recorded.award_events import (
    AwardChange,
    AwardMade,
    AwardMoney,
    AwardVoided,
)
from progressive.verifier.recorded.limits import MICROCENTS_PER_CENT
from progressive.verifier.recorded.table_events import RoundVoided, WagersRegistered
from progressive.verifier.recorded.terms import LinkTerms
from progressive.verifier.recorded.values import MeterFlow
from progressive.verifier.rules.awards import check_money, check_policy, due_of
from progressive.verifier.rules.differences import flows_differ
from progressive.verifier.rules.meter_payouts import Amounts, Taken, take_in_turn
from progressive.verifier.rules.people import check_signed, check_two_people, one_person
from progressive.verifier.rules.register import AuditedAward, Register, WonMeter
from progressive.verifier.rules.terms import AuditedMeter
from progressive.verifier.rules.totals import Totals


def enter_void(
    event: AwardVoided, register: Register, meters: Mapping[str, AuditedMeter], totals: Totals
) -> AuditedAward:
    """Take a void in; raises where it is not what it should be."""
    award = register.open_award(event.award, event.by)
    _check_agreed(event, award)
    _refuse_counted(award, register)
    hit = next(
        (hit for hit in register.won.get(award.journal_seq, ()) if event.award in hit.awards), None
    )
    if hit is None:
        _void_fixed(event, award.made)
    else:
        _void_hit(event, award, hit, register, meters)
    totals.move(event.money)
    award.status, award.voided_by = "void", event.by
    register.void += 1
    register.file_away(award.filed_under)
    return award


def check_void_signed(
    event: RoundVoided, opened: WagersRegistered, terms: LinkTerms, register: Register
) -> None:
    """A misdeal is the dealer's to void; a supervisor's where a bet has every payout confirmed."""
    of = f"void of round {shown(event.round)}"
    strict = {bet.id for bet in terms.bets if bet.validation == "every"}
    asked = any(stake.bet in strict for stake in opened.stakes)
    if event.by is None:
        if asked:
            raise DiscrepancyError(f"{of}: no supervisor signed it, and the terms ask for one")
        return
    if not asked:
        raise DiscrepancyError(f"{of}: a supervisor signed it, and no terms ask for one")
    check_signed(of, event.by)
    dealer = register.dealers.get(event.table)
    if dealer is not None and one_person(dealer, event.by):
        raise DiscrepancyError(f"{of} is signed by {shown(event.by.name)}, who dealt it")


def _check_agreed(event: AwardVoided, award: AuditedAward) -> None:
    of = f"void of award {event.award}"
    if award.void_proposed_by is None:
        raise DiscrepancyError(f"{of}: nobody proposed it")
    if event.proposed_by != award.void_proposed_by:
        raise differs(
            f"{of}, proposed_by",
            stored=event.proposed_by.name,
            recomputed=award.void_proposed_by.name,
        )
    if event.reason != award.void_reason:
        raise differs(f"{of}, reason", stored=event.reason, recomputed=award.void_reason)
    check_two_people(of, award.void_proposed_by, event.by)


def _refuse_counted(award: AuditedAward, register: Register) -> None:
    """A two-card award that the round's settlement counts as paid stands as long as that does."""
    for each in register.awards.values() if award.settled_seq else ():
        if (
            each.journal_seq == award.settled_seq
            and (each.made.seat, each.made.bet) == (award.made.seat, award.made.bet)
            and each.made.paid_before_cents
            and each.status != "void"
        ):
            raise DiscrepancyError(
                f"void of award {award.made.award}: {each.made.award} counts it as paid"
            )


def _void_fixed(event: AwardVoided, made: AwardMade) -> None:
    """The hold gets back what it gave; no meter and no other award has to do with it."""
    due = due_of(made) * MICROCENTS_PER_CENT
    stake = made.stake_returned_cents * MICROCENTS_PER_CENT
    if event.flows or event.changes:
        raise DiscrepancyError(f"award {event.award} is of no meter: its void moves none")
    check_money(event.money, AwardMoney(hold=due + stake, pending=-due, returned=-stake))


def _void_hit(
    event: AwardVoided,
    award: AuditedAward,
    hit: WonMeter,
    register: Register,
    meters: Mapping[str, AuditedMeter],
) -> None:
    standing = [register.awards[each] for each in hit.awards]
    standing = [each for each in standing if each.status != "void"]
    others = [each for each in standing if each is not award]
    behind = others if hit.order == "equal_share" else standing[standing.index(award) + 1 :]
    if paid := [each.made.award for each in behind if each.status == "paid"]:
        raise DiscrepancyError(f"void of award {event.award}: {paid[0]} behind it has been paid")
    with_it, without_it = _takings(hit, standing), _takings(hit, others)
    meter = meters[hit.meter]
    left = without_it[-1].after if without_it else hit.before
    flow = _returned(meter, hit, left=left, was=with_it[-1].after)
    if event.flows != (flow,):
        raise flows_differ("flows", event.flows, (flow,))
    owed_before = _owed(standing)
    in_all_before = _in_all(standing)
    changed = _check_changes(event, others, without_it)
    _count(meter, award.made, changed)
    for each, made in changed:
        # Worked out again, and so to be looked at anew.
        each.made, each.status = made, "pending"
        each.validated_by, each.approved_by = None, ()
    pending = _owed(others) - owed_before
    # Where the rack had paid a part, a meter makes it good: now more of it, or less.
    hold = (_in_all(others) - _owed(others)) - (in_all_before - owed_before)
    on_meter = flow.primary + flow.reset + flow.overflow
    check_money(
        event.money,
        AwardMoney(
            # The house takes back its part of resets that never were, and bears what is missing.
            funding=-(on_meter + (pending + hold) * MICROCENTS_PER_CENT),
            hold=hold * MICROCENTS_PER_CENT,
            pending=pending * MICROCENTS_PER_CENT,
        ),
    )
    meter.move(flow)


def _takings(hit: WonMeter, awards: Sequence[AuditedAward]) -> list[Taken]:
    shares = [each.made.share_percent or 0 for each in awards]
    return take_in_turn(hit.before, hit.reset, shares, order=hit.order, rounding=hit.rounding)


def _owed(awards: Sequence[AuditedAward]) -> int:
    return sum([due_of(each.made) for each in awards])


def _in_all(awards: Sequence[AuditedAward]) -> int:
    """What the meter gives for them."""
    return sum([each.made.amount_cents for each in awards])


def _returned(meter: AuditedMeter, hit: WonMeter, *, left: Amounts, was: Amounts) -> MeterFlow:
    """What the round would have left more, upon the meter as it stands now.

    It may have been won since: no part falls below nothing, and none is put above a limit.
    """
    primary = max(-meter.primary, left.primary - was.primary)
    reset = max(-meter.reset, left.reset - was.reset)
    overflow = max(-meter.overflow, left.overflow - was.overflow)
    limit = hit.reset.limit_cents * MICROCENTS_PER_CENT
    if limit and primary > 0:
        above = min(primary, max(0, meter.primary + primary - limit))
        primary, overflow = primary - above, overflow + above
    return MeterFlow(hit.meter, primary, reset, overflow)


def _check_changes(
    event: AwardVoided, others: Sequence[AuditedAward], takings: Sequence[Taken]
) -> list[tuple[AuditedAward, AwardMade]]:
    """The awards that are worth something else now, each with what it was changed to."""
    stored = {change.award: change for change in event.changes}
    changed: list[tuple[AuditedAward, AwardMade]] = []
    for each, taken in zip(others, takings, strict=True):
        made = each.made
        if (made.amount_cents, made.meter_before, made.meter_after) == (
            taken.cents,
            taken.before.primary,
            taken.after.primary,
        ):
            continue
        change = stored.get(made.award)
        if change is None:
            raise DiscrepancyError(f"award {made.award} is not settled again")
        changed.append((each, _check_change(change, taken, made)))
    expected = [made.award for _, made in changed]
    if [change.award for change in event.changes] != expected:
        raise differs(
            "awards settled again",
            stored=", ".join([change.award for change in event.changes]) or "none",
            recomputed=", ".join(expected) or "none",
        )
    return changed


def _check_change(change: AwardChange, taken: Taken, made: AwardMade) -> AwardMade:
    expected = AwardChange(
        award=made.award,
        amount_cents=taken.cents,
        approvers=change.approvers,
        tax_form=change.tax_form,
        meter_before=taken.before.primary,
        meter_after=taken.after.primary,
        funded_cents=taken.funded_cents,
        from_reset=taken.from_reset,
        from_overflow=taken.from_overflow,
    )
    right = asdict(expected)
    for what, amount in right.items():
        if (found := getattr(change, what)) != amount:
            raise differs(f"award {made.award} again, {what}", stored=found, recomputed=amount)
    check_policy(f"award {made.award} again", change.approvers, change.tax_form)
    del right["award"]
    return replace(made, **right)


def _count(
    meter: AuditedMeter, void: AwardMade, changed: Sequence[tuple[AuditedAward, AwardMade]]
) -> None:
    """Lifetime counters only grow: what was counted too much is counted as voided."""
    meter.voided_hits += 1
    meter.voided_cents += void.amount_cents
    for each, made in changed:
        more = made.amount_cents - each.made.amount_cents
        if more > 0:
            meter.wins_cents += more
        else:
            meter.voided_cents -= more
