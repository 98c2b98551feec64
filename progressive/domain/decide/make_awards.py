"""From settled claims to awards: numbers, papers and the money they move beside the meters."""

from collections.abc import Mapping, Sequence

from progressive.domain.award_events import AwardMade, AwardMoney
from progressive.domain.awards.meter_payouts import Taking
from progressive.domain.awards.paperwork import approvers, asks_validation, tax_form
from progressive.domain.awards.settlement import Settled
from progressive.domain.ids import AwardId, BetId
from progressive.domain.money import microcents
from progressive.domain.rulebook.paytable import ShareOfMeter
from progressive.domain.rulebook.policy import AwardPolicy
from progressive.domain.rulebook.rules import LinkTerms
from progressive.domain.state.link_state import LinkState
from progressive.domain.time_text import Moment


def make_awards(
    state: LinkState,
    policy: AwardPolicy,
    terms: LinkTerms,
    won: Sequence[Settled],
    paid_early: Mapping[tuple[int, BetId], AwardMade],
    when: Moment,
) -> tuple[AwardMade, ...]:
    """The awards in the order of payment. A wager that won its early line again wins no more."""
    awards: list[AwardMade] = []
    for each in won:
        claim = each.claim
        early = paid_early.get((claim.seat, claim.bet))
        if early is not None and claim.line is not None and early.line == claim.line.id:
            continue
        order = len(awards) + 1
        award = AwardId(f"{state.link}.{state.seq + 1}.{order}")
        awards.append(_award(award, order, each, early, policy, terms, when))
    return tuple(awards)


def _award(
    award: AwardId,
    order: int,
    settled: Settled,
    early: AwardMade | None,
    policy: AwardPolicy,
    terms: LinkTerms,
    when: Moment,
) -> AwardMade:
    claim, taking = settled.claim, settled.taking
    paid_before = 0 if early is None else early.amount_cents
    in_all = settled.pay_cents + claim.bonus_cents
    due = max(0, in_all - paid_before)
    from_rack = settled.kind == "fixed" and due < policy.rack_limit_cents
    # NJ 13:69F-2.28(g)3. What was paid before the peek counts: a payout in two parts is one payout.
    asked = from_rack and asks_validation(terms.bet_by_id[claim.bet], in_all)
    line = claim.line
    if line is None:
        raise AssertionError("a wager wins by a line")
    pays = line.pays if isinstance(line.pays, ShareOfMeter) else None
    return AwardMade(
        award=award,
        order=order,
        seat=claim.seat,
        bet=claim.bet,
        line=line.id,
        kind="fixed" if pays is None else "meter",
        meter=None if pays is None else pays.meter,
        share_percent=None if pays is None else pays.share_percent,
        amount_cents=settled.pay_cents,
        bonus_cents=claim.bonus_cents,
        wager_cents=claim.stake_cents,
        stake_returned_cents=settled.stake_returned_cents,
        paid_before_cents=paid_before,
        status="payable" if from_rack and not asked else "pending",
        pays_from="rack" if asked else None,
        approvers=0 if from_rack else approvers(policy, due, on=when.day),
        tax_form=tax_form(
            policy, in_all, claim.stake_cents, settled.stake_returned_cents, on=when.day
        ),
        **_meter_side(taking),
    )


def _meter_side(taking: Taking | None) -> dict[str, int]:
    if taking is None:
        return {}
    return {
        "meter_before": taking.before.primary,
        "meter_after": taking.after.primary,
        "funded_cents": taking.funded_cents,
        "from_reset": taking.before.reset - taking.after.reset,
        "from_overflow": taking.before.overflow - taking.after.overflow,
    }


def money_of(awards: Sequence[AwardMade]) -> AwardMoney:
    """What the awards move beside the meters.

    A meter award's money comes off its meter, every other one's out of the hold. Where a line was
    paid early from the rack and a meter pays it now, the meter makes good what the rack gave.
    """
    if not awards:
        return AwardMoney()
    funding = hold = pending = paid = returned = 0
    for award in awards:
        due = microcents(award.due_cents)
        stake = microcents(award.stake_returned_cents)
        hold -= due + stake
        returned += stake
        if award.kind == "meter":
            hold += microcents(award.amount_cents)
            funding -= microcents(award.funded_cents)
        if award.status == "payable":
            paid += due
        else:
            pending += due
    return AwardMoney(funding=funding, hold=hold, pending=pending, paid=paid, returned=returned)
