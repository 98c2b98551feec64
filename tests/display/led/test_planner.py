"""Which command a sign is sent next: takeovers first, then the newest amounts, all in turn."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from display.led import alpha, expiry
from display.led.composer import Glass, Look, compose
from display.led.planner import Planner, Step
from progressive.wire.feed import LinkView
from tests.support.led import a_view, a_win
from tests.support.virtual_sign import VirtualSign

LIVE = "Mega $100,000.60 | Major $15,000.30 | Minor $3,000.20"
ALL_STRINGS = ["string a", "string b", "string c"]
CLOCK = ["clock", "day"]
NOT_LIVE = "OUT OF SERVICE - AMOUNTS NOT LIVE"


class Bench:
    """A planner, and a sign that is sent what it plans, one command at a time."""

    def __init__(self) -> None:
        self.planner = Planner("hold")
        self.sign = VirtualSign()
        self.now = 0.0
        self.view: LinkView | None = a_view()
        self.age_seconds = 0.0
        self.win = None
        self.look = Look()

    @property
    def glass(self) -> Glass:
        return compose(self.look, self.view, self.age_seconds, self.win)

    def send_one(self) -> Step | None:
        step = self.planner.next_step(self.glass, self.now)
        if step is not None:
            self.sign.receive(alpha.packet(alpha.Address(), step.command))
            self.planner.written(step, self.now)
        assert self.sign.faults == []
        return step

    def send_all(self) -> list[str]:
        keys = []
        while (step := self.send_one()) is not None:
            keys.append(step.key)
            assert len(keys) < 100
        return keys

    def grow(self, **cents: int) -> None:
        assert self.view is not None
        meters = tuple(
            structs.replace(meter, cents=meter.cents + cents.get(meter.id, 0))
            for meter in self.view.meters
        )
        self.view = structs.replace(self.view, seq=self.view.seq + 1, meters=meters)


def a_settled_bench() -> Bench:
    bench = Bench()
    bench.send_all()
    assert bench.sign.glass == LIVE
    return bench


def test_a_new_sign_is_cleared_laid_out_filled_and_then_shown() -> None:
    bench = Bench()
    assert bench.send_all() == [
        *("clear", "memory", *CLOCK, "days A", "days B", "days C", "notice B", "notice C"),
        *("sequence", *ALL_STRINGS, "text", "priority"),
    ]
    assert bench.sign.glass == LIVE
    assert bench.planner.shown() == {"mega": 10_000_060, "major": 1_500_030, "minor": 300_020}


def test_a_sign_that_remembers_a_takeover_gives_it_up_only_with_true_amounts() -> None:
    bench = Bench()
    bench.sign.receive(alpha.packet(alpha.Address(), alpha.write_priority(b"OLD WIN", "hold")))
    while bench.sign.glass != LIVE:
        assert bench.sign.glass in ("OLD WIN", "", "Mega  | Major  | Minor ") or (
            "$100,000.60" in bench.sign.glass
        )
        assert bench.send_one() is not None


def test_nothing_new_is_nothing_sent() -> None:
    assert a_settled_bench().send_all() == []


def test_only_the_amount_that_grew_is_sent() -> None:
    bench = a_settled_bench()
    bench.grow(major=1)
    assert bench.send_all() == ["string b"]
    assert "$15,000.31" in bench.sign.glass


def test_the_newest_value_wins_and_the_amounts_take_turns() -> None:
    bench = a_settled_bench()
    sent = []
    for _ in range(9):
        bench.grow(mega=3, major=2, minor=1)
        bench.grow(mega=3, major=2, minor=1)
        step = bench.send_one()
        assert step is not None
        assert step.amount in bench.glass.amounts
        sent.append(step.key)
    assert sent == ALL_STRINGS * 3


def test_a_win_goes_before_all_amounts_and_is_given_back() -> None:
    bench = a_settled_bench()
    bench.grow(mega=1, major=1, minor=1)
    bench.win = a_win()
    assert bench.planner.next_step(bench.glass, 0.0).is_takeover
    assert not bench.planner.holds_takeover(bench.glass)
    bench.send_one()
    assert bench.planner.holds_takeover(bench.glass)
    assert "WON!" in bench.sign.glass
    assert bench.planner.shown() == {}
    bench.win = None
    assert bench.send_all() == [*ALL_STRINGS, "priority"]
    assert bench.sign.glass == "Mega $100,000.61 | Major $15,000.31 | Minor $3,000.21"


def test_a_busy_floor_does_not_keep_a_sign_from_its_amounts() -> None:
    bench = a_settled_bench()
    bench.win = a_win()
    bench.send_one()
    bench.win = None
    sent = []
    for _ in range(4):
        bench.grow(mega=1, major=1, minor=1)
        sent.append(bench.send_one().key)
    assert sent == [*ALL_STRINGS, "priority"]


def test_a_busy_floor_does_not_keep_a_sign_from_being_refreshed() -> None:
    bench = a_settled_bench()
    bench.now = 61.0
    sent = set()
    for _ in range(8):
        bench.grow(mega=1, major=1, minor=1)
        sent.add(bench.send_one().key)
    assert sent == {*CLOCK, *ALL_STRINGS, "text", "sequence", "priority"}


def test_everything_is_written_again_every_minute() -> None:
    bench = a_settled_bench()
    bench.now = 59.0
    assert bench.send_all() == []
    bench.now = 60.0
    assert sorted(bench.send_all()) == [
        *CLOCK, "priority", "sequence", *ALL_STRINGS, "text",
    ]  # fmt: skip


def test_a_sign_that_lost_its_memory_is_whole_again_after_the_hour() -> None:
    bench = a_settled_bench()
    bench.sign.power_off()
    bench.now = 3_600.0
    assert bench.send_all()[:2] == ["clear", "memory"]
    assert bench.sign.glass == LIVE


def test_the_memory_is_not_laid_out_in_the_middle_of_a_win() -> None:
    bench = a_settled_bench()
    bench.now = 3_600.0
    bench.win = a_win()
    assert "clear" not in bench.send_all()
    bench.win = None
    assert "clear" in bench.send_all()


def test_a_lost_line_is_written_from_the_memory_up() -> None:
    bench = a_settled_bench()
    bench.planner.forget()
    assert bench.planner.shown() is None
    bench.sign = VirtualSign()
    assert bench.send_all()[:2] == ["clear", "memory"]
    assert bench.sign.glass == LIVE


def test_other_meters_need_another_memory() -> None:
    bench = a_settled_bench()
    bench.view = structs.replace(bench.view, meters=bench.view.meters[:2])
    assert bench.send_all()[:2] == ["clear", "memory"]
    assert bench.sign.glass == "Mega $100,000.60 | Major $15,000.30"
    assert bench.planner.shown() == {"mega": 10_000_060, "major": 1_500_030}


def test_another_name_needs_only_another_text() -> None:
    bench = a_settled_bench()
    mega, *others = bench.view.meters
    bench.view = structs.replace(bench.view, meters=(structs.replace(mega, name="Grand"), *others))
    assert bench.send_all() == ["text"]
    assert bench.sign.glass.startswith("Grand $")


def test_a_fault_without_amounts_is_told_without_files() -> None:
    bench = Bench()
    bench.view = a_view(state="inoperable", reason="no journal", meters=())
    assert bench.send_all() == ["priority"]
    assert bench.sign.glass == "OUT OF SERVICE - no journal"
    bench.now = 60.0
    assert bench.send_all() == ["priority"]
    bench.view = a_view()
    bench.send_all()
    assert bench.sign.glass == LIVE


def test_stale_amounts_are_marked_and_heal() -> None:
    bench = a_settled_bench()
    bench.age_seconds = 25.0
    assert bench.send_all() == ALL_STRINGS
    assert bench.sign.glass.count("20 S OLD") == 3
    bench.age_seconds = 0.0
    bench.send_all()
    assert bench.sign.glass == LIVE


def test_the_place_shown_is_that_of_the_newest_amount_written() -> None:
    bench = a_settled_bench()
    assert bench.planner.place(bench.glass) == (3, 41)
    bench.grow(mega=1, major=1)
    assert bench.planner.place(bench.glass) == (3, 41)
    bench.send_one()
    assert bench.planner.place(bench.glass) == (3, 42)
    bench.send_one()
    bench.grow()
    assert bench.planner.place(bench.glass) == (3, 43)


@given(
    st.lists(st.sampled_from(["grow", "win", "over", "stale", "fresh", "fault", "send", "lost"]))
)
def test_a_sign_left_alone_always_ends_up_with_what_it_should_hold(events: list[str]) -> None:
    bench = Bench()
    for event in events:
        match event:
            case "grow":
                bench.grow(mega=7, minor=1)
            case "win" | "over":
                bench.win = a_win() if event == "win" else None
            case "stale" | "fresh":
                bench.age_seconds = 30.0 if event == "stale" else 0.0
            case "fault":
                other = "live" if bench.view.state != "live" else "inoperable"
                bench.view = structs.replace(bench.view, state=other)
            case "lost":
                bench.planner.forget()
                bench.sign.power_off()
            case "send":
                bench.send_one()
    bench.send_all()
    bench.win, bench.age_seconds = None, 0.0
    bench.view = structs.replace(bench.view, state="live")
    bench.send_all()
    shown = bench.planner.shown()
    assert shown == {meter.id: meter.cents for meter in bench.view.meters}
    for cents in shown.values():
        assert f"${cents // 100:,}.{cents % 100:02}" in bench.sign.glass
    assert "OLD" not in bench.sign.glass


# --- without its driver ---------------------------------------------------------------------------


@pytest.mark.slow
def test_amounts_stay_while_their_driver_lives() -> None:
    bench = a_settled_bench()
    for _ in range(26 * 60):
        bench.sign.pass_seconds(60)
        bench.now += 60
        assert bench.sign.glass.startswith("Mega $")
        bench.send_all()


def test_a_sign_turns_away_from_its_amounts_by_itself_three_minutes_after_its_driver() -> None:
    """It went on showing the last digits as if they were live, for as long as it had power."""
    bench = a_settled_bench()
    bench.sign.pass_seconds(expiry.EXPIRES_SECONDS - 1)
    assert bench.sign.glass == LIVE
    bench.sign.pass_seconds(1)
    assert bench.sign.glass == NOT_LIVE
    seen = set()
    for _ in range(6 * 24 * 6):
        bench.sign.pass_seconds(600)
        seen.add(bench.sign.glass)
    # Blank for ten minutes before midnight, and where the amounts would be on their own day.
    assert seen == {NOT_LIVE, ""}


def test_a_driver_may_die_at_any_moment() -> None:
    """Also while it lays the sign out: after each command alone."""
    bench = Bench()
    while bench.send_one() is not None:
        before = bench.sign.clock_seconds
        bench.sign.pass_seconds(expiry.EXPIRES_SECONDS)
        assert "$" not in bench.sign.glass
        bench.sign.clock_seconds = before


def test_a_driver_that_is_back_in_time_or_not_brings_the_amounts_back() -> None:
    bench = a_settled_bench()
    bench.sign.pass_seconds(3_600)
    assert bench.sign.glass == NOT_LIVE
    bench.now += 3_600
    bench.grow(mega=1)
    bench.send_all()
    assert bench.sign.glass.startswith("Mega $100,000.61")


def test_a_sign_that_missed_one_setting_of_its_clock_stays() -> None:
    bench = a_settled_bench()
    # At the worst it keeps its seconds when its minutes are set.
    bench.sign.pass_seconds(59 + 2 * expiry.CLOCK_SECONDS)
    assert bench.sign.glass == LIVE


def test_a_sign_after_a_power_cut_shows_no_amounts_without_its_driver() -> None:
    bench = a_settled_bench()
    bench.sign.clock_seconds = 0.0  # Its memory has a battery, its clock has none.
    assert bench.sign.glass == NOT_LIVE


def test_a_sign_without_a_clock_is_left_as_it_is() -> None:
    bench = Bench()
    bench.look = Look(expires=False)
    assert bench.send_all() == ["clear", "memory", "sequence", *ALL_STRINGS, "text", "priority"]
    bench.sign.pass_seconds(86_400)
    assert bench.sign.glass == LIVE
