"""What an LED driver knows of its feeds: the view, how old it is, and the wins to be shown."""

from typing import Any

import pytest

from display.led.reading import Reading
from progressive.wire.feed_messages import Snapshot, StateChanged, Tick, Update, Win
from progressive.wire.meters import MeterCents, NamedMeter
from tests.support.fake_clock import FakeClock

WIN = Win(3, 42, "2026-01-02T03:04:06Z", "main.42.1", "BJ-01", 5, "mega", "line", 100, 10)


def a_snapshot(seq: int, **changes: Any) -> Snapshot:  # noqa: ANN401 (any field)
    fields = {
        "link": "main",
        "epoch": 3,
        "at": "2026-01-02T03:04:05Z",
        "state": "live",
        "meters": [NamedMeter("mega", "Mega", seq)],
        "wins": [],
    }
    return Snapshot(seq=seq, **{**fields, **changes})


class Heard:
    """A reading of two feeds, by a clock that a test turns."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.reading = Reading("main", ["here", "there"], clock=self.clock.monotonic)
        self.calls = 0
        self.reading.on_news = self.count

    def count(self) -> None:
        self.calls += 1

    @property
    def cents(self) -> int:
        assert self.reading.view is not None
        return self.reading.view.meters[0].cents


def test_before_a_first_word_nothing_is_known_and_nothing_is_asked_for_again() -> None:
    heard = Heard()
    assert (heard.reading.view, heard.reading.place, heard.reading.wins) == (None, None, ())


def test_the_newest_word_of_all_feeds_is_shown_and_none_goes_backwards() -> None:
    heard = Heard()
    heard.reading.hear("here", a_snapshot(41))
    heard.reading.hear("there", a_snapshot(43))
    assert (heard.cents, heard.reading.place) == (43, (3, 43))
    at = "2026-01-02T03:04:06Z"
    heard.reading.hear("here", Update(3, 42, at, [MeterCents("mega", 42)]))
    assert (heard.cents, heard.reading.place, heard.calls) == (43, (3, 43), 3)


def test_what_is_shown_grows_old_without_a_word_and_young_by_one() -> None:
    heard = Heard()
    heard.reading.hear("here", a_snapshot(41, age_ms=4_000))
    heard.clock.advance(8)
    assert heard.reading.age_seconds == 12.0
    heard.reading.hear("here", Tick(3, 41, "2026-01-02T03:04:18Z"))
    assert heard.reading.age_seconds == 0.0
    heard.reading.lost("here")
    heard.clock.advance(30)
    assert heard.reading.age_seconds == 30.0


@pytest.mark.parametrize("seconds", [5.0, 15.0])
def test_a_service_restored_from_a_copy_is_believed_once_the_sign_was_stale(seconds: float) -> None:
    heard = Heard()
    heard.reading.hear("here", a_snapshot(41))
    heard.reading.lost("here")
    heard.clock.advance(seconds)
    heard.reading.hear("here", a_snapshot(30))
    assert heard.cents == (30 if seconds > 10 else 41)


def test_a_fault_and_wins_are_heard() -> None:
    heard = Heard()
    heard.reading.hear("here", a_snapshot(41))
    heard.reading.hear("here", WIN)
    heard.reading.hear("here", StateChanged("inoperable", "disk"))
    assert heard.reading.view is not None
    assert (heard.reading.view.state, heard.reading.view.reason) == ("inoperable", "disk")
    assert [win.award for win in heard.reading.wins] == ["main.42.1"]
