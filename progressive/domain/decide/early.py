"""Two-card awards before the peek: with an ace or a ten up, before the hole card is read."""

from typing import Final

from msgspec import structs

from progressive.domain.awards.settlement import settle_claims
from progressive.domain.commands import SettleRound
from progressive.domain.decide.cards import impossible_cards
from progressive.domain.decide.make_awards import make_awards, money_of
from progressive.domain.events import SettledEarly, WagersRegistered
from progressive.domain.games.blazing_sevens import TEN_OR_ACE
from progressive.domain.games.claims import Claim, in_payment_order, offered_bet, side_bet_claims
from progressive.domain.ids import TableId
from progressive.domain.money import CENTS_MAX
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.rulebook.paytable import ShareOfMeter
from progressive.domain.rulebook.rules import BetRules, LinkRules, LinkTerms
from progressive.domain.state.link_state import LinkState
from progressive.domain.time_text import Moment

EARLY_READER: Final = "blazing_sevens"
"""The one kind of bet that may be settled on two cards before the peek."""


def settles_early(terms: LinkTerms) -> bool:
    """Whether tables of a link may settle two-card awards before the hole card is read."""
    peeks = terms.dealer_procedure == "card_reader"
    return peeks and any(_is_settled_early(bet) for bet in terms.bets)


def early_seats(terms: LinkTerms, opened: WagersRegistered) -> list[int]:
    """The lit seats of a round that 2.6(j)4 is about; none where no hole card is read."""
    if terms.dealer_procedure != "card_reader":
        return []
    early = {bet.id for bet in terms.bets if _is_settled_early(bet)}
    return sorted({wager.seat for wager in opened.wagers if wager.bet in early})


def _is_settled_early(bet: BetRules) -> bool:
    """2.6(j)4 names no dealing option: under option 2 an ace or a ten up is not a third 7."""
    return bet.reader == EARLY_READER


def settle_early(
    state: LinkState,
    rules: LinkRules,
    table: TableId,
    command: SettleRound,
    opened: WagersRegistered,
    when: Moment,
) -> SettledEarly | Refusal:
    """NJ 13:69F-2.6(j)4: with an ace or a ten up, two-card awards before the hole card is read."""
    terms = state.terms_of(opened.terms_version)
    dealer = command.dealer.cards
    if terms.dealer_procedure != "card_reader":
        return Refusal(Rejection.BAD_MESSAGE, "only a card reader's table settles early")
    if table in state.early:
        return Refusal(Rejection.ROUND_HAS_AWARDS, "the round has been settled early already")
    if (refusal := impossible_cards(rules, terms, table, command, opened)) is not None:
        return refusal
    if len(dealer) != 1 or dealer[0][0] not in TEN_OR_ACE:
        return Refusal(
            Rejection.IMPOSSIBLE_CARDS, "early means an ace or a ten up, and no other dealer's card"
        )
    two_cards = {at_seat.seat: at_seat for at_seat in command.seats}
    if any(at_seat.answers for at_seat in command.seats):
        return Refusal(Rejection.BAD_MESSAGE, "before the peek there are cards and no answers")
    if drawn := [seat for seat, at_seat in two_cards.items() if len(at_seat.cards) > 2]:
        return Refusal(Rejection.IMPOSSIBLE_CARDS, f"seat {min(drawn)} drew a card before the peek")
    claims: list[Claim] = []
    for bet in terms.bets:
        if not _is_settled_early(bet):
            continue
        on_bet = [w for w in opened.wagers if w.bet == bet.id and w.seat in two_cards]
        found = side_bet_claims(offered_bet(terms, bet), on_bet, two_cards, dealer)
        claims += in_payment_order(found, bet.payment_order)
    # A line that a meter pays waits for the settlement: the rack cannot pay it.
    won = [
        claim
        for claim in claims
        if claim.line is not None and not isinstance(claim.line.pays, ShareOfMeter)
    ]
    if idle := {at_seat.seat for at_seat in command.seats} - {claim.seat for claim in won}:
        return Refusal(Rejection.NOT_A_WINNER, f"the two cards of seat {min(idle)} win nothing yet")
    if not won:
        return Refusal(Rejection.NOT_A_WINNER, "nobody is given to be paid early")
    settled, _ = settle_claims(won, {}, {}, order="counter_clockwise")
    # What is settled before the peek is paid before the peek, from the rack.
    policy = structs.replace(state.policy_of(opened.terms_version), rack_limit_cents=CENTS_MAX)
    awards = make_awards(state, policy, terms, settled, {}, when)
    dealt_seq, dealt_by = state.dealer_of(table)
    return SettledEarly(
        table=table,
        table_seq=command.seq,
        round=command.round,
        dealer=command.dealer,
        seats=command.seats,
        meters=state.primaries,
        awards=awards,
        money=money_of(awards),
        dealt_by=dealt_by,
        dealt_seq=dealt_seq,
        awarded_at=when.at if any(made.status == "pending" for made in awards) else "",
    )
