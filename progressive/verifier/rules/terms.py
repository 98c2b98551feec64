"""The recorded terms, made ready for the verifier's own sums.

Terms come from a journal that may have been forged: they are checked before anything is
multiplied by them.
"""

from collections.abc import Sequence

from progressive.verifier.findings import DiscrepancyError, shown
from progressive.verifier.recorded.limits import CENTS_MAX, MICROCENTS_PER_CENT, PPM
from progressive.verifier.recorded.terms import (
    BetRules,
    ForOne,
    LinkTerms,
    MeterRules,
    Pays,
    ShareOfMeter,
)
from progressive.verifier.recorded.values import MeterFlow, Wager
from progressive.verifier.rules.meter_payouts import Amounts, Fallback


class AuditedMeter:
    """One meter as the verifier keeps it, in microcents, and how often it was ever hit."""

    __slots__ = (
        "hits",
        "id",
        "limit",
        "overflow",
        "primary",
        "rate_ppm",
        "reset",
        "reset_rate_ppm",
        "voided_cents",
        "voided_hits",
        "wins_cents",
    )

    def __init__(self, rules: MeterRules) -> None:
        self.id = rules.id
        self.rate_ppm = rules.rate_ppm
        self.reset_rate_ppm = rules.reset_rate_ppm
        self.limit = rules.limit_cents * MICROCENTS_PER_CENT
        self.primary = rules.initial_cents * MICROCENTS_PER_CENT
        self.reset = 0
        self.overflow = 0
        self.hits = 0
        self.wins_cents = 0
        self.voided_hits = 0
        self.voided_cents = 0

    @property
    def amounts(self) -> Amounts:
        """As it stands."""
        return Amounts(self.primary, self.reset, self.overflow)

    def above_limit(self, share: int) -> int:
        """How much of a share does not fit below the limit: it goes to the overflow meter."""
        if not self.limit:
            return 0
        return min(share, max(0, self.primary + share - self.limit))

    def move(self, flow: MeterFlow) -> None:
        """Enter what a record puts on it, or takes off it."""
        self.primary += flow.primary
        self.reset += flow.reset
        self.overflow += flow.overflow

    def follow(self, before: "AuditedMeter") -> None:
        """Go on, under other terms, where the meter of that name stood."""
        self.primary, self.reset, self.overflow = before.primary, before.reset, before.overflow
        self.remember(before)

    def remember(self, before: "AuditedMeter") -> None:
        """Lifetime counters outlive the terms."""
        self.hits, self.wins_cents = before.hits, before.wins_cents
        self.voided_hits, self.voided_cents = before.voided_hits, before.voided_cents


class AuditedBet:
    """One bet of the terms, its meters, and what was ever wagered on it."""

    __slots__ = (
        "base_min_cents",
        "capped_by_base_wager",
        "chip_cents",
        "coupon_cents",
        "id",
        "limited",
        "max_cents",
        "meters",
        "min_cents",
        "voided_cents",
        "wagered_cents",
    )

    def __init__(self, rules: BetRules) -> None:
        self.id = rules.id
        # One accepted amount is a range of one.
        fixed = rules.wager_cents
        highest = CENTS_MAX if rules.max_cents is None else rules.max_cents
        self.min_cents = rules.min_cents if fixed is None else fixed
        self.max_cents = highest if fixed is None else fixed
        self.base_min_cents = 1 if rules.needs_base_wager else 0
        self.capped_by_base_wager = rules.capped_by_base_wager
        self.meters = [AuditedMeter(meter) for meter in rules.meters]
        self.limited = any(meter.limit for meter in self.meters)
        """Whether a meter of it has a limit."""
        self.wagered_cents = 0
        self.voided_cents = 0
        # Of the round that is being looked at; nothing in between.
        self.chip_cents = 0
        self.coupon_cents = 0

    def allows(self, wager: Wager) -> bool:
        """Whether the terms allow the wager."""
        base = wager.base_cents
        return (
            self.min_cents <= wager.amount_cents <= self.max_cents
            and self.base_min_cents <= base <= CENTS_MAX
            and wager.seat >= 1
            and not (self.capped_by_base_wager and wager.amount_cents > base)
        )

    def objection(self, wager: Wager) -> DiscrepancyError:
        """Why the terms do not allow it."""
        amount, base = wager.amount_cents, wager.base_cents
        if wager.seat < 1:
            wrong = "no such seat"
        elif not self.min_cents <= amount <= self.max_cents:
            wrong = f"{shown(amount)} cents where {self.min_cents} to {self.max_cents} are allowed"
        elif base == 0:
            wrong = "no base wager"
        elif not 0 <= base <= CENTS_MAX:
            wrong = f"a base wager of {shown(base)} cents"
        else:
            wrong = f"{amount} cents are more than the base wager of {base}"
        return DiscrepancyError(f"wager on {self.id} at seat {shown(wager.seat)}: {wrong}")


