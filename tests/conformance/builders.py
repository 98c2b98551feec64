"""Requests in a few words: cards as text, seats by number, everything else a sensible default.

A seat's text is its cards in the order dealt, and after a bar the final hands of a split:
`"7d 7c 5s 9h | 7d 5s / 7c 9h"`.
"""

from typing import Any

from tests.conformance.model_cards import Request

SeatTexts = dict[int, str]


def cards(text: str) -> list[str]:
    return text.split()


def seats(texts: SeatTexts) -> list[Request]:
    built = []
    for number, text in texts.items():
        dealt, bar, final = text.partition("|")
        seat: Request = {"seat": number, "cards": cards(dealt)}
        if bar:
            seat["hands"] = [cards(hand) for hand in final.split("/")]
        built.append(seat)
    return built


def a_meter(primary_cents: int, *, reset_cents: int = 0, reset_meter_cents: int = 0) -> Request:
    return {
        "primary_cents": primary_cents,
        "reset_meter_cents": reset_meter_cents,
        "reset_cents": reset_cents,
    }


ONE_METER = {"progressive": a_meter(1_000_000, reset_cents=200_000)}
THREE_METERS = {
    "mega": a_meter(10_000_000, reset_cents=2_500_000),
    "major": a_meter(1_500_000, reset_cents=500_000),
    "minor": a_meter(300_000, reset_cents=250_000),
}


def a_blazing_round(
    texts: SeatTexts,
    *,
    amount_cents: int = 500,
    dealer: str = "9c",
    **changes: Any,  # noqa: ANN401
) -> Request:
    """Paytable 3, Option 1, six decks, a card reader and an up card that hides no blackjack."""
    request = {
        "game": "nj-blazing-7s",
        "paytable": "3",
        "decks": 6,
        "dealing_option": 1,
        "dealer_procedure": "card_reader",
        "wagers": [
            {"seat": seat, "bet": "blazing7", "amount_cents": amount_cents, "base_cents": 1_500}
            for seat in texts
        ],
        "dealer": {"cards": cards(dealer)},
        "seats": seats(texts),
    } | changes
    request.setdefault("meters", THREE_METERS if request["paytable"] == "3" else ONE_METER)
    return request


def a_buster_round(
    dealer: str,
    texts: SeatTexts | None = None,
    *,
    game: str = "nj-buster",
    amount_cents: int = 500,
    base_cents: int = 10_000,
    **changes: Any,  # noqa: ANN401
) -> Request:
    """Paytable A (or WA), eight decks, soft 17 hit; one player who stands on 20."""
    texts = texts or {1: "Ts Th"}
    return {
        "game": game,
        "paytable": "WA" if game == "wa-buster" else "A",
        "decks": 8,
        "soft17": "hit",
        "wagers": [
            {"seat": seat, "bet": "buster", "amount_cents": amount_cents, "base_cents": base_cents}
            for seat in texts
        ],
        "dealer": {"cards": cards(dealer)},
        "seats": seats(texts),
    } | changes


def a_101_round(
    dealer: str,
    texts: SeatTexts,
    *,
    bets: dict[str, int] | None = None,
    **changes: Any,  # noqa: ANN401
) -> Request:
    """Eight decks; every seat makes the same `bets`, by default $10 on the hand."""
    bets = bets or {"base": 1_000}
    return {
        "game": "ca-101-blackjack-x",
        "paytable": "101",
        "decks": 8,
        "wagers": [
            {
                "seat": seat,
                "bet": bet,
                "amount_cents": amount_cents,
                "base_cents": bets.get("base", 100_000),
            }
            for seat in texts
            for bet, amount_cents in bets.items()
        ],
        "dealer": {"cards": cards(dealer)},
        "seats": seats(texts),
    } | changes


# Dealers' hands that bust with so many cards, by either soft-17 rule.
BUSTS = {
    3: "Ts 6h Kd",
    4: "5s 5h 6d Kc",
    5: "2s 3h 4d 5c Kh",
    6: "2s 2h 3d 3c 4s Th",
    7: "2s 2h 2d 3c 3s 2c Th",
    8: "2s 2h 2d 2c 2s 2h 3d Tc",
    9: "2s 2h 2d 2c 2s 2h 2d 2c Th",
}
