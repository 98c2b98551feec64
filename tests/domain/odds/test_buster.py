"""Buster: the dealer's bust sizes against brute force and against published figures."""

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from progressive.domain.cards import DECK, POINTS_OF_CARD
from progressive.domain.games.dealt import misplayed_dealer
from progressive.domain.games.reading import Dealing
from progressive.domain.odds import buster
from progressive.domain.odds.engine import LOST, Hand
from progressive.domain.odds.shoe import Shoe
from progressive.domain.options import Soft17

pytestmark = pytest.mark.slow

WORTHS = range(1, 11)


def full_shoe(decks: int | None) -> Counter[int]:
    return Counter({worth: (16 if worth == 10 else 4) * (decks or 1) for worth in WORTHS})


def played_out(
    shoe: Counter[int], soft17: Soft17, *, endless: bool = False, hand: tuple[int, ...] = ()
) -> Counter[int]:
    """Every order of cards that a dealer can draw, one by one: the chance of each bust size."""
    total, soft = sum(hand), False
    if 1 in hand and total <= 11:
        total, soft = total + 10, True
    if total > 21:
        return Counter({len(hand): Fraction(1)})
    if len(hand) >= 2 and (total > 17 or (total == 17 and not (soft and soft17 == "hit"))):
        return Counter()
    found: Counter[int] = Counter()
    for worth, left in shoe.items():
        if left:
            chance = Fraction(left, shoe.total())
            rest = shoe if endless else shoe - Counter([worth])
            further = played_out(rest, soft17, endless=endless, hand=(*hand, worth))
            for cards, of_it in further.items():
                found[cards] += chance * of_it
    return found


@pytest.mark.parametrize("soft17", ["hit", "stand"])
@pytest.mark.parametrize("decks", [1, 6, None])
def test_bust_sizes_are_what_playing_every_hand_gives(decks: int | None, soft17: Soft17) -> None:
    expected = played_out(full_shoe(decks), soft17, endless=decks is None)
    assert buster.bust_sizes(Shoe(decks), soft17) == expected


@pytest.mark.parametrize("decks", [1, 6])
def test_cards_elsewhere_are_not_drawn(decks: int) -> None:
    left = full_shoe(decks) - Counter([buster.ACE, buster.TEN])
    found = buster.bust_sizes(Shoe(decks), "hit", removed=(buster.ACE, buster.TEN))
    assert found == played_out(left, "hit")


@pytest.mark.parametrize(
    ("decks", "soft17", "most"),
    [
        (1, "hit", 10),
        (1, "stand", 10),
        (8, "hit", 13),  # seven aces, 5, four aces, and a last card
        (8, "stand", 12),
        (None, "hit", 13),
    ],
)
def test_bust_has_3_cards_to_13(decks: int | None, soft17: Soft17, most: int) -> None:
    sizes = buster.bust_sizes(Shoe(decks), soft17)
    assert sorted(sizes) == list(range(3, most + 1))


def test_open_line_holds_all_the_rest() -> None:
    sizes = buster.bust_sizes(Shoe(6), "hit")
    chances = buster.chances(Shoe(6), Dealing())
    assert chances[Hand(("bust_7",))] == sizes[7]
    assert chances[Hand(("bust_8_or_more",))] == sum(sizes[cards] for cards in range(8, 14))
    assert chances[LOST] == 1 - sum(sizes.values())
    assert {line for hand in chances for line in hand.lines} == set(buster.ENGINE.lines)


@pytest.mark.parametrize("decks", [1, 6, None])
def test_blackjack_beside_a_bust_takes_its_two_cards_from_the_same_shoe(
    decks: int | None,
) -> None:
    shoe = full_shoe(decks)
    aces, tens, cards = shoe[1], shoe[10], shoe.total()
    second = cards if decks is None else cards - 1
    blackjack = Fraction(2 * aces * tens, cards * second)
    left = shoe if decks is None else shoe - Counter([1, 10])
    expected = played_out(left, "hit", endless=decks is None)
    found = buster.chances_with_blackjack(Shoe(decks), Dealing())
    assert found[Hand(("bust_6",))] == blackjack * expected[6]
    assert found[Hand(("bust_7",))] == blackjack * expected[7]
    assert sum(found.values()) == 1


