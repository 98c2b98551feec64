from progressive.application.floor.alarms import ALARMS_MAX, AlarmBook
from progressive.domain.alarms import AlarmKind

AT = "2026-01-02T03:04:05.000000Z"
LATER = "2026-01-02T03:05:05.000000Z"
LOST = AlarmKind.TABLE_LOST
CLAIM = AlarmKind.IMPLAUSIBLE_INPUT


def a_book(*, lasts: bool = True) -> tuple[AlarmBook, str]:
    book = AlarmBook()
    book.raise_alarm(LOST, "BJ-01", at=AT, message="no contact", link="main", lasts=lasts)
    (name,) = book.alarms
    return book, name


def test_an_alarm_is_named_after_what_where_and_when() -> None:
    assert a_book()[1] == "table_lost.BJ-01.20260102T030405.000000Z"


def test_raising_what_stands_changes_only_its_message() -> None:
    book, name = a_book()

    book.raise_alarm(LOST, "BJ-01", at=LATER, message="a round is open", link="main")

    (alarm,) = book.alarms.values()
    assert (alarm.alarm, alarm.at, alarm.count) == (name, AT, 1)
    assert alarm.message == "a round is open"


def test_what_is_over_stays_until_acknowledged() -> None:
    book, name = a_book()

    book.end(LOST, "BJ-01", at=LATER)

    assert book.alarms[name].over
    book.acknowledge(name, by="Ann", at=LATER)
    assert book.alarms == {}


def test_what_is_acknowledged_stays_until_over() -> None:
    book, name = a_book()

    book.acknowledge(name, by="Ann", at=LATER, note="cable")

    assert book.alarms[name].acknowledged_by == "Ann"
    assert book.alarms[name].note == "cable"
    book.end(LOST, "BJ-01", at=LATER)
    assert book.alarms == {}


def test_the_first_acknowledgement_counts() -> None:
    book, name = a_book()

    book.acknowledge(name, by="Ann", at=LATER)
    book.acknowledge(name, by="Sue", at=LATER)
    book.acknowledge("nothing", by="Sue", at=LATER)

    assert book.alarms[name].acknowledged_by == "Ann"


def test_what_comes_again_before_anybody_looked_is_counted() -> None:
    book, name = a_book()
    book.end(LOST, "BJ-01", at=LATER)

    book.raise_alarm(LOST, "BJ-01", at=LATER, message="no contact")

    alarm = book.alarms[name]
    assert (alarm.count, alarm.over, alarm.last_at) == (2, False, LATER)


def test_what_comes_again_afterwards_is_another_alarm() -> None:
    book, name = a_book()
    book.acknowledge(name, by="Ann", at=LATER)
    book.end(LOST, "BJ-01", at=LATER)

    book.raise_alarm(LOST, "BJ-01", at=LATER, message="no contact")

    (alarm,) = book.alarms.values()
    assert alarm.alarm != name
    assert alarm.acknowledged_by is None


def test_a_moment_stays_until_acknowledged_and_is_counted() -> None:
    book = AlarmBook()
    for mark in ("7", "8"):
        book.raise_alarm(CLAIM, "BJ-01", at=AT, message=f"no {mark}", lasts=False, mark=mark)

    (alarm,) = book.alarms.values()
    assert (alarm.alarm, alarm.count, alarm.message) == ("implausible_input.BJ-01.7", 2, "no 8")
    book.acknowledge(alarm.alarm, by="Ann", at=LATER)
    assert book.alarms == {}


def test_ending_what_never_was_changes_nothing() -> None:
    book, name = a_book()

    book.end(LOST, "BJ-02", at=LATER)
    book.end(AlarmKind.SIGN_STALE, "BJ-01", at=LATER)

    assert not book.alarms[name].over


def test_a_full_book_lets_go_of_the_least_pressing() -> None:
    book = AlarmBook()
    for number in range(ALARMS_MAX):
        book.raise_alarm(LOST, f"T{number}", at=AT, message="no contact")
    names = list(book.alarms)
    book.acknowledge(names[5], by="Ann", at=LATER)
    book.end(LOST, "T7", at=LATER)

    for number in range(3):
        book.raise_alarm(LOST, f"new {number}", at=LATER, message="no contact")

    assert len(book.alarms) == ALARMS_MAX
    gone = [name for name in names if name not in book.alarms]
    assert gone == [names[0], names[5], names[7]]
