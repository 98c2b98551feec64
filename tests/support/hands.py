"""Cards, seats and bets of the rule books for tests, written the way a dealer would call them."""

from functools import cache

from progressive.adapters.config.games import shipped_games
from progressive.domain.commands import AmountCents, Wager
from progressive.domain.games.base_game import PlayedSeat
from progressive.domain.games.claims import OfferedBet
from progressive.domain.games.reading import Dealing
from progressive.domain.ids import BetId
from progressive.domain.rulebook.paytable import Game, GameBet

BUSTS = {
    3: "Ts 6h Kd",
    4: "Ts 2h 4d Kc",
    5: "2s 3h 4d 7c Ks",
    6: "2s 2h 3d 4c 5s Kh",
    7: "2s 2h 2d 3c 3s 4h Kd",
    8: "2s 2h 2d 2c 2s 3h 3d Kc",
    9: "2s 2h 2d 2c 2s 2h 2d 2c Kd",
    # The longest there is: seven aces are a soft 17, which is hit.
    13: "As Ah Ad Ac As Ah Ad 5c As Ah Ad Ac Ks",
}
"""A dealer's busted hand of so many cards, drawn by the rules."""


def cards(text: str) -> tuple[str, ...]:
    """`"7d Ts"` as cards."""
    return tuple(text.split())


def a_seat(
    dealt: str,
    *hands: str,
    seat: int = 1,
    double_cents: tuple[AmountCents, ...] = (),
    surrendered: tuple[bool, ...] = (),
    insurance_cents: int = 0,
) -> PlayedSeat:
    """A seat's cards in the order dealt; the final hands after them where it split."""
    return PlayedSeat(
        seat=seat,
        cards=cards(dealt),
        hands=tuple(cards(hand) for hand in hands),
        double_cents=double_cents,
        surrendered=surrendered,
        insurance_cents=insurance_cents,
    )


def a_stake(bet: str, amount_cents: int = 500, *, seat: int = 1, base_cents: int = 0) -> Wager:
    """A wager beside a base wager of the same amount, unless told otherwise."""
    return Wager(
        seat=seat, bet=BetId(bet), amount_cents=amount_cents, base_cents=base_cents or amount_cents
    )


@cache
def games() -> dict[str, Game]:
    """The games that ship with the program."""
    return shipped_games()


def game_bet(game: str, bet: str) -> GameBet:
    """A bet of a shipped game."""
    found = games()[game].bet(bet)
    assert found is not None
    return found


def an_offer(
    game: str,
    bet: str,
    paytable: str,
    *,
    free_bonus: str | None = None,
    free_bonus_min_cents: int = 500,
    dealing: Dealing | None = None,
) -> OfferedBet:
    """A bet of a shipped game as a table offers it."""
    rules = game_bet(game, bet)
    table = rules.paytable(paytable)
    assert table is not None
    bonus = None if free_bonus is None else rules.free_bonus(free_bonus)
    return OfferedBet(
        id=rules.id,
        reader=rules.reader,
        dealing=dealing or Dealing(),
        lines=table.lines,
        free_bonus_lines=() if bonus is None else bonus.lines,
        free_bonus_min_cents=free_bonus_min_cents,
    )