class TermsInForce:
    """The terms that a round was locked under, ready to settle it by."""

    __slots__ = ("bet_by_id", "fallback_of", "place_of_bet", "terms")

    def __init__(self, terms: LinkTerms) -> None:
        self.terms = terms
        self.bet_by_id = {bet.id: bet for bet in terms.bets}
        self.place_of_bet = {bet.id: place for place, bet in enumerate(terms.bets)}
        self.fallback_of = {
            meter.id: Fallback(meter.reset_cents, meter.limit_cents, terms.overflow)
            for bet in terms.bets
            for meter in bet.meters
        }

    def meter_ids(self) -> list[str]:
        """All meters in the order of the terms."""
        return list(self.fallback_of)


def audited_bets(terms: LinkTerms) -> list[AuditedBet]:
    """The bets in the order of the terms; raises where no honest link could have them."""
    for bet in terms.bets:
        _check_bet(bet)
    _refuse_twice("bet", [bet.id for bet in terms.bets])
    _refuse_twice("meter", [meter.id for bet in terms.bets for meter in bet.meters])
    return [AuditedBet(bet) for bet in terms.bets]


def _refuse_twice(what: str, ids: Sequence[str]) -> None:
    seen: set[str] = set()
    for each in ids:
        if each in seen:
            raise DiscrepancyError(f"the terms have {what} {shown(each)} twice")
        seen.add(each)


def _check_bet(bet: BetRules) -> None:
    of = f"bet {shown(bet.id)}"
    _amount(f"{of}, min_cents", bet.min_cents, least=1)
    if bet.wager_cents is not None:
        _amount(f"{of}, wager_cents", bet.wager_cents, least=1)
    if bet.max_cents is not None:
        _amount(f"{of}, max_cents", bet.max_cents, least=1)
    taken_ppm = 0
    for meter in bet.meters:
        at = f"meter {shown(meter.id)}"
        for name, value in (
            ("initial_cents", meter.initial_cents),
            ("reset_cents", meter.reset_cents),
            ("limit_cents", meter.limit_cents),
        ):
            _amount(f"{at}, {name}", value, least=0)
        for name, rate in (
            ("rate_ppm", meter.rate_ppm),
            ("reset_rate_ppm", meter.reset_rate_ppm),
        ):
            if not 0 <= rate <= PPM:
                raise DiscrepancyError(f"{at}, {name}: {shown(rate)} is no share of a wager")
            taken_ppm += rate
    if taken_ppm > PPM:
        raise DiscrepancyError(f"{of}: its meters take {taken_ppm} ppm, more than the wager")
    for line in bet.lines:
        _check_pays(f"{of}, line {shown(line.id)}", line.pays)
    for bonus in bet.free_bonus_lines:
        _amount(f"{of}, free bonus on {shown(bonus.id)}", bonus.cents, least=0)


def _check_pays(of: str, pays: Pays) -> None:
    if isinstance(pays, ShareOfMeter):
        if not 1 <= pays.share_percent <= 100:
            raise DiscrepancyError(f"{of}: {shown(pays.share_percent)} percent of a meter")
    elif isinstance(pays, ForOne):
        _amount(of, pays.for_one, least=0)
    else:
        _amount(of, pays.to, least=0)
        _amount(of, pays.per, least=1)


def _amount(what: str, cents: int, *, least: int) -> None:
    if not least <= cents <= CENTS_MAX:
        raise DiscrepancyError(f"{what}: {shown(cents)} is not {least} to {CENTS_MAX}")
