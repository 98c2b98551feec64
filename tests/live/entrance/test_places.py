"""Strangers and unfinished requests never have all places."""

from progressive.live.entrance.places import Places, Standing


class Guest:
    def __init__(self, address: str) -> None:
        self.address = address


def test_strangers_and_unfinished_leave_places_for_tables_and_staff() -> None:
    places: Places[Guest] = Places(1024)
    assert places.strangers_max + places.unfinished_max < 1024 - 64
    for _ in range(places.strangers_max):
        assert places.room_for_stranger
        places.take(Guest("a"), Standing.STRANGER)
    assert not places.room_for_stranger


def test_oldest_of_the_busiest_address_goes_first() -> None:
    places: Places[Guest] = Places(1024)
    places.take(one := Guest("one"), Standing.UNFINISHED)
    many = [Guest("many") for _ in range(places.unfinished_max)]
    for guest in many:
        assert places.must_go() is None
        places.take(guest, Standing.UNFINISHED)
    assert places.must_go() is many[0]
    places.leave(many[0], Standing.UNFINISHED)
    assert places.must_go() is None
    assert places.unfinished_at("many") == len(many) - 1
    assert places.oldest_at("one") is one


def test_young_ones_stay_while_tables_and_staff_keep_their_places() -> None:
    places: Places[Guest] = Places(1024)
    for _ in range(2 * places.unfinished_max):
        assert places.room_for_young
        places.take(Guest("a"), Standing.UNFINISHED)
    places.take(Guest("a"), Standing.UNFINISHED)
    assert not places.room_for_young

    places = Places(1024)
    for _ in range(places.strangers_max):
        places.take(Guest("a"), Standing.STRANGER)
    for _ in range(places.unfinished_max):
        places.take(Guest("a"), Standing.UNFINISHED)
        assert places.room_for_young
    places.take(Guest("a"), Standing.UNFINISHED)
    assert not places.room_for_young
