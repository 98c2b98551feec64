"""Taking note: counts by the minute, alarms by comparing, and limits that nobody can pass."""

import pytest

from progressive.application.floor.alarms import AlarmBook
from progressive.application.floor.happenings import (
    COUNTS_MAX,
    LINES_WAITING_MAX,
    MESSAGE_CHARACTERS_MAX,
    Happenings,
)
from progressive.application.floor.refused_acts import what_was_asked
from progressive.application.people.act_log import LOG_IN, ActRecord, Outcome
from progressive.application.people.sessions import NoSession
from progressive.domain.alarms import AlarmKind
from progressive.domain.happenings import SIGN_IN, WITHOUT_SESSION, HappeningLine, Noted
from progressive.domain.ids import LinkId, TableId
from progressive.domain.rejections import Rejection
from progressive.domain.views import LinkView
from tests.support.fake_clock import FakeClock
from tests.support.happened import BEGAN, after

MAIN = LinkId("main")
BJ1, BJ2 = TableId("BJ-01"), TableId("BJ-02")


class Noting:
    """A log of a floor with two tables, and a clock that a test turns."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.log = Happenings(self.clock, {BJ1: MAIN, BJ2: MAIN})
        self.book = AlarmBook()

    def took(self, *, minute_over: bool = False) -> list[HappeningLine]:
        return self.log.take(minute_over=minute_over)

    def counted(self, *, minute_over: bool = False) -> dict[tuple[str, str, str], int]:
        return {
            (each.about, each.who, each.kind): each.times
            for each in self.took(minute_over=minute_over)
        }

    def looked(self) -> list[tuple[str, str, str, int]]:
        """What a look at the alarms adds."""
        self.log.see_alarms(self.book.alarms)
        return [(each.what, each.kind, each.since, each.times) for each in self.took()]

    def act(self, code: str | int, *, at: str | None = None, name: str = "void_award") -> None:
        details = {"status": code} if isinstance(code, int) else {"code": code}
        record = ActRecord(
            1, at or self.clock.now(), "", "Ann", "10.0.0.7", name, Outcome.REFUSED, {**details}
        )
        self.log.hear(record)


def test_the_first_refusal_is_written_at_once_and_the_rest_of_its_minute_as_one() -> None:
    noting = Noting()
    noting.log.table_refused(BJ1, Rejection.CHIP_COUNT_MISMATCH)
    (line,) = noting.took()
    assert (line.what, line.link, line.about, line.kind, line.times) == (
        *("refused", "main", "BJ-01", "CHIP_COUNT_MISMATCH"),
        1,
    )
    for _ in range(500):
        noting.log.table_refused(BJ1, Rejection.CHIP_COUNT_MISMATCH)
    assert noting.took() == []
    assert noting.counted(minute_over=True) == {("BJ-01", "", "CHIP_COUNT_MISMATCH"): 500}
    # The next minute begins again.
    noting.log.table_refused(BJ1, Rejection.CHIP_COUNT_MISMATCH)
    assert len(noting.took()) == 1


def test_tables_and_codes_are_counted_apart() -> None:
    noting = Noting()
    for table, code in ((BJ1, "WRONG_ROUND"), (BJ2, "WRONG_ROUND"), (BJ2, "BAD_CARD")):
        noting.log.table_refused(table, Rejection(code))
    assert noting.counted() == {
        ("BJ-01", "", "WRONG_ROUND"): 1,
        ("BJ-02", "", "WRONG_ROUND"): 1,
        ("BJ-02", "", "BAD_CARD"): 1,
    }


@pytest.mark.parametrize("code", ["LINK_INOPERABLE", "NOT_LEADER", "TRY_AGAIN"])
def test_what_every_table_of_a_link_meets_is_counted_once_a_link(code: str) -> None:
    noting = Noting()
    for table in (BJ1, BJ2):
        noting.log.table_refused(table, Rejection(code))
    assert noting.counted() == {("", "", code): 2}


def test_so_many_different_refusals_a_minute_and_no_more_lines() -> None:
    noting = Noting()
    noting.clock.advance(1)
    found: list[HappeningLine] = []
    for number in range(COUNTS_MAX + 500):
        noting.act(f"CODE_{number}")
        if number % 100 == 0:
            # Writing in between makes no room for more in the same minute.
            found += noting.took()
    assert len(found) == COUNTS_MAX + 1
    assert (found[-1].about, found[-1].kind, found[-1].times) == ("", "", 1)
    noting.act("CODE_1")
    assert noting.counted(minute_over=True) == {
        ("void_award", "Ann", "CODE_1"): 1,
        ("", "", ""): 499,
    }
    noting.act("NEW")
    assert noting.counted() == {("void_award", "Ann", "NEW"): 1}


def test_lines_that_wait_too_long_make_room_for_newer_ones() -> None:
    noting = Noting()
    for number in range(LINES_WAITING_MAX + 3):
        state = "inoperable" if number % 2 == 0 else "live"
        noting.log.link_state(a_view(state, f"reason {number}"))
    assert noting.log.pushed_out == 3
    found = noting.took()
    assert len(found) == LINES_WAITING_MAX
    assert found[-1].message == f"reason {LINES_WAITING_MAX + 2}"


def test_a_refused_act_has_its_person_act_and_code() -> None:
    noting = Noting()
    noting.clock.advance(1)
    noting.act("WRONG_ROLE")
    noting.act(409)
    assert noting.counted() == {
        ("void_award", "Ann", "WRONG_ROLE"): 1,
        ("void_award", "Ann", "409"): 1,
    }


def test_acts_that_are_no_refusal_of_a_person_are_not_noted() -> None:
    noting = Noting()
    noting.clock.advance(1)
    # Tables are counted where they are refused: the act log has the first thirty a minute.
    noting.act("BAD_CARD", name="table_message")
    done = ActRecord(2, noting.clock.now(), "", "Ann", "", "void_award", Outcome.DONE, {})
    noting.log.hear(done)
    assert noting.took() == []


def test_what_an_earlier_process_has_noted_is_not_noted_again() -> None:
    noting = Noting()
    noting.clock.advance(60)
    noting.log.known_until(after(-30))
    noting.act("OLD", at=after(-31))
    noting.act("WHILE_IT_WAS_DOWN", at=after(-29))
    noting.book.raise_alarm(
        AlarmKind.IMPLAUSIBLE_INPUT, "BJ-01", at=after(-31), message="m", lasts=False, mark="7"
    )
    noting.book.raise_alarm(
        AlarmKind.IMPLAUSIBLE_INPUT, "BJ-02", at=after(-29), message="m", lasts=False, mark="8"
    )
    noting.log.see_alarms(noting.book.alarms)
    assert {(line.about, line.kind) for line in noting.took()} == {
        ("void_award", "WHILE_IT_WAS_DOWN"),
        ("BJ-02", "implausible_input"),
    }


def test_a_clock_that_was_set_back_hides_nothing_that_happens_now() -> None:
    noting = Noting()
    noting.log.known_until(after(3600))
    noting.clock.advance(1)
    noting.act("WRONG_ROLE")
    assert len(noting.took()) == 1


def test_an_alarm_that_lasts_has_a_beginning_and_an_end() -> None:
    noting = Noting()
    book, kind = noting.book, AlarmKind.SIGN_STALE
    noting.clock.advance(5)
    book.raise_alarm(kind, "wall", at=noting.clock.now(), message="no contact", link="main")
    assert noting.looked() == [("raised", "sign_stale", "", 1)]
    assert noting.looked() == []
    book.raise_alarm(kind, "wall", at=noting.clock.now(), message="shows old amounts", link="main")
    assert noting.looked() == []
    noting.clock.advance(5)
    book.end(kind, "wall", at=noting.clock.now())
    assert noting.looked() == [("ended", "sign_stale", after(5), 1)]
    # Not acknowledged yet, and wrong again.
    noting.clock.advance(5)
    book.raise_alarm(kind, "wall", at=noting.clock.now(), message="no contact", link="main")
    assert noting.looked() == [("raised", "sign_stale", "", 1)]
    (alarm,) = book.alarms
    book.acknowledge(alarm, by="Ann", at=noting.clock.now())
    assert noting.looked() == []
    book.end(kind, "wall", at=noting.clock.now())
    assert book.alarms == {}
    assert noting.looked() == [("ended", "sign_stale", after(15), 1)]


def test_an_alarm_of_a_moment_is_counted() -> None:
    noting = Noting()
    claim = AlarmKind.IMPLAUSIBLE_INPUT
    for seconds, times in ((1, 1), (1, 3)):
        noting.clock.advance(seconds)
        for _ in range(times):
            noting.book.raise_alarm(claim, "BJ-01", at=noting.clock.now(), message="m", lasts=False)
        assert noting.looked() == [("moment", "implausible_input", "", times)]
    assert noting.looked() == []


def test_an_account_alarm_of_long_ago_begins_with_the_service() -> None:
    noting = Noting()
    noting.book.raise_alarm(
        AlarmKind.ACCOUNT_UNCONFIRMED, "Mal", at=after(-86_400), message="unconfirmed"
    )
    noting.log.see_alarms(noting.book.alarms)
    (line,) = noting.took()
    assert (line.what, line.at) == ("raised", BEGAN)
    noting.book.drop(AlarmKind.ACCOUNT_UNCONFIRMED, "Mal")
    noting.clock.advance(7)
    noting.log.see_alarms(noting.book.alarms)
    (line,) = noting.took()
    assert (line.what, line.at, line.since) == ("ended", after(7), BEGAN)


def test_a_link_out_of_service_is_noted_where_it_changes_and_once() -> None:
    noting = Noting()
    noting.log.link_state(a_view("live"))
    assert noting.took() == []
    noting.log.link_state(a_view("inoperable", "the journal cannot be written: disk full"))
    noting.clock.advance(1)
    noting.book.raise_alarm(
        AlarmKind.LINK_INOPERABLE, "main", at=noting.clock.now(), message="disk full"
    )
    noting.log.see_alarms(noting.book.alarms)
    (line,) = noting.took()
    assert (line.what, line.kind, line.link, line.about, line.at) == (
        *("raised", "link_inoperable", "main", "main"),
        BEGAN,
    )
    noting.clock.advance(3)
    noting.log.link_state(a_view("live"))
    (line,) = noting.took()
    assert (line.what, line.at, line.since) == ("ended", after(4), BEGAN)
    assert line.message == "the journal cannot be written: disk full"


def test_what_lasts_can_be_said_again() -> None:
    noting = Noting()
    noting.log.link_state(a_view("inoperable", "terms"))
    noting.took()
    (line,) = noting.log.standing(after(60))
    assert (line.what, line.at, line.since, line.name) == (
        *("stands", after(60), BEGAN),
        "link main",
    )
    noting.log.link_state(a_view("live"))
    assert noting.log.standing(after(60)) == []


def test_a_long_text_is_cut() -> None:
    noting = Noting()
    noting.log.link_state(a_view("inoperable", "x" * 10_000))
    (line,) = noting.took()
    assert len(line.message) == MESSAGE_CHARACTERS_MAX


def test_only_known_words_are_noted() -> None:
    noting = Noting()
    noting.log.table_refused(BJ1, Rejection.BAD_MESSAGE)
    assert {line.what for line in noting.took()} <= set(Noted)


def a_view(state: str, reason: str | None = None) -> LinkView:
    return LinkView(link=MAIN, epoch=1, seq=1, at=BEGAN, state=state, reason=reason, meters=())


def test_who_is_not_signed_in_is_told_by_the_codes_of_the_door() -> None:
    assert frozenset(NoSession) == WITHOUT_SESSION
    assert SIGN_IN == LOG_IN


def asked_for(who: str | None, code: str, **details: str) -> str:
    told = {"code": code, **details}
    act = ActRecord(1, after(0), "", who, "10.0.0.7", "view_reports", Outcome.REFUSED, {**told})
    return what_was_asked(act, code)


def test_what_somebody_signed_in_was_refused_is_told_and_of_strangers_nothing() -> None:
    report = "GET /v1/reports/wagers"
    assert asked_for("Ann", "WRONG_ROLE", request=report) == "report wagers"
    day = "POST /v1/days/main/2026-03-06/prepare"
    assert asked_for("Ann", "WRONG_ROLE", request=day) == "gaming day 2026-03-06 of main"
    told = asked_for("Pat", "DAY_STAYS_OPEN", link="main", day="2026-03-06")
    assert told == "gaming day 2026-03-06 of main"
    assert asked_for("Ann", "WRONG_ROLE", request="GET /v1/users") == ""
    # Whoever is nobody could ask for anything: their requests are counted as one.
    assert asked_for(None, "NO_SESSION", request=report) == ""
    assert asked_for("Ann", "SESSION_EXPIRED", request=report) == ""
