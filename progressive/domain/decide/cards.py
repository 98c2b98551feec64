"""Whether the cards of a settlement can be true, and whether they are enough to tell who won."""

from collections.abc import Mapping, Sequence

from progressive.domain.commands import SeatCards, SettleRound, Wager
from progressive.domain.events import SettledEarly, WagersRegistered
from progressive.domain.games.claims import OfferedBet
from progressive.domain.games.dealt import misplayed_dealer, undealable
from progressive.domain.games.readers import READERS
from progressive.domain.ids import TableId
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.rulebook.rules import LinkRules, LinkTerms


def impossible_cards(
    rules: LinkRules,
    terms: LinkTerms,
    table: TableId,
    command: SettleRound,
    opened: WagersRegistered,
) -> Refusal | None:
    """The first reason why the cards of a settlement cannot have been dealt at this table."""
    return undealable(
        command.dealer.cards,
        command.seats,
        decks=terms.decks,
        seats_max=rules.seats[table],
        wagered={wager.seat for wager in opened.wagers},
        complete=command.complete and not command.early,
        only_wagered=command.early or not command.complete,
        may_answer=not command.early and not command.complete,
    )


def contradicted_cards(command: SettleRound, early: SettledEarly | None) -> Refusal | None:
    """Cards that were paid on before the peek are the cards of the round."""
    if early is None:
        return None
    up_card = early.dealer.cards[0]
    if command.dealer.cards and command.dealer.cards[0] != up_card:
        return Refusal(Rejection.IMPOSSIBLE_CARDS, f"the round was settled early with {up_card} up")
    before = {at_seat.seat: at_seat.cards[:2] for at_seat in early.seats}
    for at_seat in command.seats:
        # A seat that only answers shows no cards.
        if at_seat.cards and before.get(at_seat.seat, at_seat.cards[:2]) != at_seat.cards[:2]:
            return Refusal(
                Rejection.IMPOSSIBLE_CARDS,
                f"seat {at_seat.seat} was paid early on {' '.join(before[at_seat.seat])}",
            )
    return None


def missing_cards(
    terms: LinkTerms,
    bets: Mapping[str, OfferedBet],
    wagers: Sequence[Wager],
    seats: Mapping[int, SeatCards],
    dealer: Sequence[str],
) -> Refusal | None:
    """A card that is missing to tell who won, or a dealer's hand played against the rules."""
    whole = False
    for wager in wagers:
        bet = bets[wager.bet]
        reader = READERS[bet.reader]
        whole = whole or reader.needs_whole_dealer_hand
        if (missing := reader.missing(seats[wager.seat], dealer, bet.dealing)) is not None:
            return Refusal(Rejection.INCOMPLETE_CARDS, missing)
    return misplayed_dealer(dealer, terms.soft17, whole=whole)
