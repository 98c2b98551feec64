"""Which reports of a sign can be true: digits that roll, not a record or an amount of nowhere."""

import pytest
from msgspec import structs

from progressive.application.signs.desk import PASSES_SECONDS, SignDesk, SignPlace
from progressive.application.signs.plausible import SPAN_SECONDS, SPANS_KEPT, ShownByLink
from progressive.application.signs.reports import Glass
from progressive.domain.ids import LinkId
from progressive.domain.views import LinkView, MeterView, WinView
from tests.application.signs.test_desk import Notes
from tests.support.fake_clock import FakeClock

AT = "2026-01-02T03:04:05.000000Z"
LONG_SECONDS = SPAN_SECONDS * (SPANS_KEPT + 1)


def a_view(
    seq: int, cents: int, *, state: str = "live", wins: tuple[WinView, ...] = ()
) -> LinkView:
    meters = (MeterView("mega", "Mega", cents),)
    return LinkView(LinkId("main"), 3, seq, AT, state, None, meters, wins)


def why(shown: ShownByLink, cents: int, now: float = 0.0, **said: object) -> str:
    report: dict[str, object] = {"epoch": 3, "seq": 10, "state": "live"} | said
    verdict = shown.verdict(glass=[Glass("mega", cents)], now=now, **report)  # type: ignore[arg-type]
    return verdict.why


@pytest.fixture
def shown() -> ShownByLink:
    """A meter that rose from 1,000 to 1,060 at record 10."""
    shown = ShownByLink()
    shown.note(a_view(9, 1_000), 0.0)
    shown.note(a_view(10, 1_060), 1.0)
    return shown


@pytest.mark.parametrize(
    ("cents", "said", "expected"),
    [
        (1_060, {}, ""),
        (1_000, {"seq": 9}, ""),
        (1_031, {}, ""),  # Digits on their way.
        (1_061, {}, "mega never stood at 1061 cents"),
        (999_999_999, {"state": "stale"}, "mega never stood at 999999999 cents"),
        (1_060, {"seq": 11}, "record 11 of epoch 3 was never reached"),
        (1_060, {"epoch": 4}, "record 10 of epoch 4 was never reached"),
        (999, {}, "mega does not stand at 999 cents"),
        # What a sign itself calls old may be of any day.
        (999, {"state": "stale"}, ""),
        (1, {"state": "offline", "epoch": 1, "seq": 2}, ""),
    ],
)
def test_what_can_be_on_the_glass(
    shown: ShownByLink, cents: int, said: dict[str, object], expected: str
) -> None:
    assert why(shown, cents, now=2.0, **said) == expected


def test_an_amount_of_a_while_ago_stands_there_no_more(shown: ShownByLink) -> None:
    assert why(shown, 1_000, now=SPAN_SECONDS) == ""
    assert why(shown, 1_000, now=LONG_SECONDS) != ""
    # The meter has not moved since.
    assert why(shown, 1_060, now=LONG_SECONDS) == ""


def test_a_won_meter_may_be_read_as_before_for_a_moment(shown: ShownByLink) -> None:
    shown.note(a_view(10, 200), 2.0)
    assert why(shown, 1_060, now=3.0) == why(shown, 200, now=3.0) == ""
    assert why(shown, 1_060, now=3.0 + LONG_SECONDS) != ""


def test_what_stood_there_before_the_start_is_known_from_the_wins() -> None:
    def win(amount_cents: int, share_percent: int) -> WinView:
        names = ("main.5.1", "BJ-01", 1, "mega", "three_7")
        return WinView(3, 5, AT, *names, amount_cents, 4_500, share_percent=share_percent)

    shown = ShownByLink()
    shown.note(a_view(10, 100, wins=(win(3_000, 100), win(500, 10))), 0.0)
    assert why(shown, 5_000, state="stale") == ""
    assert why(shown, 5_001, state="stale") != ""


def test_nothing_is_held_against_a_link_that_was_never_live() -> None:
    shown = ShownByLink()
    shown.note(a_view(0, 0, state="inoperable"), 0.0)
    assert why(shown, 77, seq=99) == ""


def test_a_link_that_failed_before_it_was_live_again_has_a_place_too(shown: ShownByLink) -> None:
    shown.note(structs.replace(a_view(11, 1_060, state="inoperable"), epoch=4), 2.0)
    assert why(shown, 1_060, now=3.0, epoch=4, seq=11, state="inoperable") == ""
    assert why(shown, 1_060, now=3.0, epoch=5, seq=11, state="inoperable") != ""


# --- at the desk ----------------------------------------------------------------------------------


def a_desk() -> tuple[SignDesk, FakeClock, Notes]:
    clock, log = FakeClock(), Notes()
    desk = SignDesk({"wall": SignPlace("main", frozenset(["mega"]))}, log, clock)
    desk.shown(a_view(10, 1_000))
    desk.came("wall")
    return desk, clock, log


def hear(desk: SignDesk, cents: int, seq: int = 10) -> None:
    desk.heard("wall", epoch=3, seq=seq, state="live", glass=[Glass("mega", cents)])


def test_what_cannot_be_is_called_so_at_once_and_in_the_log() -> None:
    desk, _, log = a_desk()
    hear(desk, 1_000)
    assert desk.impossible("wall") == ""
    hear(desk, 99_999)
    assert desk.impossible("wall") == "mega never stood at 99999 cents"
    hear(desk, 1_000, seq=11)
    assert desk.impossible("wall") == "record 11 of epoch 3 was never reached"
    hear(desk, 1_000)
    assert desk.impossible("wall") == ""
    states = [entry.state for _, _, entry in log.entries if entry.kind == "showing"]
    assert states == ["live", "impossible: live", "impossible: live", "live"]


def test_digits_that_come_from_an_old_amount_are_wrong_only_if_they_stay() -> None:
    desk, clock, log = a_desk()
    hear(desk, 400)
    assert desk.impossible("wall") == ""
    clock.advance(PASSES_SECONDS + 1)
    assert desk.impossible("wall") == "mega does not stand at 400 cents"
    hear(desk, 400)
    hear(desk, 1_000)
    assert desk.impossible("wall") == ""
    states = [entry.state for _, _, entry in log.entries if entry.kind == "showing"]
    assert states == ["live", "impossible: live", "live"]
