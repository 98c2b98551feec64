from typing import Any

import pytest

from progressive.application.floor.alarms import AlarmBook
from progressive.application.floor.watch import (
    BEHIND_SECONDS,
    LOST_SECONDS,
    SAID_OLD_SECONDS,
    SILENT_SECONDS,
    DaySight,
    FloorWatch,
    GuardSight,
    LinkSight,
    Sight,
    SignSight,
    TableSight,
)
from progressive.domain.alarms import AlarmKind
from tests.support.fake_clock import FakeClock

DISK_LOW_BYTES = 1_000


class Lookout:
    """A floor of one link, one table and one sign, as a test wants it seen."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.book = AlarmBook()
        self.watch = FloorWatch(self.book, disk_low_bytes=DISK_LOW_BYTES)

    def look(
        self,
        *,
        after_seconds: float = 1.0,
        here: bool = True,
        round_open: bool = False,
        last_seq: int = 0,
        sign_here: bool = True,
        showing_seq: int = 0,
        shows: str | None = None,
        silent_seconds: float | None = None,
        log_problem: str | None = None,
        guard: GuardSight = GuardSight(),  # noqa: B008 - frozen
        seq: int = 10,
        state: str = "live",
        free_bytes: int | None = None,
    ) -> list[str]:
        """One look, so long after the last; the alarms that are not over."""
        self.clock.advance(after_seconds)
        self.watch.look(
            Sight(
                at=self.clock.now(),
                monotonic=self.clock.monotonic(),
                links=[LinkSight("main", state, None if state == "live" else "broken", seq)],
                tables=[TableSight("BJ-01", "main", here, round_open, last_seq)],
                signs=[SignSight("wall", "main", sign_here, showing_seq, shows, silent_seconds)],
                disk_free_bytes=free_bytes,
                sign_log_problem=log_problem,
                guard=guard,
            )
        )
        return [alarm.kind for alarm in self.book.alarms.values() if not alarm.over]


def test_a_quiet_floor_raises_nothing() -> None:
    lookout = Lookout()
    assert lookout.look() == lookout.look(after_seconds=3600) == []


@pytest.mark.parametrize(
    ("seen_before", "round_open", "away_seconds", "expected"),
    [
        (True, True, 0, ["table_lost"]),
        (True, False, 0, []),
        (True, False, LOST_SECONDS, []),
        (True, False, LOST_SECONDS + 1, ["table_lost"]),
        # After a start nobody has come yet.
        (False, True, 0, []),
        (False, True, LOST_SECONDS + 1, ["table_lost"]),
        (False, False, 3600, []),
    ],
)
def test_when_a_table_is_lost(
    seen_before: bool, round_open: bool, away_seconds: float, expected: list[str]
) -> None:
    lookout = Lookout()
    lookout.look(here=seen_before, round_open=round_open)
    away: dict[str, Any] = {"here": False, "round_open": round_open}
    if seen_before:
        lookout.look(**away)
    assert lookout.look(after_seconds=away_seconds, **away) == expected


def test_a_table_that_comes_back_is_lost_no_more() -> None:
    lookout = Lookout()
    lookout.look()
    assert lookout.look(here=False, round_open=True) == ["table_lost"]
    assert lookout.look(round_open=True) == []


def test_the_last_word_of_a_table_is_when_its_number_moved() -> None:
    lookout = Lookout()
    lookout.look(last_seq=5)
    assert lookout.watch.last_at == {}

    lookout.look(last_seq=6)
    moved_at = lookout.clock.now()
    lookout.look(last_seq=6)

    assert lookout.watch.last_at == {"BJ-01": moved_at}


@pytest.mark.parametrize(
    ("seconds", "state", "expected"),
    [(BEHIND_SECONDS, "live", []), (BEHIND_SECONDS + 1, "behind", ["sign_stale"])],
)
def test_a_sign_that_shows_old_amounts_is_stale(
    seconds: float, state: str, expected: list[str]
) -> None:
    lookout = Lookout()
    lookout.look(seq=10, showing_seq=10)
    lookout.look(seq=13, showing_seq=10)

    assert lookout.look(after_seconds=seconds, seq=13, showing_seq=10) == expected
    lag = lookout.watch.lags["wall"]
    assert (lag.state, lag.records, lag.seconds) == (state, 3, int(seconds))


def test_a_sign_that_keeps_up_a_moment_behind_is_live() -> None:
    lookout = Lookout()
    for seq in range(10, 100, 3):
        assert lookout.look(seq=seq, showing_seq=seq - 3) == []
    assert lookout.watch.lags["wall"].state == "live"


def test_a_sign_that_has_not_spoken_yet_is_not_behind() -> None:
    lookout = Lookout()
    lookout.look(seq=10)
    assert lookout.look(after_seconds=60, seq=99) == []


@pytest.mark.parametrize(
    ("seen_before", "expected", "state"), [(True, ["sign_stale"], "gone"), (False, [], "unseen")]
)
def test_a_sign_that_went_is_stale_and_one_never_seen_is_not(
    seen_before: bool, expected: list[str], state: str
) -> None:
    lookout = Lookout()
    lookout.look(sign_here=seen_before)
    lookout.look(sign_here=False)
    assert lookout.look(after_seconds=BEHIND_SECONDS + 1, sign_here=False) == expected
    assert lookout.watch.lags["wall"].state == state


def test_an_inoperable_link_is_an_alarm_for_the_act_log() -> None:
    lookout = Lookout()
    assert lookout.look(state="inoperable") == ["link_inoperable"]
    alarm = lookout.book.standing(AlarmKind.LINK_INOPERABLE, "main")
    assert alarm is not None
    assert (alarm.link, alarm.message) == (None, "broken")
    assert lookout.look() == []


@pytest.mark.parametrize(
    ("free_bytes", "expected"),
    [(DISK_LOW_BYTES, []), (DISK_LOW_BYTES - 1, ["disk_low"]), (None, [])],
)
def test_a_disk_that_runs_out_is_an_alarm(free_bytes: int | None, expected: list[str]) -> None:
    assert Lookout().look(free_bytes=free_bytes) == expected


def test_past_that_could_not_be_verified_is_an_alarm_until_it_is() -> None:
    lookout = Lookout()
    assert lookout.look(guard=GuardSight(not_verified="the process was killed")) == ["not_verified"]
    assert lookout.look() == []


def test_a_disk_alarm_says_how_it_began() -> None:
    lookout = Lookout()
    lookout.look(free_bytes=500)
    began = lookout.book.alarms

    lookout.look(free_bytes=400)

    assert lookout.book.alarms == began
    assert lookout.look(free_bytes=DISK_LOW_BYTES) == []


@pytest.mark.parametrize(
    ("shows", "state", "alarms"),
    [
        ("live", "live", []),
        ("ageing", "live", []),
        # The link's own alarm says it already.
        ("inoperable", "live", []),
        ("stale", "behind", ["sign_stale"]),
        ("offline", "behind", ["sign_stale"]),
    ],
)
def test_a_sign_is_believed_when_it_says_that_it_is_old(
    shows: str, state: str, alarms: list[str]
) -> None:
    lookout = Lookout()
    assert lookout.look(shows=shows) == []
    assert lookout.look(after_seconds=SAID_OLD_SECONDS + 1, shows=shows) == alarms
    assert lookout.watch.lags["wall"].state == state
    assert lookout.look(shows="live") == []


def test_a_sign_that_came_back_may_say_for_a_moment_what_it_showed_until_then() -> None:
    lookout = Lookout()
    for shows in ("stale", "live", "stale", "live"):
        assert lookout.look(after_seconds=SAID_OLD_SECONDS, shows=shows) == []


def test_a_sign_that_reports_no_more_is_noticed_though_it_is_connected() -> None:
    lookout = Lookout()
    assert lookout.look(shows="live", silent_seconds=SILENT_SECONDS) == []
    assert lookout.look(shows="live", silent_seconds=SILENT_SECONDS + 1) == ["sign_stale"]
    (alarm,) = lookout.book.alarms.values()
    assert alarm.message == "does not say what it shows"
    # One that never reported owes nobody anything.
    assert lookout.look(silent_seconds=None) == []


def test_a_sign_log_that_is_not_kept_is_an_alarm_while_it_lasts() -> None:
    lookout = Lookout()
    assert lookout.look(log_problem="disk full") == ["sign_log"]
    assert lookout.look() == []


def test_a_journal_that_is_not_archived_is_an_alarm_while_it_lasts() -> None:
    lookout = Lookout()
    assert lookout.look(guard=GuardSight(not_archived="main: no room")) == ["not_archived"]
    (alarm,) = lookout.book.alarms.values()
    assert alarm.message == "main: no room"
    assert lookout.look() == []


def test_a_journal_that_is_not_sealed_or_not_witnessed_is_an_alarm_while_it_lasts() -> None:
    lookout = Lookout()
    assert lookout.look(guard=GuardSight(not_sealed="main: no room")) == ["not_sealed"]
    silent = GuardSight(not_witnessed="main: witness w cannot be reached")
    assert lookout.look(guard=silent) == ["not_witnessed"]
    assert lookout.look() == []


@pytest.mark.parametrize(
    ("sight", "kind"),
    [
        (DaySight("main", overdue="2026-11-16 is not closed"), AlarmKind.DAY_NOT_CLOSED),
        (DaySight("main", difference="2026-11-16 is off"), AlarmKind.DOES_NOT_RECONCILE),
    ],
)
def test_days_that_stay_open_or_do_not_reconcile_are_alarms_of_their_link(
    sight: DaySight, kind: AlarmKind
) -> None:
    book = AlarmBook()
    watch = FloorWatch(book, disk_low_bytes=0)

    def look(*days: DaySight) -> None:
        at = FakeClock().now()
        watch.look(Sight(at=at, monotonic=0.0, links=(), tables=(), signs=(), days=days))

    look(sight)
    (alarm,) = book.alarms.values()
    assert (alarm.kind, alarm.subject, alarm.link) == (kind, "main", "main")
    assert alarm.message == sight.overdue + sight.difference
    look(DaySight("main"))
    (alarm,) = book.alarms.values()
    assert alarm.over
    # Another link's days are another alarm.
    look(DaySight("main"), DaySight("high", overdue="late"))
    assert {each.subject for each in book.alarms.values() if not each.over} == {"high"}
