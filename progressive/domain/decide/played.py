"""Which wagers a settlement settles, and whether it says enough to settle them."""

from collections.abc import Sequence

from msgspec import Struct

from progressive.domain.commands import SeatCards, SettleRound, Wager
from progressive.domain.decide.cards import missing_cards
from progressive.domain.events import SettledEarly, WagersRegistered
from progressive.domain.games.claims import OfferedBet, offered_bet
from progressive.domain.games.questions import (
    Question,
    contradicted_answers,
    decided_by_dealer,
    questions,
    unanswered,
)
from progressive.domain.games.readers import READERS
from progressive.domain.rejections import Refusal
from progressive.domain.rulebook.rules import LinkTerms


class PlayedWagers(Struct, frozen=True):
    """The wagers that a settlement decides: of the seats given, and those on the dealer's hand."""

    bets: dict[str, OfferedBet]
    wagers: list[Wager]
    seats: dict[int, SeatCards]
    """As keyed; a seat that was not keyed has no cards."""

    def asked(self, dealer: Sequence[str]) -> dict[int, list[Question]]:
        """What the dealer's hand leaves open about the wagers on it."""
        on_dealer = [each for each in self.wagers if decided_by_dealer(self.bets[each.bet])]
        return questions(self.bets, on_dealer, dealer)


def dealer_decides(terms: LinkTerms, opened: WagersRegistered) -> bool:
    """Whether the dealer's one hand decides a wager of the round."""
    bets = (opened.plain.bet,) if opened.plain else {wager.bet for wager in opened.listed}
    return any(READERS[terms.bet_by_id[bet].reader].needs_whole_dealer_hand for bet in bets)


def played_wagers(terms: LinkTerms, command: SettleRound, opened: WagersRegistered) -> PlayedWagers:
    """The wagers that the message settles; the others are lost."""
    bets: dict[str, OfferedBet] = {bet.id: offered_bet(terms, bet) for bet in terms.bets}
    seats = {at_seat.seat: at_seat for at_seat in command.seats}
    wagers: list[Wager] = []
    for wager in opened.wagers:
        at_seat = seats.setdefault(wager.seat, SeatCards(wager.seat))
        if at_seat.cards or decided_by_dealer(bets[wager.bet]):
            wagers.append(wager)
    return PlayedWagers(bets, wagers, seats)


def unsettled(
    terms: LinkTerms, played: PlayedWagers, command: SettleRound, early: SettledEarly | None
) -> Refusal | None:
    """Why the message does not say enough, or says what cannot be; None where it settles."""
    dealer = command.dealer.cards
    refusal = missing_cards(terms, played.bets, played.wagers, played.seats, dealer)
    if refusal is not None:
        return refusal
    asked = played.asked(dealer)
    # 13:69F-2.6(j)4 pays on 7s: whoever was paid before the peek has no blackjack.
    paid_early = () if early is None else {at_seat.seat for at_seat in early.seats}
    return unanswered(asked, played.seats, with_seven=paid_early) or contradicted_answers(
        command.seats, asked, complete=command.complete
    )
