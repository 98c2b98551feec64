"""What the cards made of each wager: a line won, nothing, or a push. Money comes afterwards."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from progressive.domain.commands import SeatCards, Wager
from progressive.domain.games.blackjack_x import Result
from progressive.domain.games.readers import READERS
from progressive.domain.games.reading import Dealing, has_blackjack
from progressive.domain.ids import BetId
from progressive.domain.options import PaymentOrder
from progressive.domain.rulebook.paytable import BonusLine, PayLine
from progressive.domain.rulebook.rules import BetRules, LinkTerms


class OfferedBet(Struct, frozen=True, kw_only=True):
    """A bet as it is offered at the table: who reads its cards, and what its lines pay."""

    id: BetId
    reader: str
    dealing: Dealing
    lines: tuple[PayLine, ...]
    """Highest first: where a hand makes several, the first of them is the one paid."""
    free_bonus_lines: tuple[BonusLine, ...] = ()
    free_bonus_min_cents: int = 0


def offered_bet(terms: LinkTerms, bet: BetRules) -> OfferedBet:
    """A bet of a link as the readers of cards want it."""
    return OfferedBet(
        id=bet.id,
        reader=bet.reader,
        dealing=Dealing(
            procedure=terms.dealer_procedure,
            soft17=terms.soft17,
            option=bet.dealing_option,
            player_points_max=bet.player_points_max,
        ),
        lines=bet.lines,
        free_bonus_lines=bet.free_bonus_lines,
        free_bonus_min_cents=bet.free_bonus_min_cents,
    )


class Claim(Struct, frozen=True, kw_only=True):
    """One wager after the cards are known."""

    seat: int
    bet: BetId
    stake_cents: int
    result: Result
    line: PayLine | None = None
    """The line of a win or a push."""
    bonus_cents: int = 0
    given_back_cents: int = 0
    """Of a lost stake: the half that a surrender keeps."""
    hand: int | None = None
    """Which of its hands, where the seat split."""


def side_bet_claims(
    bet: OfferedBet, wagers: Iterable[Wager], seats: dict[int, SeatCards], dealer: Sequence[str]
) -> list[Claim]:
    """The claims of all wagers on one side bet, in the order of the wagers."""
    made = READERS[bet.reader].made
    found: list[Claim] = []
    for wager in wagers:
        seat = seats[wager.seat]
        lines = made(seat, dealer, bet.dealing)
        line = highest_line(bet.lines, lines) if lines else None
        found.append(
            Claim(
                seat=wager.seat,
                bet=bet.id,
                stake_cents=wager.amount_cents,
                result="lose" if line is None else "win",
                line=line,
                bonus_cents=0 if line is None else _bonus_cents(bet, wager, seat, line),
            )
        )
    return found


def highest_line(lines: Sequence[PayLine], made: Sequence[str]) -> PayLine | None:
    """The line that is paid. NJ 13:69F-2.28(e): "only the highest possible ... hand"."""
    return next((line for line in lines if line.id in made), None)


def _bonus_cents(bet: OfferedBet, wager: Wager, seat: SeatCards, line: PayLine) -> int:
    """NJ 13:69F-2.30(h): a blackjack on the hand that carries the wager, and enough wagered."""
    if wager.amount_cents < bet.free_bonus_min_cents or not has_blackjack(seat):
        return 0
    return next((bonus.cents for bonus in bet.free_bonus_lines if bonus.id == line.id), 0)


def in_payment_order(claims: Iterable[Claim], order: PaymentOrder) -> list[Claim]:
    """The claims of one bet as the dealer pays them; hands of a seat stay together.

    NJ 13:69F-2.28(h): the player farthest to the dealer's right first, which is the highest seat,
    then counter-clockwise. 101: "in clockwise rotation", from the first seat at the dealer's left.
    """
    return sorted(claims, key=lambda claim: claim.seat, reverse=order != "clockwise")
