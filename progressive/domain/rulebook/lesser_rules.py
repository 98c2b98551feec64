"""Where a local rule file asks for less than the shipped one of the same name, value by value.

"Less" is what is worse for players or for those who watch: a lower floor or pay, a wider choice
for the house, fewer people to approve, a later tax form. Each finding names the shipped clause.
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from progressive.domain.rulebook.jurisdiction import Jurisdiction
from progressive.domain.rulebook.paytable import (
    ForOne,
    Game,
    GameBet,
    Pays,
    Paytable,
    ShareOfMeter,
    ToOne,
)
from progressive.domain.rulebook.policy import ApprovalRule


class Lesser(Struct, frozen=True):
    """One value of a local file that asks for less."""

    what: str
    local: str
    shipped: str
    clause: str

    @property
    def sentence(self) -> str:
        """`combined_min_ppm 40000, shipped 200000, N.J.A.C. 13:69F-2.28(i)`."""
        clause = f", {self.clause}" if self.clause else ""
        return f"{self.what} {self.local}, shipped {self.shipped}{clause}"


def lesser_in_jurisdiction(local: Jurisdiction, shipped: Jurisdiction) -> list[Lesser]:
    """What a local jurisdiction file asks less for."""
    found: list[Lesser] = []
    if (rule := shipped.progression) is not None:
        own = 0 if local.progression is None else local.progression.combined_min_ppm
        found += _lower("combined_min_ppm", own, rule.combined_min_ppm, rule.clause)
    found += _wider("games", local.games, shipped.games, shipped.regulator)
    for day in sorted({rule.from_day for rule in (*local.approvals, *shipped.approvals)}):
        found += _fewer_approvers(day, local.approvals, shipped.approvals)
    forms = {rule.from_day: rule for rule in local.tax_forms}
    for form in shipped.tax_forms:
        of, own_form = f"tax_form from {form.from_day}", forms.get(form.from_day)
        if own_form is None:
            found.append(Lesser(of, "none", form.form, form.clause))
            continue
        found += _higher(f"{of}, least_cents", own_form.least_cents, form.least_cents, form.clause)
        found += _higher(
            f"{of}, least_multiple", own_form.least_multiple, form.least_multiple, form.clause
        )
    own_changes, changes = local.meter_changes, shipped.meter_changes
    if (own_changes.longer_odds, changes.longer_odds) == ("approved", "refused"):
        found.append(Lesser("longer_odds", "approved", "refused", changes.clause))
    days = own_changes.retire_notice_days
    found += _lower("retire_notice_days", days, changes.retire_notice_days, changes.clause)
    kept = shipped.retention
    for name in ("journal_min_days", "sign_log_min_days"):
        found += _lower(name, getattr(local.retention, name), getattr(kept, name), kept.clause)
    return found


def lesser_in_game(local: Game, shipped: Game) -> list[Lesser]:
    """What a local game file asks less for, or pays less."""
    decks, soft17, order = shipped.decks, shipped.soft17, shipped.payment_order
    found = _wider("decks", local.decks.accepted, decks.accepted, decks.clause)
    found += _wider("soft17", local.soft17.accepted, soft17.accepted, soft17.clause)
    own_orders = (local.payment_order.standard, *local.payment_order.on_approval)
    found += _wider("payment_order", own_orders, (order.standard, *order.on_approval), order.clause)
    for bet in shipped.bets:
        if (own := local.bet(bet.id)) is not None:
            found += _in_bet(own, bet)
    return found


def _in_bet(local: GameBet, shipped: GameBet) -> list[Lesser]:
    at, clause = f"bet {shipped.id}", shipped.clause
    found: list[Lesser] = []
    if shipped.needs_base_wager and not local.needs_base_wager:
        found.append(Lesser(f"{at}, needs_base_wager", "false", "true", clause))
    if shipped.capped_by_base_wager != "never" and (
        local.capped_by_base_wager != shipped.capped_by_base_wager
        and local.capped_by_base_wager != "always"
    ):
        cap = shipped.capped_by_base_wager
        found.append(Lesser(f"{at}, capped_by_base_wager", local.capped_by_base_wager, cap, clause))
    for name in ("wager_cents", "dealing_option"):
        rule, own_rule = getattr(shipped, name), getattr(local, name)
        if rule is not None:
            accepted = ("any",) if own_rule is None else own_rule.accepted
            found += _wider(f"{at}, {name}", accepted, rule.accepted, rule.clause)
    if (least := shipped.least_wager) is not None:
        own_least = 0 if local.least_wager is None else local.least_wager.cents
        found += _lower(f"{at}, least_wager", own_least, least.cents, least.clause)
    if local.player_points is not None:
        points = local.player_points.points
        most = shipped.player_points
        if most is None or points < most.points:
            was = "none" if most is None else str(most.points)
            found.append(Lesser(f"{at}, player_points", str(points), was, clause))
    if (minimum := shipped.free_bonus_minimum) is not None and local.free_bonus_minimum is not None:
        own_minimum = local.free_bonus_minimum.cents
        found += _higher(f"{at}, free_bonus_minimum", own_minimum, minimum.cents, minimum.clause)
    for bonus in shipped.free_bonuses:
        own_bonus = local.free_bonus(bonus.id)
        for line in bonus.lines if own_bonus is not None else ():
            what = f"{at}, free bonus {bonus.id}, {line.id}"
            own_cents = 0 if own_bonus is None else own_bonus.cents(line.id)
            found += _lower(what, own_cents, line.cents, bonus.clause)
    for paytable in shipped.paytables:
        if (own_table := local.paytable(paytable.id)) is not None:
            found += _in_paytable(f"{at}, paytable {paytable.id}", own_table, paytable)
    return found


def _in_paytable(at: str, local: Paytable, shipped: Paytable) -> list[Lesser]:
    found: list[Lesser] = []
    for line in shipped.lines:
        own = local.line(line.id)
        if own is None:
            found.append(Lesser(f"{at}, {line.id}", "no pay", _pays(line.pays), shipped.clause))
        elif _pays_less(own.pays, line.pays):
            found.append(
                Lesser(f"{at}, {line.id}", _pays(own.pays), _pays(line.pays), shipped.clause)
            )
    meters = {meter.id: meter for meter in local.meters}
    for meter in shipped.meters:
        own_meter = meters.get(meter.id)
        of = f"{at}, meter {meter.id}"
        initial = 0 if own_meter is None else own_meter.initial_min_cents
        reset = 0 if own_meter is None else own_meter.reset_min_cents
        found += _lower(f"{of}, initial_min_cents", initial, meter.initial_min_cents, meter.clause)
        found += _lower(f"{of}, reset_min_cents", reset, meter.reset_min_cents, meter.clause)
    return found


def _pays_less(local: Pays, shipped: Pays) -> bool:
    match local, shipped:
        case ForOne(), ForOne():
            return local.for_one < shipped.for_one
        case ToOne(), ToOne():
            return local.to * shipped.per < shipped.to * local.per
        case ShareOfMeter(), ShareOfMeter():
            return local.meter != shipped.meter or local.share_percent < shipped.share_percent
        case _:
            # Another kind of pay cannot be compared: it is said rather than passed over.
            return True


def _pays(pays: Pays) -> str:
    match pays:
        case ForOne():
            return f"{pays.for_one} for 1"
        case ToOne():
            return f"{pays.to} to {pays.per}"
        case ShareOfMeter():
            return f"{pays.share_percent} percent of {pays.meter}"


def _lower(what: str, local: int, shipped: int, clause: str) -> list[Lesser]:
    return [Lesser(what, str(local), str(shipped), clause)] if local < shipped else []


def _higher(what: str, local: int, shipped: int, clause: str) -> list[Lesser]:
    return [Lesser(what, str(local), str(shipped), clause)] if local > shipped else []


def _wider(
    what: str, local: Iterable[object], shipped: Iterable[object], clause: str
) -> list[Lesser]:
    """A choice that the shipped file does not give."""
    given = list(shipped)
    if all(each in given for each in local):
        return []
    return [Lesser(what, _listed(local), _listed(given), clause)]


def _listed(values: Iterable[object]) -> str:
    return " ".join([str(value) for value in values])


def _fewer_approvers(
    day: str, local: Sequence[ApprovalRule], shipped: Sequence[ApprovalRule]
) -> list[Lesser]:
    """The first amount from which fewer people approve, on the day a rule begins."""
    amounts = {step.from_cents for rule in (*local, *shipped) for step in rule.steps}
    for cents in sorted(amounts):
        own, _ = _approvers(local, day, cents)
        asked, clause = _approvers(shipped, day, cents)
        if own < asked:
            what = f"payment_approval from {day} at {cents} cents: approvers"
            return [Lesser(what, str(own), str(asked), clause)]
    return []


def _approvers(rules: Sequence[ApprovalRule], day: str, cents: int) -> tuple[int, str]:
    begun = [rule for rule in rules if rule.from_day <= day]
    if not begun:
        return 0, ""
    rule = max(begun, key=lambda each: each.from_day)
    return max([s.approvers for s in rule.steps if s.from_cents <= cents], default=0), rule.clause
