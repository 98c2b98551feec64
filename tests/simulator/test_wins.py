"""Wins on the signs against the awards that tables were told of."""

import pytest
from msgspec import structs

from progressive.simulator.wins import WinWatch, Won

WON = Won("main.8.1", 8, "A", 3, "minor", "three_7_color", 300_000, 250_000)


@pytest.fixture
def watch() -> WinWatch:
    """A sign that has been there since record 5."""
    watch = WinWatch(since_seq=5, own_tables=["A"], currency="USD")
    assert watch.connected(5, []) == []
    return watch


def test_the_sign_may_be_faster_than_the_tables_answer(watch: WinWatch) -> None:
    assert watch.moved(8) + watch.shown(WON) + watch.awarded(WON) + watch.finish() == []


def test_the_answer_may_be_faster_than_the_sign(watch: WinWatch) -> None:
    assert watch.awarded(WON) == []
    assert watch.awaits
    assert watch.moved(9) + watch.shown(WON) + watch.finish() == []
    assert not watch.awaits


def test_a_win_comes_before_any_newer_values(watch: WinWatch) -> None:
    assert watch.awarded(WON) + watch.moved(9) == []
    (late,) = watch.moved(10)
    assert late.line() == (
        "A on the signs: expected win main.8.1 in record 8: minor $3,000.00 for three_7_color at "
        "seat 3 of A, next $2,500.00 at once on the signs, came newer values"
    )


def test_a_win_that_never_comes_is_found_at_the_end(watch: WinWatch) -> None:
    watch.awarded(WON)
    assert len(watch.finish()) == 1


def test_what_was_won_while_the_feed_was_away_is_not_asked_of_it(watch: WinWatch) -> None:
    watch.disconnected()
    assert watch.awarded(WON) == []
    assert watch.connected(12, []) + watch.moved(13) + watch.moved(14) + watch.finish() == []


def test_what_is_shown_once_more_after_a_reconnection_is_no_second_win(watch: WinWatch) -> None:
    assert watch.awarded(WON) + watch.shown(WON) == []
    watch.disconnected()
    assert watch.connected(12, [WON]) + watch.finish() == []


def test_a_snapshot_may_tell_of_a_win_before_the_answer_does(watch: WinWatch) -> None:
    watch.disconnected()
    assert watch.connected(12, [WON]) + watch.awarded(WON) + watch.finish() == []


def test_wins_from_before_the_run_are_nobodys_business() -> None:
    watch = WinWatch(since_seq=20, own_tables=["A"])
    assert watch.connected(20, [WON]) + watch.finish() == []


def test_wins_of_others_are_kept_to_explain_their_meters(watch: WinWatch) -> None:
    assert watch.shown(structs.replace(WON, table="B")) + watch.finish() == []
    assert list(watch.others_won) == [("minor", 8)]


def test_what_a_lost_table_won_is_like_anothers(watch: WinWatch) -> None:
    assert watch.shown(WON) == []
    watch.forget("A")
    assert watch.finish() == []
    assert list(watch.others_won) == [("minor", 8)]


def test_one_award_is_told_once(watch: WinWatch) -> None:
    watch.awarded(WON)
    watch.shown(WON)
    assert len(watch.awarded(WON)) == 1


def test_a_node_that_was_behind_the_one_before_may_show_a_win_once_more(watch: WinWatch) -> None:
    assert watch.awarded(WON) + watch.moved(8) + watch.shown(WON) == []
    watch.disconnected()
    assert watch.connected(6, []) + watch.shown(WON) + watch.moved(8) == []
    later = structs.replace(WON, award="main.9.1", seq=9)
    assert watch.awarded(later) + watch.shown(later) == []
    (again,) = watch.shown(later)
    assert "every win once" in again.line()


def test_a_win_that_was_awaited_at_a_snapshot_may_come_behind_it_once(watch: WinWatch) -> None:
    """A node that hung goes on: it says its state, and then what another one wrote meanwhile."""
    assert watch.awarded(WON) + watch.connected(6, []) + watch.shown(WON) == []
    (again,) = watch.shown(WON)
    assert "every win once" in again.line()
