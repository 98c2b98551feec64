"""The awards of a settlement, worked out again from cards, wagers and recorded terms.

What hangs on the policy (status, approvers, tax form) is taken as stored here and only asked
whether it can be: older journals do not record a policy. `treatment` holds it against one. Which
payouts a supervisor confirms first is in the terms of each bet, and is worked out again here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from operator import attrgetter
from typing import Final

from progressive.verifier.findings import DiscrepancyError, differs, shown
from progressive.verifier.recorded.award_events import AwardMade, AwardMoney
from progressive.verifier.recorded.limits import MICROCENTS_PER_CENT
from progressive.verifier.recorded.terms import ShareOfMeter
from progressive.verifier.rules.meter_payouts import Taken
from progressive.verifier.rules.wins import Win

NO_MONEY: Final = AwardMoney()
APPROVERS_MAX: Final = 100
"""No house asks more people for one signature each."""


def due_cents(amount_cents: int, bonus_cents: int, paid_before_cents: int) -> int:
    """What is still to be paid of an award; what was paid early is not asked back."""
    return max(0, amount_cents + bonus_cents - paid_before_cents)


def due_of(made: AwardMade) -> int:
    """What is still to be paid of this one."""
    return due_cents(made.amount_cents, made.bonus_cents, made.paid_before_cents)


def check_awards(
    stored: Sequence[AwardMade],
    wins: Sequence[Win],
    *,
    settlement: str,
    paid_early: Mapping[tuple[int, str], AwardMade],
) -> None:
    """Raise unless the stored awards are those of these wins.

    `settlement` is what their ids begin with: link and record. A wager that was paid early and
    made no better line since has had its award.
    """
    owed = [win for win in wins if not _paid_as_much(win, paid_early)] if paid_early else wins
    _check_winners(stored, owed)
    for order, (made, win) in enumerate(zip(stored, owed, strict=True), start=1):
        early = paid_early.get((win.wager.seat, win.bet.id)) if paid_early else None
        _check_award(made, _expected(win, early, f"{settlement}.{order}", order))
        _check_treatment(made, win)


def money_of(awards: Sequence[AwardMade]) -> AwardMoney:
    """What awards move beside the meters: from the meters or out of the hold, to where they lie.

    A meter that pays a line of which the rack has paid a part gives that part to the hold.
    """
    funding = hold = pending = paid = returned = 0
    for made in awards:
        due = due_of(made)
        from_meter = made.amount_cents if made.kind == "meter" else 0
        hold += from_meter - due - made.stake_returned_cents
        returned += made.stake_returned_cents
        funding -= made.funded_cents
        if made.status == "pending":
            pending += due
        else:
            paid += due
    return AwardMoney(
        funding=funding * MICROCENTS_PER_CENT,
        hold=hold * MICROCENTS_PER_CENT,
        pending=pending * MICROCENTS_PER_CENT,
        paid=paid * MICROCENTS_PER_CENT,
        returned=returned * MICROCENTS_PER_CENT,
    )


def check_money(stored: AwardMoney, expected: AwardMoney) -> None:
    """Raise at the first account that does not move as it should."""
    if stored != expected:
        for account, right in asdict(expected).items():
            if (found := getattr(stored, account)) != right:
                raise differs(f"money, {account}", stored=found, recomputed=right)


def _paid_as_much(win: Win, paid_early: Mapping[tuple[int, str], AwardMade]) -> bool:
    early = paid_early.get((win.wager.seat, win.bet.id))
    return early is not None and early.line == win.line.id


def _check_winners(stored: Sequence[AwardMade], owed: Sequence[Win]) -> None:
    """Nobody left out, nobody invented, and all in the order of payment."""
    found = [(made.seat, made.bet) for made in stored]
    right = [(win.wager.seat, win.bet.id) for win in owed]
    if found == right:
        return
    for win in owed:
        if (win.wager.seat, win.bet.id) not in found:
            raise DiscrepancyError(
                f"seat {win.wager.seat} wins {shown(win.line.id)} on {shown(win.bet.id)}, "
                "but has no award"
            )
    for seat, bet in found:
        if (seat, bet) not in right or found.count((seat, bet)) > 1:
            raise DiscrepancyError(
                f"seat {shown(seat)} has an award on {shown(bet)} that its cards did not win"
            )
    raise differs("order of payment", stored=_in_words(found), recomputed=_in_words(right))


def _in_words(places: Sequence[tuple[int, str]]) -> str:
    return ", ".join([f"seat {seat} {bet}" for seat, bet in places])


_WORKED_OUT: Final = (
    "award",
    "order",
    "seat",
    "bet",
    "line",
    "kind",
    "meter",
    "share_percent",
    "amount_cents",
    "bonus_cents",
    "wager_cents",
    "stake_returned_cents",
    "paid_before_cents",
    "meter_before",
    "meter_after",
    "funded_cents",
    "from_reset",
    "from_overflow",
)
"""What of an award follows from cards, wager, terms and meters, in the order of `_expected`."""
_as_stored: Final = attrgetter(*_WORKED_OUT)


def _expected(win: Win, early: AwardMade | None, award: str, order: int) -> tuple[object, ...]:
    pays, taken, wager = win.line.pays, win.taken, win.wager
    of_meter = pays if isinstance(pays, ShareOfMeter) else None
    return (
        award,
        order,
        wager.seat,
        win.bet.id,
        win.line.id,
        "fixed" if of_meter is None else "meter",
        None if of_meter is None else of_meter.meter,
        None if of_meter is None else of_meter.share_percent,
        win.cents,
        win.bonus_cents,
        wager.amount_cents,
        win.stake_returned_cents,
        0 if early is None else early.amount_cents,
        *((None, None, 0, 0, 0) if taken is None else _moved(taken)),
    )


def _moved(taken: Taken) -> tuple[int, ...]:
    return (
        taken.before.primary,
        taken.after.primary,
        taken.funded_cents,
        taken.from_reset,
        taken.from_overflow,
    )


def _check_award(made: AwardMade, expected: tuple[object, ...]) -> None:
    if (stored := _as_stored(made)) != expected:
        for what, found, right in zip(_WORKED_OUT, stored, expected, strict=True):
            if found != right:
                raise differs(
                    f"award of seat {made.seat} on {made.bet}, {what}",
                    stored=found,
                    recomputed=right,
                )


def is_confirmed_first(win: Win) -> bool:
    """NJ 13:69F-2.28(g)3 as the bet's terms have it: a fixed award that a supervisor confirms."""
    bet = win.bet
    if win.taken is not None:
        return False
    if bet.validation == "from_amount":
        return win.cents + win.bonus_cents >= bet.validation_from_cents
    return bet.validation == "every"


