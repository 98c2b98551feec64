"""Wagers on the base game of Blackjack X: hands, doubles, surrenders and insurance to claims.

The 101 Casino, "Player Options". Each hand of a split carries a wager of its own, a double adds to
the hand it stands on, and insurance is a wager beside them, settled after the initial one.
"""

from collections.abc import Sequence
from typing import Annotated, Final

from msgspec import Meta

from progressive.domain.cards import is_natural
from progressive.domain.commands import AmountCents, SeatCards, Wager
from progressive.domain.games import blackjack_x
from progressive.domain.games.claims import Claim, OfferedBet
from progressive.domain.games.reading import final_hands, has_blackjack
from progressive.domain.ids import BetId
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.rulebook.paytable import PayLine, ToOne

INSURANCE: Final = BetId("insurance")
INSURANCE_LINE: Final = PayLine(id="insurance", pays=ToOne(to=2))
HANDS_MAX: Final = 4
""" "Player may split three times for a total of four hands." """


class PlayedSeat(SeatCards, frozen=True, gc=False, forbid_unknown_fields=True):
    """A seat's cards, and what the player put down or gave up while playing them."""

    double_cents: Annotated[tuple[AmountCents, ...], Meta(max_length=8)] = ()
    """Added to each hand, in the order of the hands; nothing: no hand was doubled."""
    surrendered: Annotated[tuple[bool, ...], Meta(max_length=8)] = ()
    insurance_cents: AmountCents = 0

    @property
    def acted(self) -> bool:
        """Whether anything but cards is told: it takes a base wager to act upon."""
        return bool(self.double_cents or self.surrendered or self.insurance_cents)


def unlawful_play(seat: PlayedSeat, wager: Wager, dealer: Sequence[str]) -> Refusal | None:
    """Why the hands cannot have been played so, or None."""
    hands = final_hands(seat)
    for told in (seat.double_cents, seat.surrendered):
        if told and len(told) != len(hands):
            return Refusal(
                Rejection.BAD_MESSAGE, f"seat {seat.seat} has {len(hands)} hands, not {len(told)}"
            )
    if (wrong := _wrong_hands(seat, hands)) is not None:
        return Refusal(Rejection.IMPOSSIBLE_CARDS, f"seat {seat.seat}: {wrong}")
    if (doubled := max(seat.double_cents, default=0)) > wager.amount_cents:
        return Refusal(
            Rejection.ABOVE_BASE_WAGER,
            f"seat {seat.seat} doubles with {doubled}, more than the wager",
            wager.amount_cents,
        )
    if seat.insurance_cents:
        if dealer[0][0] != "A":
            return Refusal(
                Rejection.IMPOSSIBLE_CARDS, "insurance is offered against an ace up only"
            )
        # "A bet that totals between 1% and 50% of the initial wager"
        if 2 * seat.insurance_cents > wager.amount_cents:
            return Refusal(
                Rejection.ABOVE_BASE_WAGER,
                f"seat {seat.seat} insures {seat.insurance_cents}, more than half the wager",
                wager.amount_cents // 2,
            )
        if 100 * seat.insurance_cents < wager.amount_cents:
            return Refusal(
                Rejection.BELOW_MINIMUM,
                f"seat {seat.seat} insures {seat.insurance_cents}, less than 1% of the wager",
                -(-wager.amount_cents // 100),
            )
    return None


def _wrong_hands(seat: PlayedSeat, hands: Sequence[Sequence[str]]) -> str | None:
    if len(hands) > HANDS_MAX:
        return f"a hand is split into {HANDS_MAX} at the most"
    if len(hands) > 1 and seat.cards[0][0] == "A":
        if len(hands) > 2:
            return "split aces are not split again"
        if any(len(hand) > 2 for hand in hands):
            return "split aces receive one card each"
    if len(hands) == 1 and len(seat.cards) > 2 and is_natural(seat.cards[:2]):
        return "the player must stand on a natural"
    natural = has_blackjack(seat)
    for hand, doubled in zip(hands, seat.double_cents, strict=False):
        if doubled and (natural or len(hand) != 3):
            return "a doubled hand has one card beside its first two, and is no natural"
    for hand, gone in zip(hands, seat.surrendered, strict=False):
        if gone and (natural or len(hand) != 2):
            return "a hand is surrendered before it takes a card, and a natural is not"
    if any(
        doubled and gone for doubled, gone in zip(seat.double_cents, seat.surrendered, strict=False)
    ):
        return "a hand is doubled or surrendered, not both"
    return None


def base_claims(
    bet: OfferedBet, wager: Wager, seat: PlayedSeat, dealer: Sequence[str]
) -> list[Claim]:
    """What became of a seat's hands, and of its insurance."""
    outcomes = blackjack_x.outcomes(seat, dealer)
    split = len(outcomes) > 1
    claims: list[Claim] = []
    for place, outcome in enumerate(outcomes):
        doubled = seat.double_cents[place] if seat.double_cents else 0
        stake = wager.amount_cents + doubled
        hand = place + 1 if split else None
        if seat.surrendered and seat.surrendered[place]:
            # "The player may forfeit half their wager": the odd cent is not given back.
            claims.append(
                Claim(
                    seat=seat.seat,
                    bet=bet.id,
                    stake_cents=stake,
                    result="lose",
                    given_back_cents=stake // 2,
                    hand=hand,
                )
            )
            continue
        line = next((line for line in bet.lines if line.id == outcome.line), None)
        claims.append(
            Claim(
                seat=seat.seat,
                bet=bet.id,
                stake_cents=stake,
                result=outcome.result,
                line=line,
                hand=hand,
            )
        )
    if seat.insurance_cents:
        insured = is_natural(dealer)
        claims.append(
            Claim(
                seat=seat.seat,
                bet=INSURANCE,
                stake_cents=seat.insurance_cents,
                result="win" if insured else "lose",
                line=INSURANCE_LINE if insured else None,
            )
        )
    return claims


def depends_on_draw(seat: PlayedSeat, dealer: Sequence[str]) -> bool:
    """Whether a hand of the seat, if it was not given up, hangs on what the dealer draws."""
    hands = final_hands(seat)
    given_up = seat.surrendered or (False,) * len(hands)
    played = [hand for hand, gone in zip(hands, given_up, strict=True) if not gone]
    return not has_blackjack(seat) and blackjack_x.depends_on_draw(played, dealer)
