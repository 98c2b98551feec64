"""What every reader asks of a seat's cards."""

import pytest

from progressive.domain.games.readers import BASE_GAME, LINES, READERS
from progressive.domain.games.reading import Dealing, final_hands, has_blackjack, no_up_card
from tests.support.hands import a_seat, cards


@pytest.mark.parametrize(
    ("dealt", "hands", "blackjack"),
    [
        # WA: "An Ace and a 10-value card dealt on the first two cards".
        ("As Kh", (), True),
        ("Th Ad", (), True),
        ("As Kh", ("As Kh",), True),
        ("As 9h", (), False),
        ("Ts Kh", (), False),
        # Twenty-one in three cards is none, nor is an ace that meets a ten after a split.
        ("7s 7h 7d", (), False),
        ("As 5h 5d", (), False),
        ("As Ah Ks Kh", ("As Ks", "Ah Kh"), False),
        ("As Kh 5d", (), False),
    ],
)
def test_blackjack_is_the_original_two_cards(
    dealt: str, hands: tuple[str, ...], blackjack: bool
) -> None:
    assert has_blackjack(a_seat(dealt, *hands)) is blackjack


def test_seat_that_did_not_split_has_one_hand() -> None:
    assert final_hands(a_seat("As Kh")) == (("As", "Kh"),)
    assert final_hands(a_seat("8s 8h 2d 3d", "8s 2d", "8h 3d")) == (("8s", "2d"), ("8h", "3d"))


def test_up_card_is_the_dealers_first() -> None:
    assert no_up_card(a_seat("As Kh"), cards("9d"), Dealing()) is None
    assert no_up_card(a_seat("As Kh"), (), Dealing()) == "the dealer's up card is missing"


def test_every_reader_has_lines() -> None:
    assert set(LINES) == {*READERS, BASE_GAME}
    for name, reader in READERS.items():
        assert LINES[name] == reader.lines
        assert len(set(reader.lines)) == len(reader.lines)