def _check_treatment(made: AwardMade, win: Win) -> None:
    """What the policy decides can be one way or the other, but not any way."""
    of = f"award {made.award}"
    asked = is_confirmed_first(win)
    if made.status == "payable" and asked:
        raise DiscrepancyError(
            f"{of} is paid from the rack at once: a supervisor confirms it first"
        )
    if made.pays_from is not None and (made.status != "pending" or not asked):
        raise DiscrepancyError(f"{of} waits for a supervisor's confirmation that no terms ask for")
    if made.pays_from is not None and made.approvers:
        raise DiscrepancyError(f"{of} is paid from the rack, yet {made.approvers} must approve it")
    if made.status == "payable" and made.kind == "meter":
        raise DiscrepancyError(f"{of} is paid from the rack: a meter's award is validated first")
    check_policy(of, made.approvers, made.tax_form)
    if made.status == "payable" and made.approvers:
        raise DiscrepancyError(f"{of} is paid from the rack, yet {made.approvers} must approve it")


def check_policy(of: str, approvers: int, tax_form: str | None) -> None:
    """Raise where no policy asks for that many people, or for such a form."""
    if not 0 <= approvers <= APPROVERS_MAX:
        raise DiscrepancyError(f"{of}: {shown(approvers)} people to approve it")
    if tax_form is not None and not tax_form.strip():
        raise DiscrepancyError(f"{of}: a tax form without a name")
