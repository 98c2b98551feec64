"""Wins on an LED sign: each once, each for its full time, one after the other."""

from display.led.wins import WAITING_MAX, WinQueue
from tests.support.led import a_win


def test_a_win_has_its_time_from_when_it_is_on_the_glass() -> None:
    wins = WinQueue(20.0)
    wins.announce([a_win()])
    assert wins.current(0.0) == a_win()
    assert wins.current(500.0) == a_win()  # The line was away all the time.
    wins.on_glass(500.0)
    wins.on_glass(510.0)
    assert wins.current(519.0) == a_win()
    assert wins.current(520.0) is None


def test_several_wins_queue_and_none_comes_twice() -> None:
    wins = WinQueue(20.0)
    first, second = a_win(), a_win(award="main.42.2", seat=2)
    wins.announce([first, second])
    wins.announce([first])
    assert wins.current(0.0) == first
    wins.on_glass(0.0)
    assert wins.current(20.0) == second
    wins.announce([first, second])
    wins.on_glass(20.0)
    assert wins.current(40.0) is None


def test_more_wins_than_anybody_would_watch_lose_the_oldest() -> None:
    wins = WinQueue(1.0)
    wins.announce(a_win(award=f"main.{number}.1") for number in range(600))
    now, shown = 0.0, []
    while (win := wins.current(now)) is not None:
        shown.append(win.award)
        wins.on_glass(now)
        now += 1.0
    assert shown == [f"main.{number}.1" for number in range(600 - WAITING_MAX, 600)]


def test_an_award_of_nothing_or_of_less_than_the_wager_is_not_celebrated() -> None:
    wins = WinQueue(1.0)
    wins.announce(
        [
            a_win(award="main.42.2", amount_cents=0, wager_cents=500),
            a_win(award="main.42.3", amount_cents=499, wager_cents=500),
            a_win(award="main.42.4", amount_cents=0),
        ]
    )
    assert wins.current(0.0) is None
    even = a_win(award="main.42.5", amount_cents=500, wager_cents=500)
    wins.announce([even])
    assert wins.current(0.0) == even
