"""What the pit is told in changes is what it would have been told at once."""

import itertools

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from progressive.application.people.act_log import ActRecord, Outcome
from progressive.domain.alarms import Alarm, AlarmKind
from progressive.domain.people.roles import Act
from progressive.entry.pit.board import Board, act_row, change_between, snapshot_of
from progressive.wire.meters import NamedMeter
from progressive.wire.pit import ActRow, LinkRow, PitChange, PitSnapshot, SignRow, TableRow

AT = "2026-01-02T03:04:05.000000Z"


def tables() -> st.SearchStrategy[dict[str, TableRow]]:
    row = st.builds(
        lambda state, connected, dealer: (state, connected, dealer),
        st.sampled_from(["idle", "locked"]),
        st.booleans(),
        st.sampled_from([None, "Dan"]),
    )
    return st.fixed_dictionaries(dict.fromkeys(("BJ-01", "BJ-02"), row)).map(
        lambda drawn: {
            name: TableRow(name, "main", state, None, dealer, connected, None)
            for name, (state, connected, dealer) in drawn.items()
        }
    )


def alarms() -> st.SearchStrategy[dict[str, Alarm]]:
    return st.dictionaries(
        st.sampled_from("abcd"), st.sampled_from(["one", "two"]), max_size=4
    ).map(
        lambda drawn: {
            name: Alarm(
                alarm=name,
                kind=AlarmKind.DISK_LOW,
                subject=name,
                link=None,
                at=AT,
                last_at=AT,
                message=message,
            )
            for name, message in drawn.items()
        }
    )


@st.composite
def evenings(draw: st.DrawFn) -> list[Board]:
    """Boards one after another; acts only grow."""
    boards = []
    acts: list[ActRow] = []
    for number in range(draw(st.integers(1, 5))):
        acts = acts + [
            ActRow(len(acts) + each + 1, AT, "Ann", "pay_award", "done", {})
            for each in range(draw(st.integers(0, 3)))
        ]
        meters = (NamedMeter("mega", "Mega", draw(st.integers(0, 2))),)
        boards.append(
            Board(
                links={"main": LinkRow("main", "Main", "live", None, number, AT, meters)},
                tables=draw(tables()),
                signs={"wall": SignRow("wall", "main", True, "live", draw(st.integers(0, 1)), 0)},
                awards={},
                alarms=draw(alarms()),
                acts=acts,
                all_acts=acts,
            )
        )
    return boards


def merged(shown: dict[str, dict[object, object]], change: PitChange) -> None:
    """As the page does it."""
    for section, name in (("links", "id"), ("tables", "id"), ("signs", "id"), ("alarms", "alarm")):
        for row in getattr(change, section):
            shown[section][getattr(row, name)] = row
    for alarm in change.gone.alarms:
        del shown["alarms"][alarm]
    for act in change.acts:
        shown["acts"][act.seq] = act


def sections(snapshot: PitSnapshot) -> dict[str, dict[object, object]]:
    return {
        "links": {row.id: row for row in snapshot.links},
        "tables": {row.id: row for row in snapshot.tables},
        "signs": {row.id: row for row in snapshot.signs},
        "alarms": {row.alarm: row for row in snapshot.alarms},
        "acts": {row.seq: row for row in snapshot.acts},
    }


@given(evenings())
def test_a_snapshot_and_all_changes_give_the_last_snapshot(boards: list[Board]) -> None:
    shown = sections(snapshot_of(boards[0], AT, watcher=False))
    for before, after in itertools.pairwise(boards):
        change = change_between(before, after, AT, watcher=False)
        if change is not None:
            merged(shown, change)
    assert shown == sections(snapshot_of(boards[-1], AT, watcher=False))


@given(evenings())
def test_nothing_is_told_where_nothing_changed(boards: list[Board]) -> None:
    assert change_between(boards[0], boards[0], AT, watcher=True) is None


def a_record(act: str) -> ActRecord:
    return ActRecord(1, AT, "", "Ann", "10.0.0.7", act, Outcome.DONE, {"award": "main.5.1"})


@pytest.mark.parametrize(
    ("act", "for_the_pit"),
    [
        (Act.VALIDATE_AWARD, True),
        (Act.PAY_AWARD, True),
        (Act.ACKNOWLEDGE_ALARM, True),
        ("table_message", True),
        ("log_in", False),
        (Act.MANAGE_USERS, False),
        (Act.PROPOSE_CORRECTION, False),
        ("request", False),
    ],
)
def test_the_pit_sees_acts_of_the_pit_and_never_from_where(act: str, for_the_pit: bool) -> None:
    row = act_row(a_record(act), watcher=False)
    assert (row is not None) is for_the_pit
    if row is not None:
        assert b"10.0.0.7" not in msgspec.json.encode(row)
    watched = act_row(a_record(act), watcher=True)
    assert watched is not None
    assert watched.where == "10.0.0.7"
