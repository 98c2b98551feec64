"""What a panel tells the dealer while a round is settled by the dealer's own hand.

The rules are the domain's; nothing here decides anything. The panel shows the words and asks the
questions one by one, so that a settlement is never refused for what nobody asked.
"""

from collections.abc import Sequence

from progressive.domain.cards import is_natural, total, unknown_card
from progressive.domain.commands import SettleRound
from progressive.domain.decide.played import dealer_decides, played_wagers
from progressive.domain.events import SettledEarly, WagersRegistered
from progressive.domain.games.dealt import misplayed_dealer
from progressive.domain.games.questions import Question
from progressive.domain.rejections import Rejection
from progressive.domain.rulebook.rules import LinkTerms
from progressive.wire.panel_commands import PanelLook
from progressive.wire.panel_messages import PanelGuide, PanelQuestion


def guide(
    terms: LinkTerms, opened: WagersRegistered, look: PanelLook, early: SettledEarly | None
) -> PanelGuide | None:
    """How far the cards on the table settle the round; None where the dealer's hand does not."""
    if not dealer_decides(terms, opened):
        return None
    dealer = look.dealer.cards
    hand, words = _hand(dealer, terms)
    if hand != "bust":
        return PanelGuide(hand, words, [])
    message = SettleRound(1, opened.round, look.dealer, complete=False)
    asked = played_wagers(terms, message, opened).asked(dealer)
    # Whoever was paid on a 7 before the peek has no blackjack.
    paid_early = () if early is None else {at_seat.seat for at_seat in early.seats}
    open_questions = [
        _question(seat, of_seat, holds_seven=seat in paid_early) for seat, of_seat in asked.items()
    ]
    return PanelGuide(
        hand,
        words,
        [each for each in open_questions if each.blackjack or each.points_max is not None],
    )


def _hand(dealer: Sequence[str], terms: LinkTerms) -> tuple[str, str]:
    if not dealer:
        return "missing", "The dealer's hand decides every Buster bet."
    if unknown_card(dealer) is not None:
        return "impossible", "These are not cards."
    counted = total(dealer)
    points = f"{'soft ' if counted.soft else ''}{counted.points}"
    refusal = misplayed_dealer(dealer, terms.soft17, whole=True)
    if refusal is not None and refusal.code is Rejection.IMPOSSIBLE_CARDS:
        return "impossible", f"{refusal.message[0].upper()}{refusal.message[1:]}."
    if refusal is not None or len(dealer) < 2:
        return "unfinished", f"Dealer has {points}: another card."
    if counted.bust:
        return "bust", f"Dealer busts with {len(dealer)} cards: Buster pays."
    if is_natural(dealer):
        return "stands", "Dealer has a blackjack: Buster bets lose."
    return "stands", f"Dealer stands on {points}: Buster bets lose."


def _question(seat: int, of_seat: Sequence[Question], *, holds_seven: bool) -> PanelQuestion:
    """All that one seat is asked. Of two limits on its points the lower one is asked for."""
    limits = [each.points_max for each in of_seat if each.points_max is not None]
    blackjack = not holds_seven and any(each.blackjack for each in of_seat)
    return PanelQuestion(seat, min(limits, default=None), blackjack)
