"""dealt: which cards can have been dealt, to whom, and how a dealer's hand is played out."""

import pytest

from progressive.domain.commands import SeatCards
from progressive.domain.games.dealt import misplayed_dealer, undealable
from progressive.domain.options import Soft17
from progressive.domain.rejections import Refusal, Rejection
from tests.support.hands import BUSTS, a_seat, cards


def refused(
    *seats: SeatCards,
    dealer: str = "",
    decks: int = 6,
    wagered: tuple[int, ...] = (1,),
    complete: bool = True,
    only_wagered: bool = True,
) -> Rejection | None:
    refusal = undealable(
        cards(dealer),
        seats,
        decks=decks,
        seats_max=7,
        wagered=wagered,
        complete=complete,
        only_wagered=only_wagered,
    )
    return None if refusal is None else refusal.code


# --- seats and texts --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seats", "wagered", "expected"),
    [
        ((a_seat("2s 3s"),), (1,), None),
        ((), (), None),
        ((a_seat("2s 3s", seat=7),), (7,), None),
        ((a_seat("2s 3s", seat=0),), (0,), Rejection.UNKNOWN_SEAT),
        ((a_seat("2s 3s", seat=8),), (8,), Rejection.UNKNOWN_SEAT),
        ((a_seat("2s 3s", seat=-1),), (1,), Rejection.UNKNOWN_SEAT),
        ((a_seat("2s 3s"), a_seat("2s 3s")), (1,), Rejection.BAD_MESSAGE),
        ((a_seat("2s 3s"), a_seat("2s 3s", seat=2)), (1,), Rejection.NOT_WAGERED),
        ((a_seat("2s"),), (1,), Rejection.INCOMPLETE_CARDS),
        ((a_seat(""),), (1,), Rejection.INCOMPLETE_CARDS),
        ((), (1,), Rejection.INCOMPLETE_CARDS),
        ((a_seat("2s 3s"),), (1, 2), Rejection.INCOMPLETE_CARDS),
    ],
)
def test_seats_are_those_that_wagered(
    seats: tuple[SeatCards, ...], wagered: tuple[int, ...], expected: Rejection | None
) -> None:
    assert refused(*seats, wagered=wagered) is expected


def test_winners_alone_or_all_seats_may_be_given_where_that_is_asked() -> None:
    assert refused(wagered=(1, 2), complete=False) is None
    assert refused(a_seat("2s 3s", seat=3), wagered=(), only_wagered=False) is None


@pytest.mark.parametrize("text", ["10s", "7x", "٧d", "7D", "s7", "7d7d", "7\u0335d", "🂡"])
def test_text_that_is_no_card_is_named(text: str) -> None:
    assert refused(a_seat(f"2s {text}")) is Rejection.BAD_CARD
    assert refused(a_seat("2s 3s"), dealer=text) is Rejection.BAD_CARD
    assert refused(a_seat("2s 2h 3s 4s", "2s 3s", f"2h {text}")) is Rejection.BAD_CARD


# --- splits -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dealt", "hands"),
    [
        ("8s 8h 4d 4c", ("8s 4d", "8h 4c")),
        ("8s 8h 4d 4c", ("8h 4c", "8s 4d")),
        ("8s 8s 4d 4c", ("8s 4d", "8s 4c")),
        # Equal in value, not in rank.
        ("Ts Kh 4d 4c", ("Ts 4d", "Kh 4c")),
        ("Js Qh Kd 4c 5c 6c", ("Js 4c", "Qh 5c", "Kd 6c")),
        # Split again: the new card of the pair leads a hand of its own.
        ("8s 8h 8d 4d 4c 5c", ("8s 4d", "8d 4c", "8h 5c")),
        ("8s 8s 8s 8s 2c 3c 4c 5c", ("8s 2c", "8s 3c", "8s 4c", "8s 5c")),
        # One hand is no split.
        ("2s 3h 4d", ("2s 3h 4d",)),
    ],
)
def test_split_of_a_pair_is_possible(dealt: str, hands: tuple[str, ...]) -> None:
    assert refused(a_seat(dealt, *hands)) is None


@pytest.mark.parametrize(
    ("dealt", "hands"),
    [
        # Only equal cards are split.
        ("2s 3h 4d 4c", ("2s 4d", "3h 4c")),
        ("9s Th 4d 4c", ("9s 4d", "Th 4c")),
        # The hands hold the cards dealt: none more, none less, no others.
        ("8s 8h 4d 4c", ("8s 4d", "8h 4c 5c")),
        ("8s 8h 4d 4c 5c", ("8s 4d", "8h 4c")),
        ("8s 8h 4d 4c", ("8s 4d", "8h 5c")),
        ("8s 8h", ("8s", "8h")),
        ("8s 8h 4d", ("8s 4d", "8h")),
        ("2s 3h 4d", ("3h 2s 4d",)),
        # One card of the pair leads each hand.
        ("8s 8h 4d 4c", ("4d 8s", "4c 8h")),
        ("8s 8h 4d 4c", ("8s 8h", "4d 4c")),
        # Two of the very same card: both lead, not one of them twice.
        ("8s 8s 4d 4c", ("8s 8s", "4d 4c")),
        ("8s 8s 8h 4c", ("8s 8s", "8h 4c")),
        # A third hand is led by a third card of the pair.
        ("8s 8h 4d 4c 5c 6c", ("8s 4d", "8h 4c", "5c 6c")),
        ("8s 8h 8d 4c 5c 6c", ("8s 8d", "8h 4c", "5c 6c")),
    ],
)
def test_hands_that_no_split_makes_are_refused(dealt: str, hands: tuple[str, ...]) -> None:
    assert refused(a_seat(dealt, *hands)) is Rejection.IMPOSSIBLE_CARDS


