"""Dealing many hands at once: no card twice, every card alike, all from the seed."""

import numpy as np
import pytest

from progressive.montecarlo.stack import CARDS, Stack

HANDS = 20_000


def a_stack(decks: int | None, seed: int = 5) -> Stack:
    return Stack(decks, np.random.Generator(np.random.PCG64(seed)))


@pytest.mark.parametrize("decks", [1, 6])
def test_no_hand_gets_a_card_twice(decks: int) -> None:
    stack = a_stack(decks)
    dealt: list[np.ndarray] = []
    for _ in range(13):
        dealt.append(stack.deal(HANDS, dealt))
    ordered = np.sort(np.array(dealt), axis=0)
    assert (ordered[1:] != ordered[:-1]).all()
    assert ordered.max() < 52 * decks


def test_whole_deck_can_be_dealt() -> None:
    stack = a_stack(1)
    dealt: list[np.ndarray] = []
    for _ in range(52):
        dealt.append(stack.deal(100, dealt))
    assert (np.sort(np.array(dealt), axis=0) == np.arange(52)[:, None]).all()


def test_endless_shoe_deals_the_same_card_again() -> None:
    stack = a_stack(None)
    first = stack.deal(HANDS)
    second = stack.deal(HANDS, [first])
    assert 0 < np.count_nonzero(first == second) < HANDS / 20


@pytest.mark.parametrize("decks", [1, 6, None])
def test_every_later_card_is_any_card_alike(decks: int | None) -> None:
    # The tenth card, counted by card: a chi-square over 52 cards has mean 51 and deviation 10.1.
    stack = a_stack(decks)
    dealt: list[np.ndarray] = []
    for _ in range(10):
        dealt.append(stack.deal(200_000, dealt))
    number = stack.codes({card: at for at, card in enumerate(CARDS)})
    counts = np.bincount(number.take(dealt[-1]), minlength=52)
    expected = 200_000 / 52
    assert ((counts - expected) ** 2 / expected).sum() < 51 + 5 * 10.1


def test_codes_tell_what_lies_at_each_place() -> None:
    codes = a_stack(6).codes({"7d": 3})
    assert codes.size == 312
    assert np.count_nonzero(codes == 3) == 6
    assert np.count_nonzero(codes) == 6
