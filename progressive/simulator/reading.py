"""PURE. Cards read by eyes of our own: who has won which line. Shares nothing with the service.

Written from the rule texts and the words of the protocol; where this and the service's own reader
disagree, one of them is wrong, and a run says so.
"""

from collections.abc import Sequence
from typing import Final

from msgspec import UNSET

from progressive.domain.commands import SeatCards, Wager
from progressive.wire.table_messages import BetMessage, DealingMessage, LineMessage

BLACK: Final = "sc"
LOOKS_FIRST: Final = ("card_reader", "hole_face_up")
"""Dealers who know of their blackjack before anybody draws."""
BUST_MOST: Final = 8


def points(cards: Sequence[str]) -> int:
    """A hand's best count: an ace is eleven where that does not bust it."""
    hard = sum([1 if c[0] == "A" else 10 if c[0] in "TJQK" else int(c[0]) for c in cards])
    return hard + 10 if hard <= 11 and any(c[0] == "A" for c in cards) else hard


def blackjack(cards: Sequence[str]) -> bool:
    """Two cards that count 21."""
    return len(cards) == 2 and points(cards) == 21


def dealer_stands(cards: Sequence[str], dealing: DealingMessage) -> bool:
    """Whether the dealer draws no more."""
    count = points(cards)
    if count != 17 or dealing.soft17 == "stand":
        return count >= 17
    # A hand of 17 is soft where counting its aces as one each would make 7 of it.
    return points([*cards, "Ts"]) != 17


def line_of(
    bet: BetMessage, seat: SeatCards, dealer: Sequence[str], dealing: DealingMessage
) -> LineMessage | None:
    """The line that is paid: of all that the hand makes, the highest of the paytable."""
    return _first_of(bet, _made(bet, seat, dealer, dealing))


def early_line_of(bet: BetMessage, seat: SeatCards) -> LineMessage | None:
    """What the first two cards win before a card reader looks (NJ 13:69F-2.6(j)4)."""
    if not settled_early(bet):
        return None
    return _first_of(bet, _sevens(seat.cards[:2], None))


def settled_early(bet: BetMessage) -> bool:
    """Whether the bet may be paid on two cards: sevens, under either dealing option."""
    return _reads_sevens(bet)


def needs_whole_dealer(bet: BetMessage) -> bool:
    """Whether the bet hangs on the dealer's hand being played out."""
    return any(line.id.startswith("bust_") for line in bet.lines)


def _first_of(bet: BetMessage, made: Sequence[str]) -> LineMessage | None:
    return next((line for line in bet.lines if line.id in made), None)


def _reads_sevens(bet: BetMessage) -> bool:
    return any(line.id.endswith("_7") for line in bet.lines)


def _made(
    bet: BetMessage, seat: SeatCards, dealer: Sequence[str], dealing: DealingMessage
) -> list[str]:
    """Every line that the cards make, by the names of the protocol."""
    if needs_whole_dealer(bet):
        return _bust(bet, seat, dealer)
    if _reads_sevens(bet):
        return _sevens(seat.cards[:2], _third(bet, seat, dealer, dealing))
    return _jacks([*seat.cards[:2], dealer[0]])


def _third(
    bet: BetMessage, seat: SeatCards, dealer: Sequence[str], dealing: DealingMessage
) -> str | None:
    """NJ 13:69F-2.28(c): the player's next card, or the up card where option 2 is dealt."""
    if bet.dealing_option == 2:
        return dealer[0]
    # 2.6(j)4, 2.6(k)7: a dealer who looked and has a blackjack leaves two cards to count.
    over = dealing.dealer_procedure in LOOKS_FIRST and blackjack(dealer[:2])
    return None if over or len(seat.cards) == 2 else seat.cards[2]


def _sevens(own: Sequence[str], third: str | None) -> list[str]:
    count = sum([card[0] == "7" for card in own])
    if count < 2:
        return ["one_7"] if count else []
    if third is None or third[0] != "7":
        return ["two_7", "one_7"]
    return [*_three_sevens({card[1] for card in (*own, third)}), "two_7", "one_7"]


def _three_sevens(suits: set[str]) -> list[str]:
    made = ["three_7_any"]
    if len({suit in BLACK for suit in suits}) == 2:
        return ["three_7_mixed", *made]
    made.append("three_7_color")
    if len(suits) == 1:
        made += ["three_7_suited", "three_7_diamonds" if "d" in suits else "three_7_suited_other"]
    return made


def asks_points(bet: BetMessage, dealer: Sequence[str]) -> bool:
    """WA: whether a seat's points decide about the bet."""
    return bet.player_points_max is not None and points(dealer) > 21


def asks_blackjack(bet: BetMessage, wager: Wager, dealer: Sequence[str]) -> bool:
    """NJ 13:69F-2.30(h): whether a blackjack would be paid a bonus."""
    line = _first_of(bet, _bust_line(dealer)) if needs_whole_dealer(bet) else None
    return line is not None and (
        line.bonus_cents > 0 and wager.amount_cents >= bet.free_bonus_min_cents
    )


def too_many_points(bet: BetMessage, seat: SeatCards) -> bool:
    """WA: a hand of 28 or more spoils the bet."""
    if seat.points_over is not UNSET:
        return seat.points_over
    limit = bet.player_points_max
    return limit is not None and any(points(hand) > limit for hand in seat.hands or [seat.cards])


def _bust(bet: BetMessage, seat: SeatCards, dealer: Sequence[str]) -> list[str]:
    return [] if too_many_points(bet, seat) else _bust_line(dealer)


def _bust_line(dealer: Sequence[str]) -> list[str]:
    if points(dealer) <= 21:
        return []
    return [f"bust_{len(dealer)}" if len(dealer) < BUST_MOST else "bust_8_or_more"]


def _jacks(cards: Sequence[str]) -> list[str]:
    jacks = [card for card in cards if card[0] == "J"]
    one_eyed = [card for card in jacks if card[1] in "sh"]
    rows = ("one_jack", "two_jacks", "three_jacks")[: len(jacks)]
    special = ("one_one_eyed_jack", "two_one_eyed_jacks", "three_one_eyed_jacks")[: len(one_eyed)]
    return [*rows, *special]