@given(decks=st.none() | st.integers(1, 8))
def test_drawing_to_soft_17_busts_more_often(decks: int | None) -> None:
    hit, stand = (buster.bust_sizes(Shoe(decks), soft17) for soft17 in ("hit", "stand"))
    assert hit[3] == stand[3], "soft 17 is two or more cards, and one more never busts it"
    assert all(hit[cards] >= chance for cards, chance in stand.items())
    assert sum(hit.values()) > sum(stand.values())


# --- published figures ------------------------------------------------------------------------


def house_edge(decks: int, soft17: Soft17, to_one: dict[int, int]) -> Fraction:
    sizes = buster.bust_sizes(Shoe(decks), soft17)
    return 1 - sum((to_one[min(cards, 8)] + 1) * chance for cards, chance in sizes.items())


TABLE_A = {3: 2, 4: 2, 5: 4, 6: 15, 7: 50, 8: 250}
TABLE_C = TABLE_A | {6: 12}


# Wizard of Odds, "Buster Blackjack": its table prints 15 to 1 for six cards, and its analysis,
# these figures, has 12: paytable C.
@pytest.mark.parametrize(
    ("decks", "stand", "hit"),
    [
        (1, "8.77", "6.89"),
        (2, "8.48", "6.51"),
        (4, "8.31", "6.29"),
        (5, "8.27", "6.25"),
        (6, "8.25", "6.21"),
        (8, "8.22", "6.17"),
    ],
)
def test_house_edge_of_table_c_is_as_published(decks: int, stand: str, hit: str) -> None:
    assert f"{float(100 * house_edge(decks, 'stand', TABLE_C)):.2f}" == stand
    assert f"{float(100 * house_edge(decks, 'hit', TABLE_C)):.2f}" == hit


def test_table_a_pays_more_for_six_cards() -> None:
    assert f"{float(100 * house_edge(6, 'hit', TABLE_A)):.2f}" == "5.42"


# Stephen How, Discount Gambling, "Buster Blackjack @ Sycuan, CA": six decks, H17. His last row,
# 1.15280e-05, is for exactly eight cards.
@pytest.mark.parametrize(
    ("cards", "probability"),
    [
        (3, "1.73032e-01"),
        (4, "8.93918e-02"),
        (5, "2.04726e-02"),
        (6, "2.63760e-03"),
        (7, "2.14444e-04"),
    ],
)
def test_bust_size_is_as_published(cards: int, probability: str) -> None:
    assert f"{float(buster.bust_sizes(Shoe(6), 'hit')[cards]):.5e}" == probability


def test_another_paytable_of_the_trade_is_as_published() -> None:
    # Eliot Jacobson on a California paytable, six decks: 4.724 percent, won 28.576 percent.
    table = {3: 1, 4: 3, 5: 6, 6: 30, 7: 100, 8: 200}
    assert f"{float(100 * house_edge(6, 'hit', table)):.3f}" == "4.724"
    won = 1 - buster.chances(Shoe(6), Dealing())[LOST]
    assert f"{float(100 * won):.3f}" == "28.576"


@given(
    cards=st.permutations(sorted(DECK) * 2),
    soft17=st.sampled_from(["hit", "stand"]),
)
def test_dealer_stops_where_the_floor_says(cards: list[str], soft17: Soft17) -> None:
    def draws(hand: list[str]) -> bool:
        points = Counter(POINTS_OF_CARD[card] for card in hand)
        return buster._draws(tuple(points[worth] for worth in WORTHS), soft17)

    drawn = next(count for count in range(1, 20) if not draws(cards[:count]))
    assert misplayed_dealer(cards[:drawn], soft17, whole=True) is None
