"""Whether the cards of a request can have been dealt, and whether they are enough to settle it."""

from collections.abc import Mapping, Set

from progressive.application.settle_tool.messages import SettleRequest
from progressive.application.settle_tool.rules import (
    SEATS_MAX,
    PlayedBet,
    PlayedRules,
    RefusedError,
    bad,
)
from progressive.domain.commands import Wager
from progressive.domain.games.base_game import PlayedSeat, depends_on_draw, unlawful_play
from progressive.domain.games.dealt import misplayed_dealer, undealable
from progressive.domain.games.questions import (
    contradicted_answers,
    decided_by_dealer,
    questions,
    unanswered,
)
from progressive.domain.games.readers import BASE_GAME, READERS
from progressive.domain.rejections import Refusal, Rejection


def check_cards(
    rules: PlayedRules, request: SettleRequest, seats: Mapping[int, PlayedSeat]
) -> Set[int]:
    """Raise at the first card that cannot be or is missing; the seats that were asked about."""
    dealer = request.dealer.cards
    _refuse(
        undealable(
            dealer,
            request.seats,
            decks=request.decks,
            seats_max=SEATS_MAX,
            wagered={wager.seat for wager in request.wagers},
            complete=request.complete,
            only_wagered=True,
            may_answer=not request.complete,
        )
    )
    based = {wager.seat for wager in request.wagers if _is_base(rules, wager)}
    if based and not request.complete:
        raise bad("complete: the base game is settled on the cards of every seat")
    for seat in request.seats:
        if seat.acted and seat.seat not in based:
            raise bad(f"seat {seat.seat} doubles, surrenders or insures without a base wager")
    whole = False
    for wager in request.wagers:
        whole = _check_wager(rules, wager, seats[wager.seat], dealer) or whole
    _refuse(misplayed_dealer(dealer, rules.soft17, whole=whole))
    bets = {name: bet.offered for name, bet in rules.bets.items()}
    on_dealer = [
        wager
        for wager in request.wagers
        if not _is_base(rules, wager) and decided_by_dealer(bets[wager.bet])
    ]
    asked = questions(bets, on_dealer, dealer)
    _refuse(unanswered(asked, seats))
    _refuse(contradicted_answers(request.seats, asked, complete=request.complete))
    return asked.keys()


def is_played(bet: PlayedBet, seat: PlayedSeat) -> bool:
    """Whether the request says how a wager at the seat ended: by its cards or the dealer's."""
    return bool(seat.cards) or decided_by_dealer(bet.offered)


def _check_wager(
    rules: PlayedRules, wager: Wager, seat: PlayedSeat, dealer: tuple[str, ...]
) -> bool:
    """Raise where a card is missing to settle a wager; whether the dealer's whole hand counts."""
    bet = rules.bets[wager.bet]
    if not _is_base(rules, wager):
        if not is_played(bet, seat):
            return False
        reader = READERS[bet.offered.reader]
        if (missing := reader.missing(seat, dealer, bet.offered.dealing)) is not None:
            raise RefusedError(Refusal(Rejection.INCOMPLETE_CARDS, missing))
        return reader.needs_whole_dealer_hand
    if len(dealer) < 2:
        message = "the dealer's first two cards are missing"
        raise RefusedError(Refusal(Rejection.INCOMPLETE_CARDS, message))
    _refuse(unlawful_play(seat, wager, dealer))
    return depends_on_draw(seat, dealer)


def _is_base(rules: PlayedRules, wager: Wager) -> bool:
    return rules.bets[wager.bet].offered.reader == BASE_GAME


def _refuse(refusal: Refusal | None) -> None:
    if refusal is not None:
        raise RefusedError(refusal)
