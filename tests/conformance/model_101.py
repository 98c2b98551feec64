"""The base game of The 101 Casino in the reference model: hands, cover and collection.

The player-dealer pays and collects in turn and may not be up or down by more than he put up, so
the settlement of one wager depends on all those before it.
"""

from tests.conformance.model_cards import (
    Hand,
    Request,
    best_total,
    cards_of,
    dealer_cards,
    final_hands,
    hard_total,
    is_blackjack,
    may_be_blackjack,
)

# "Odds": (pays, to).
ODDS = {"natural_31": (3, 2), "hard_31": (3, 1), "blackjack_x": (2, 1), "other": (1, 1)}

# "Collection Rates Schedule": dollars of action up to and including -> cents taken.
BANDS_DOLLARS = (100, 200, 300, 600)
RATES_CENTS = {
    (1, 2, 3): (150, 350, 450, 650, 950),
    (4, 5, 6): (150, 400, 500, 700, 1_000),
    (7, 8, 9): (150, 450, 550, 750, 1_050),
}


def hand_line(hand: Hand, *, is_split: bool) -> str:
    """What the hand is, whatever the player-dealer holds."""
    if is_blackjack(hand) and not is_split:  # Split aces with a ten are 21.
        ranks = {card[0] for card in hand}
        suited = hand[0][1] == hand[1][1]
        return "blackjack_x" if ranks == {"A", "K"} and suited else "natural_31"
    if hard_total(hand) == 31:
        return "hard_31"
    return "none" if hard_total(hand) > 21 else "other"


def hand_result(line: str, hand: Hand, dealer: Hand) -> str:
    natural = line in ("natural_31", "blackjack_x")
    if line == "none":
        return "lose"  # 6b: 22 to 30.
    if is_blackjack(dealer):
        return "push" if natural else "lose"  # 5b: ties on all naturals, beats all else.
    if natural or line == "hard_31" or best_total(dealer) > 21:
        return "win"
    difference = best_total(hand) - best_total(dealer)
    return "win" if difference > 0 else "lose" if difference < 0 else "push"


def needs_whole_dealer_hand(request: Request) -> bool:
    """Whether some base hand is settled by the player-dealer's total."""
    return any(
        line == "other" and not given_up
        for wager in request["wagers"]
        if wager["bet"] == "base"
        for line, given_up in _lines(cards_of(request, wager["seat"]))
    )


def needs_hole_card(request: Request) -> bool:
    """Whether a base hand or an insurance hangs on a natural that the up card leaves open."""
    if len(dealer_cards(request)) >= 2 or not may_be_blackjack(dealer_cards(request)):
        return False
    base_seats = [
        cards_of(request, wager["seat"]) for wager in request["wagers"] if wager["bet"] == "base"
    ]
    return any(seat.get("insurance_cents", 0) for seat in base_seats) or any(
        line != "none" and not given_up for seat in base_seats for line, given_up in _lines(seat)
    )


def _lines(seat: Request) -> list[tuple[str, bool]]:
    hands = final_hands(seat)
    surrendered = seat.get("surrendered") or [False] * len(hands)
    return [
        (hand_line(hand, is_split=len(hands) > 1), given_up)
        for hand, given_up in zip(hands, surrendered, strict=True)
    ]


def base_results(request: Request, wager: Request) -> list[Request]:
    """One entry a hand, then the insurance: what is due, before the cover is looked at."""
    seat = cards_of(request, wager["seat"])
    dealer = dealer_cards(request)
    hands = final_hands(seat)
    doubles = seat.get("double_cents") or [0] * len(hands)
    entries = []
    for number, (hand, (line, given_up), double_cents) in enumerate(
        zip(hands, _lines(seat), doubles, strict=True), start=1
    ):
        stake_cents = wager["amount_cents"] + double_cents
        result = "lose" if given_up else hand_result(line, hand, dealer)
        pays, to = ODDS.get(line, (0, 1))
        due = {
            "seat": wager["seat"],
            "bet": "base",
            **({"hand": number} if len(hands) > 1 else {}),
            "line": "none" if result == "lose" else line,
            "result": result,
            "stake_cents": stake_cents,
            # Nearest cent, half up. Half of a surrendered stake goes, the odd cent with it.
            "due_cents": (2 * stake_cents * pays + to) // (2 * to) if result == "win" else 0,
            "loss_cents": -(-stake_cents // 2) if given_up else stake_cents,
        }
        entries.append(due)
    insurance_cents = seat.get("insurance_cents", 0)
    if insurance_cents:
        entries.append(
            {
                "seat": wager["seat"],
                "bet": "insurance",
                "line": "insurance" if is_blackjack(dealer) else "none",
                "result": "win" if is_blackjack(dealer) else "lose",
                "stake_cents": insurance_cents,
                "due_cents": 2 * insurance_cents,
                "loss_cents": insurance_cents,
            }
        )
    return entries


def covered(entries: list[Request], cover_cents: int | None) -> list[Request]:
    """Settles in turn: up or down by the player-dealer's own wager at most (X-1, X-3)."""
    net_cents = 0
    settled = []
    for entry in entries:
        paid_cents = collected_cents = 0
        if entry["result"] == "win":
            room_cents = entry["due_cents"] if cover_cents is None else cover_cents + net_cents
            paid_cents = min(entry["due_cents"], room_cents)
        if entry["result"] == "lose":
            room_cents = entry["loss_cents"] if cover_cents is None else cover_cents - net_cents
            collected_cents = min(entry["loss_cents"], room_cents)
        net_cents += collected_cents - paid_cents
        settled.append(
            {
                **{key: entry[key] for key in ("seat", "bet", "line", "result")},
                **({"hand": entry["hand"]} if "hand" in entry else {}),
                "kind": "fixed" if entry["result"] == "win" else "none",
                "pay_cents": paid_cents,
                "stake_returned_cents": entry["stake_cents"] - collected_cents,
                "collected_cents": collected_cents,
            }
        )
    return settled


def action_cents(request: Request) -> int:
    """C-1: every wager down before the deal; doubles, splits and insurance come later."""
    return sum(wager["amount_cents"] for wager in request["wagers"])


def collection(request: Request) -> Request | None:
    if "collection_schedule" not in request:
        return None
    band = sum(action_cents(request) > dollars * 100 for dollars in BANDS_DOLLARS)
    rates = next(
        r for numbers, r in RATES_CENTS.items() if request["collection_schedule"] in numbers
    )
    return {"player_dealer_cents": rates[band], "player_cents": 0}
