"""PURE. The terms of a table's bets, as its welcome tells them."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from progressive.domain.commands import SeatCards, Wager
from progressive.simulator.reading import early_line_of, line_of
from progressive.wire.table_messages import BetMessage, DealingMessage

TEN_OR_ACE = "ATJQK"


class TableTerms(Struct, frozen=True):
    """What a table must know to play, and to check what it is told."""

    bets: list[BetMessage]
    dealing: DealingMessage

    def bets_of(self, seat: int, wagers: Iterable[Wager]) -> list[BetMessage]:
        """The bets that a seat has made."""
        made = {wager.bet for wager in wagers if wager.seat == seat}
        return [bet for bet in self.bets if bet.id in made]

    def wins(self, seat: SeatCards, wagers: Iterable[Wager], dealer: Sequence[str]) -> bool:
        """Whether a seat has anything to be paid."""
        return any(
            line_of(bet, seat, dealer, self.dealing) for bet in self.bets_of(seat.seat, wagers)
        )

    def wins_early(self, seat: SeatCards, wagers: Iterable[Wager]) -> bool:
        """Whether its first two cards alone win something."""
        return any(early_line_of(bet, seat) for bet in self.bets_of(seat.seat, wagers))

    def supervisor_voids(self, wagers: Iterable[Wager]) -> bool:
        """Whether a void of a round with these wagers is left to a supervisor."""
        strict = {bet.id for bet in self.bets if bet.validation == "every"}
        return any(wager.bet in strict for wager in wagers)

    def settles_early(self, up_card: str) -> bool:
        """NJ 13:69F-2.6(j)4: with a card reader, and an ace or a ten up."""
        return self.dealing.dealer_procedure == "card_reader" and up_card[0] in TEN_OR_ACE
