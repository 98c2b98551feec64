"""PURE. The terms of a table's bets, as its welcome tells them."""

from collections.abc import Iterable, Sequence

from msgspec import UNSET, Struct, UnsetType

from progressive.domain.commands import SeatCards, Wager
from progressive.simulator.reading import (
    asks_blackjack,
    asks_points,
    blackjack,
    early_line_of,
    line_of,
    needs_whole_dealer,
    too_many_points,
)
from progressive.wire.table_messages import BetMessage, DealingMessage

TEN_OR_ACE = "ATJQK"


class TableTerms(Struct, frozen=True):
    """What a table must know to play, and to check what it is told."""

    bets: list[BetMessage]
    dealing: DealingMessage
    base_min_cents: int = 0
    base_max_cents: int = 0

    def bets_of(self, seat: int, wagers: Iterable[Wager]) -> list[BetMessage]:
        """The bets that a seat has made."""
        made = {wager.bet for wager in wagers if wager.seat == seat}
        return [bet for bet in self.bets if bet.id in made]

    def waits_for_dealer(self, wagers: Iterable[Wager]) -> bool:
        """Whether the dealer's hand decides a wager."""
        on_dealer = {bet.id for bet in self.bets if needs_whole_dealer(bet)}
        return any(wager.bet in on_dealer for wager in wagers)

    def wins_by_its_cards(
        self, seat: SeatCards, wagers: Iterable[Wager], dealer: Sequence[str]
    ) -> bool:
        """Whether a seat has anything to be paid that the dealer's hand alone does not decide."""
        return any(
            line_of(bet, seat, dealer, self.dealing)
            for bet in self.bets_of(seat.seat, wagers)
            if not needs_whole_dealer(bet)
        )

    def answer(
        self, seat: SeatCards, wagers: Iterable[Wager], dealer: Sequence[str]
    ) -> SeatCards | None:
        """What a dealer says of a seat whose cards were asked for; None where nobody asks.

        A blackjack that would be paid a bonus is shown, never said.
        """
        bet_by_id = {bet.id: bet for bet in self.bets}
        over: bool | UnsetType = UNSET
        denied: bool | UnsetType = UNSET
        for wager in wagers:
            bet = bet_by_id[wager.bet]
            if wager.seat != seat.seat or not needs_whole_dealer(bet):
                continue
            if asks_points(bet, dealer):
                over = too_many_points(bet, seat)
            if asks_blackjack(bet, wager, dealer):
                if blackjack(seat.cards):
                    return seat
                denied = False
        if over is UNSET and denied is UNSET:
            return None
        return SeatCards(seat.seat, blackjack=denied, points_over=over)

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
