"""Legal floors and ceilings, one small check each, with its clause.

Each check looks at plain values and answers with a breach or None. Numbers and clauses come from
the game and jurisdiction files; no amount is written here. Where a check quotes no clause, no rule
text is behind it but arithmetic.
"""

from collections.abc import Collection, Sequence

from msgspec import Struct

from progressive.domain.money import PPM
from progressive.domain.rulebook.jurisdiction import Jurisdiction, Progression
from progressive.domain.rulebook.paytable import (
    Accepted,
    AcceptedSoft17,
    BonusMinimum,
    Game,
    LeastWager,
    PaymentOrders,
    Paytable,
)


class Breach(Struct, frozen=True):
    """What is wrong, as one sentence that names the value, and the clause it offends."""

    message: str
    clause: str | None = None


def unlisted_game(game: str, jurisdiction: Jurisdiction) -> Breach | None:
    """A jurisdiction names the games that may be offered in it."""
    if game in jurisdiction.games:
        return None
    return Breach(f'"{game}" is not a game of {jurisdiction.id}: {", ".join(jurisdiction.games)}')


def banked_by_a_player(game: Game) -> Breach | None:
    """A game whose bets the house may not bank, on a floor that knows no other bank."""
    if game.player_dealer is None:
        return None
    return Breach(
        f"{game.id} is banked by a player-dealer: the house may have no interest in the outcome, "
        "and a floor has no player-dealer yet",
        game.player_dealer.house_clause or game.clause,
    )


def unaccepted(value: int, choice: Accepted) -> Breach | None:
    """A number that the rule text does not offer."""
    if value in choice.accepted:
        return None
    return Breach(f"{value} is not {_any_of(choice.accepted)}", choice.clause)


def unaccepted_soft17(soft17: str, choice: AcceptedSoft17) -> Breach | None:
    """A way to play a soft 17 that the rule text does not offer."""
    if soft17 in choice.accepted:
        return None
    return Breach(f'"{soft17}" is not "{_any_of(choice.accepted)}"', choice.clause)


def small_wager(cents: int, least: LeastWager | None) -> Breach | None:
    """An amount below the least that the rule text lets a bet take."""
    if least is None or cents >= least.cents:
        return None
    return Breach(f"{cents} is below {least.cents}", least.clause)


def fixed_bonus_minimum(cents: int, minimum: BonusMinimum) -> Breach | None:
    """Another least wager for the free bonus, where the rule text fixes it."""
    if minimum.adjustable or cents == minimum.cents:
        return None
    return Breach(f"{cents} is not {minimum.cents}", minimum.clause)


def unaccepted_order(order: str, orders: PaymentOrders) -> Breach | None:
    """An order of payment that not even a regulator's approval makes possible in this game."""
    possible = (orders.standard, *orders.on_approval)
    if order in possible:
        return None
    return Breach(f'"{order}" is not {_any_of(possible)}', orders.clause)


def order_to_approve(order: str, orders: PaymentOrders) -> Breach | None:
    """An order of payment that is good only with the regulator's approval in hand."""
    if order not in orders.on_approval:
        return None
    return Breach(
        f'"{order}" instead of {orders.standard} needs approved internal controls', orders.clause
    )


def underfunded(cents: int, *, minimum_cents: int, clause: str) -> Breach | None:
    """An initial amount, or the house's part of a reset, below its legal floor."""
    if cents >= minimum_cents:
        return None
    return Breach(f"{cents} is below {minimum_cents}", clause)


def slow_progression(combined_ppm: int, progression: Progression) -> Breach | None:
    """Meters and reset meters that, all together, take too little of each wager."""
    if combined_ppm >= progression.combined_min_ppm:
        return None
    return Breach(
        f"{combined_ppm} ppm combined (all meters, primary and reset) "
        f"is below {progression.combined_min_ppm}",
        progression.clause,
    )


def overspent_wager(combined_ppm: int) -> Breach | None:
    """Meters that together take more than there is."""
    if combined_ppm <= PPM:
        return None
    return Breach(
        f"{combined_ppm} ppm combined (all meters, primary and reset) "
        f"is above {PPM}, the whole wager"
    )


def low_limit(limit_cents: int, *, least_cents: int, least: str) -> Breach | None:
    """A limit that the meter passes as soon as the house has funded it. 0 is no limit."""
    if limit_cents == 0 or limit_cents >= least_cents:
        return None
    return Breach(f"{limit_cents} is below {least} {least_cents}")


def meters_amiss(given: Collection[str], paytable: Paytable) -> list[tuple[str, Breach]]:
    """Meters that the paytable has and the floor lacks, then those it does not know; by id."""
    needed = [meter.id for meter in paytable.meters]
    has = f"paytable {paytable.id} has {', '.join(needed) or 'no meters'}"
    missing = [
        (meter, Breach(f"missing: {has}", paytable.clause))
        for meter in needed
        if meter not in given
    ]
    extra = [
        (meter, Breach(f"no such meter: {has}", paytable.clause))
        for meter in given
        if meter not in needed
    ]
    return missing + extra


def unpaid_second_winner(*, reset_cents: int, reset_rate_ppm: int, clause: str) -> Breach | None:
    """A meter that is empty after an award.

    Lawful for Mega and Major (NJ 13:69F-2.28(i)), but 2.28(h) pays what is on the meter: of two
    such hands in one round the second wins nothing, less than a player with a single 7.
    """
    if reset_cents or reset_rate_ppm:
        return None
    return Breach(
        "0 and no reset_rate_ppm: a second winner of the same round is left with nothing", clause
    )


def kept_too_short(days: int, min_days: int, clause: str) -> Breach | None:
    """Records that would be gone before the jurisdiction lets them go."""
    if days >= min_days:
        return None
    return Breach(f"{days} is below {min_days}", clause)


def _any_of(values: Sequence[int] | Sequence[str]) -> str:
    """`6 or 8`; `1, 2 or 3`."""
    *others, last = [str(value) for value in values]
    return f"{', '.join(others)} or {last}" if others else last


def empty_rack(limit_cents: object) -> Breach | None:
    """A rack that pays nothing: lawful, and hardly what a floor means by it."""
    if limit_cents != 0:
        return None
    return Breach(
        "0 sends every fixed award to the cage, a 2 for 1 too; where a supervisor is to confirm "
        'each payout at the table, set validation = "every" on the bet instead',
        "N.J.A.C. 13:69F-2.28(g)3",
    )
