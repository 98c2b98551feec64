from typing import Any

import pytest

from progressive.application.floor.alarms import AlarmBook
from progressive.application.floor.alarms_of_acts import AlarmsOfActs
from progressive.application.people.act_log import ActRecord, Outcome
from progressive.application.people.tries import PLACE_TRIES

AT = "2026-01-02T03:04:05.000000Z"
LINKS = {"BJ-01": "main"}


class Log:
    """An act log that a test writes, read into a book."""

    def __init__(self) -> None:
        self.book = AlarmBook()
        self._reader = AlarmsOfActs(self.book, LINKS.get)
        self._seq = 0

    def write(
        self, act: str, outcome: str = "refused", who: str | None = "Ann", **details: str
    ) -> None:
        self._seq += 1
        self._reader.hear(
            ActRecord(self._seq, AT, "", who, "10.0.0.7", act, Outcome(outcome), {**details})
        )

    @property
    def names(self) -> list[str]:
        return list(self.book.alarms)


def test_a_refused_claim_is_an_alarm_of_its_table_and_link() -> None:
    log = Log()

    log.write("table_message", table="BJ-01", code="NOT_WAGERED", message="seat 3 is not lit")

    (alarm,) = log.book.alarms.values()
    assert alarm.alarm == "implausible_input.BJ-01.1"
    assert (alarm.link, alarm.message) == ("main", "NOT_WAGERED: seat 3 is not lit")


def test_five_bad_tries_in_a_row_are_an_alarm_and_four_are_not() -> None:
    log = Log()
    for _ in range(PLACE_TRIES - 1):
        log.write("log_in", code="WRONG_PASSWORD")
    assert log.names == []

    log.write("log_in", code="WRONG_PASSWORD")

    assert log.names == ["log_in_locked.Ann.5"]
    assert "10.0.0.7" in log.book.alarms["log_in_locked.Ann.5"].message


def test_a_try_at_a_locked_account_is_an_alarm_though_the_log_begins_there() -> None:
    log = Log()

    log.write("log_in", code="LOCKED")

    assert log.names == ["log_in_locked.Ann.1"]


@pytest.mark.parametrize(
    "between",
    [
        {"act": "log_in", "outcome": "done"},
        {"act": "manage_users", "outcome": "done", "who": None, "what": "password", "name": "ANN"},
        {"act": "unlock_user", "outcome": "done", "who": "Sue", "what": "unlock", "name": "ann"},
    ],
)
def test_a_good_try_or_a_new_password_forgets_the_bad_ones(between: dict[str, Any]) -> None:
    log = Log()
    for _ in range(PLACE_TRIES - 1):
        log.write("log_in", code="WRONG_PASSWORD")
    log.write(**between)

    log.write("log_in", code="WRONG_PASSWORD")

    assert log.names == []


def test_names_that_nobody_has_lock_nobody() -> None:
    log = Log()
    for _ in range(9):
        log.write("log_in", who=None, code="UNKNOWN_NAME")

    assert log.names == []


def test_an_acknowledgement_in_the_log_is_read_back_with_it() -> None:
    log = Log()
    log.write("table_message", table="BJ-01", code="BAD_CARD", message="")

    log.write("acknowledge_alarm", "refused", alarm="implausible_input.BJ-01.1")
    assert log.names == ["implausible_input.BJ-01.1"]
    log.write("acknowledge_alarm", "done", alarm="implausible_input.BJ-01.1", note="a slip")

    assert log.names == []


@pytest.mark.parametrize("act", ["validate_award", "pay_award", "log_out", "request"])
def test_other_acts_are_no_alarm(act: str) -> None:
    log = Log()

    log.write(act, code="WRONG_ROLE")

    assert log.names == []


@pytest.mark.parametrize("what", ["disable", "remove"])
def test_account_ended_at_the_machine_is_an_alarm(what: str) -> None:
    log = Log()
    log.write("manage_users", "done", who=None, what=what, name="Eve")
    assert log.names == []

    log.write("manage_users", "done", who=None, what=what, name="Eve", unconfirmed=True)

    assert log.names == ["account_ended.Eve.2"]