@pytest.mark.parametrize(
    ("dealt", "hands", "possible"),
    [
        ("Ts 6h 6d", (), True),
        ("Ts 6h 6d 2c", (), False),
        # At 21 a card may be drawn: Blackjack X plays to 31.
        ("7s 7h 7d Ks", (), True),
        ("7s 7h 7d Ks 2c", (), False),
        ("As 9h As Td", (), True),
        ("8s 8h Td 9c 4c", ("8s Td 9c", "8h 4c"), True),
        ("8s 8h Td 9c 4c 2c", ("8s Td 9c 2c", "8h 4c"), False),
        ("8s 8h Td 9c 4c 2c", ("8h 4c", "8s Td 9c 2c"), False),
    ],
)
def test_nobody_draws_to_a_hand_over_21(dealt: str, hands: tuple[str, ...], possible: bool) -> None:
    expected = None if possible else Rejection.IMPOSSIBLE_CARDS
    assert refused(a_seat(dealt, *hands)) is expected


# --- the shoe ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("decks", "at_seat", "at_dealer", "possible"),
    [
        (6, 6, 0, True),
        (6, 7, 0, False),
        (6, 5, 1, True),
        (6, 6, 1, False),
        (8, 8, 0, True),
        (8, 8, 1, False),
        (1, 2, 0, False),
    ],
)
def test_shoe_holds_one_of_each_card_a_deck(
    decks: int, at_seat: int, at_dealer: int, possible: bool
) -> None:
    seat, dealer = a_seat("2s " * at_seat), "2s " * at_dealer
    expected = None if possible else Rejection.IMPOSSIBLE_CARDS
    assert refused(seat, dealer=dealer, decks=decks) is expected


def test_split_hands_are_the_same_cards_and_not_more_of_them() -> None:
    assert refused(a_seat("2s " * 6, "2s 2s 2s", "2s 2s 2s")) is None
    two_seats = (a_seat("2s 2s 2s 2s"), a_seat("2s 2s 2s", seat=2))
    assert refused(*two_seats, wagered=(1, 2)) is Rejection.IMPOSSIBLE_CARDS


# --- the dealer's hand ------------------------------------------------------------------------


def played(dealer: str, soft17: Soft17, *, whole: bool = True) -> Rejection | None:
    refusal: Refusal | None = misplayed_dealer(cards(dealer), soft17, whole=whole)
    return None if refusal is None else refusal.code


STOPPED_EARLY = Rejection.INCOMPLETE_CARDS
DREW_TOO_FAR = Rejection.IMPOSSIBLE_CARDS


@pytest.mark.parametrize(
    ("dealer", "hit", "stand"),
    [
        # NJ 2.30(f)3: a hard 17 to 21, a soft 18 to 21, or a bust.
        ("Ts 7h", None, None),
        ("Ts 6h", STOPPED_EARLY, STOPPED_EARLY),
        ("Ts 6h 5d", None, None),
        ("Ts 6h 6d", None, None),
        ("Ts 2h 4d", STOPPED_EARLY, STOPPED_EARLY),
        ("Ts 7h 2d", DREW_TOO_FAR, DREW_TOO_FAR),
        ("Ts 6h 5d 2c", DREW_TOO_FAR, DREW_TOO_FAR),
        ("Ts 6h 6d 2c", DREW_TOO_FAR, DREW_TOO_FAR),
        # A soft 17 is hit or not, as the house has it (SD (5), WA).
        ("As 6h", STOPPED_EARLY, None),
        ("As 6h Td", None, DREW_TOO_FAR),
        ("As 6h 4d", None, DREW_TOO_FAR),
        ("As 6h 5d", STOPPED_EARLY, DREW_TOO_FAR),
        ("As 2h 4d", STOPPED_EARLY, None),
        # 101 says nothing of a soft 18: it stands.
        ("As 7h", None, None),
        ("As 7h 2d", DREW_TOO_FAR, DREW_TOO_FAR),
        ("As Kh", None, None),
        ("As Kh 5d", DREW_TOO_FAR, DREW_TOO_FAR),
        # The longest hands: thirteen cards where a soft 17 is hit, twelve where it stands.
        (BUSTS[13], None, DREW_TOO_FAR),
        ("As Ah Ad Ac As Ah 6c As Ah Ad Ac Ks", None, None),
        ("", STOPPED_EARLY, STOPPED_EARLY),
        ("Ts", STOPPED_EARLY, STOPPED_EARLY),
    ],
)
def test_dealer_draws_by_the_rules(
    dealer: str, hit: Rejection | None, stand: Rejection | None
) -> None:
    assert played(dealer, "hit") is hit
    assert played(dealer, "stand") is stand


@pytest.mark.parametrize("dealer", ["", "Ts", "Ts 6h", "As 6h", "Ts 2h 4d", "Ts 7h"])
def test_hand_may_be_unfinished_where_nothing_hangs_on_it(dealer: str) -> None:
    assert played(dealer, "hit", whole=False) is None


def test_card_drawn_too_far_is_refused_even_where_nothing_hangs_on_it() -> None:
    assert played("Ts 7h 2d", "hit", whole=False) is DREW_TOO_FAR


@pytest.mark.parametrize("count", list(BUSTS))
def test_busts_of_these_tests_are_drawn_by_the_rules(count: int) -> None:
    assert played(BUSTS[count], "hit") is None
