"""Several feeds of one link, one view: never backwards, never invented, no win lost or doubled."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from display.mirror import FRESH_MS, STALE_MS, TICK_MS, WINS_KEPT, Heard, LinkMirror
from progressive.wire.feed import LinkView
from progressive.wire.feed_messages import FeedMessage, Snapshot, StateChanged, Tick, Win
from tests.support.feeds import (
    NAMES,
    History,
    Moment,
    Place,
    inoperable,
    live,
    snapshot,
    tick,
    update,
)

STALE = STALE_MS / 1000 + 0.1


class Reader:
    """A mirror with a clock that the test turns."""

    def __init__(self, *sources: str) -> None:
        self.mirror = LinkMirror("main", sources or ("a", "b"))
        self.now = 1_000.0

    def hear(self, message: FeedMessage, source: str = "a", after: float = 0.0) -> Heard:
        self.now += after
        return self.mirror.hear(source, message, self.now)

    @property
    def view(self) -> LinkView:
        assert self.mirror.view is not None
        return self.mirror.view

    @property
    def age_ms(self) -> int:
        return self.mirror.age_ms(self.now)

    def shows(self, moment: Moment) -> bool:
        cents = {meter.id: meter.cents for meter in self.view.meters}
        return (self.mirror.place, cents) == (moment.place, moment.cents)


@pytest.fixture
def reader() -> Reader:
    return Reader()


# --- any order of frames ----------------------------------------------------------------------

steps = st.lists(st.sampled_from(["grow", "grow", "grow", "win", "restart"]), max_size=40)


@st.composite
def told(draw: st.DrawFn) -> tuple[History, list[tuple[str, FeedMessage, float]]]:
    """A history, and what several sources tell of it: delayed, repeated, in any order.

    Each source begins somewhere and skips updates as it likes; the lot of it is then drawn from
    with repetition. Mostly little time passes in between, now and then enough to become stale.
    """
    history = History()
    for step in draw(steps):
        getattr(history, step)()
    frames: list[tuple[str, FeedMessage]] = []
    for source in ("a", "b", "c"):
        for begins in draw(st.lists(st.integers(0, len(history.moments) - 1), max_size=3)):
            age_ms = draw(st.sampled_from([0, 0, 0, 500, 5_000, 20_000]))
            frames.append((source, snapshot(history.moments[begins], age_ms=age_ms)))
            known = len(history.moments[begins].wins)
            for moment in history.moments[begins + 1 :]:
                if draw(st.booleans()):
                    frames.append((source, update(moment)))
                frames += [(source, win) for win in moment.wins[known:]]
                known = len(moment.wins)
                if draw(st.booleans()):
                    frames.append((source, tick(moment)))
            frames.append((source, draw(st.sampled_from([inoperable(), live()]))))
    if not frames:
        return history, []
    picked = draw(st.lists(st.integers(0, len(frames) - 1), max_size=120))
    pause = st.sampled_from([0.0, 0.0, 0.05, 0.05, 0.3, 1.0, 4.0, 11.0])
    return history, [(*frames[index], draw(pause)) for index in picked]


def awards_in(message: FeedMessage) -> list[Win]:
    match message:
        case Snapshot():
            return message.wins
        case Win():
            return [message]
        case _:
            return []


@given(told())
def test_view_is_always_a_true_one_and_never_goes_back(
    case: tuple[History, list[tuple[str, FeedMessage, float]]],
) -> None:
    history, frames = case
    reader = Reader("a", "b", "c")
    before: Place | None = None
    for source, message, pause in frames:
        reader.now += pause
        was_stale = reader.mirror.is_stale(reader.now)
        heard = reader.hear(message, source)
        if reader.mirror.view is None:
            continue
        place = reader.mirror.place
        assert reader.shows(history.at(place)), "amounts are the history's at that place"
        assert {meter.id: meter.name for meter in reader.view.meters} == NAMES
        if before is not None and place < before:
            assert was_stale, "back only when nobody vouched for it any more"
            assert heard.whole
            assert reader.age_ms < FRESH_MS, "and only to what is vouched for"
        if before is not None and place != before:
            assert heard.moved
        before = place


@given(told())
def test_every_win_is_told_once(
    case: tuple[History, list[tuple[str, FeedMessage, float]]],
) -> None:
    _, frames = case
    reader = Reader("a", "b", "c")
    passed_on: list[str] = []
    carried: set[str] = set()
    for source, message, pause in frames:
        began = reader.mirror.view is None
        heard = reader.hear(message, source, pause)
        carried |= {win.award for win in awards_in(message)}
        if began and reader.mirror.view is not None:
            # Whoever reads from now on finds these in the snapshot.
            passed_on += [win.award for win in reader.view.wins]
        passed_on += [win.award for win in heard.wins]
    if reader.mirror.view is not None:
        assert len(passed_on) == len(set(passed_on)), "none twice"
        assert set(passed_on) == carried, "none lost"
        kept = [win.at for win in reader.view.wins]
        assert kept == sorted(kept)
        assert {win.award for win in reader.view.wins} == carried


@given(told())
def test_amounts_are_never_called_younger_than_the_last_word_for_them(
    case: tuple[History, list[tuple[str, FeedMessage, float]]],
) -> None:
    _, frames = case
    reader = Reader("a", "b", "c")
    words: dict[Place, float] = {}
    ticks: set[str] = set()
    for source, message, pause in frames:
        heard = reader.hear(message, source, pause)
        repeated = isinstance(message, Tick) and message.at in ticks
        if not isinstance(message, Win | StateChanged) and not repeated:
            age = message.age_ms / 1000 if isinstance(message, Snapshot) else 0.0
            place = (message.epoch, message.seq)
            words[place] = max(words.get(place, 0.0), reader.now - age)
        if isinstance(message, Tick):
            ticks.add(message.at)
        if reader.mirror.view is not None:
            truth_ms = int((reader.now - words[reader.mirror.place]) * 1000)
            assert reader.age_ms >= truth_ms
        if heard.tick:
            assert reader.age_ms < FRESH_MS, "no sign of life for what nobody vouches for"


@given(told())
def test_hearing_everything_twice_changes_nothing(
    case: tuple[History, list[tuple[str, FeedMessage, float]]],
) -> None:
    _, frames = case
    once, twice = Reader("a", "b", "c"), Reader("a", "b", "c")
    for source, message, pause in frames:
        once.hear(message, source, pause)
        twice.hear(message, source, pause)
        heard = twice.hear(message, source)
        assert (heard.moved, heard.wins, heard.tick) == (False, (), False)
        assert once.mirror.view == twice.mirror.view


# --- going on ---------------------------------------------------------------------------------


def test_nothing_is_known_before_a_snapshot(reader: Reader) -> None:
    history = History().grow()
    for message in (update(history.last), tick(history.last), live()):
        assert reader.hear(message) == Heard()
        assert reader.mirror.view is None


def test_first_snapshot_is_passed_on_whole(reader: Reader) -> None:
    history = History().win()
    heard = reader.hear(snapshot(history.last))
    assert (heard.moved, heard.whole, heard.wins) == (True, True, ())
    assert [win.award for win in reader.view.wins] == ["main.2.1"]


def test_snapshot_of_another_link_is_not_heard(reader: Reader) -> None:
    stray = Snapshot("other", 1, 1, "", "live", [], [])
    assert reader.hear(stray) == Heard()
    assert reader.mirror.view is None


def test_whichever_source_is_newest_wins(reader: Reader) -> None:
    history = History().grow().grow().grow()
    first, second, third, fourth = history.moments
    reader.hear(snapshot(second), "a")
    reader.hear(snapshot(first), "b")
    assert reader.shows(second)
    assert reader.hear(update(third), "b").moved
    assert not reader.hear(update(third), "a").moved
    assert reader.hear(update(fourth), "a").moved
    assert reader.shows(fourth)


def test_another_epoch_is_passed_on_whole(reader: Reader) -> None:
    history = History().grow().restart()
    reader.hear(snapshot(history.moments[1]))
    assert reader.hear(snapshot(history.last)).whole


def test_win_that_only_a_slower_source_still_carries_is_told(reader: Reader) -> None:
    history = History().win().grow()
    reader.hear(snapshot(history.moments[0]), "a")
    reader.hear(update(history.last), "a")
    heard = reader.hear(history.last.wins[0], "b")
    assert [win.award for win in heard.wins] == ["main.2.1"]
    assert reader.hear(history.last.wins[0], "a").wins == ()


def test_wins_kept_are_the_last_ones(reader: Reader) -> None:
    history = History()
    for _ in range(WINS_KEPT + 10):
        history.win()
    reader.hear(snapshot(history.moments[0]))
    for moment in history.moments[1:]:
        assert len(reader.hear(moment.wins[-1]).wins) == 1
    assert [win.award for win in reader.view.wins] == [
        win.award for win in history.last.wins[-WINS_KEPT:]
    ]
    # Forgotten by the ring is not forgotten as told.
    assert reader.hear(history.moments[1].wins[0]).wins == ()


# --- age --------------------------------------------------------------------------------------


def test_age_counts_from_what_the_source_admits(reader: Reader) -> None:
    history = History()
    reader.hear(snapshot(history.last, age_ms=4_000))
    assert reader.age_ms == 4_000
    reader.now += 2
    assert reader.age_ms == 6_000
    reader.hear(tick(history.last))
    assert reader.age_ms == 0


def test_tick_for_another_place_vouches_for_nothing(reader: Reader) -> None:
    history = History().grow().grow()
    before, shown, ahead = history.moments
    reader.hear(snapshot(shown))
    for moment in (before, ahead):
        heard = reader.hear(tick(moment), after=2.0)
        assert not heard.tick
    assert reader.age_ms == 4_000


def test_tick_ahead_is_passed_on_with_its_amounts(reader: Reader) -> None:
    history = History().grow()
    reader.hear(snapshot(history.moments[0]))
    ticked = tick(history.last)
    assert not reader.hear(ticked).tick
    heard = reader.hear(update(history.last), after=0.1)
    assert (heard.moved, heard.tick, reader.mirror.tick_at) == (True, True, ticked.at)


def test_two_sources_tick_no_faster_than_one(reader: Reader) -> None:
    history = History()
    for source in ("a", "b"):
        reader.hear(snapshot(history.last), source)
    assert reader.hear(tick(history.last), "a").tick
    assert not reader.hear(tick(history.last), "b", after=TICK_MS / 1000 - 0.01).tick
    assert reader.hear(tick(history.last), "b", after=0.02).tick


def test_first_word_after_silence_is_passed_on_whole(reader: Reader) -> None:
    history = History()
    reader.hear(snapshot(history.last))
    assert not reader.hear(tick(history.last), after=STALE_MS / 1000 - 0.1).whole
    assert reader.hear(tick(history.last), after=STALE).whole
    assert not reader.hear(tick(history.last), after=1.0).whole


def test_a_word_repeated_makes_no_amount_younger(reader: Reader) -> None:
    history = History().grow()
    frames = [snapshot(history.moments[0]), update(history.last), tick(history.last)]
    for frame in frames:
        reader.hear(frame)
    for _ in range(20):
        for frame in frames:
            heard = reader.hear(frame, after=0.5)
            assert (heard.moved, heard.tick) == (False, False)
    assert reader.age_ms == 30_000
    assert reader.shows(history.last)


def test_two_relays_that_feed_each_other_do_not_keep_amounts_alive() -> None:
    history = History()
    here, there = Reader("service", "there"), Reader("service", "here")
    for reader in (here, there):
        reader.hear(snapshot(history.last), "service")
    here.hear(snapshot(history.last), "there")
    there.hear(snapshot(history.last), "here")
    # The service's last word reaches one of them, and then echoes, however slow the lines.
    last = tick(history.last)
    assert here.hear(last, "service").tick
    assert there.hear(last, "here", after=2.0).tick
    assert not here.hear(last, "there", after=4.0).tick
    assert here.age_ms == 4_000


# --- a service restored from a copy -----------------------------------------------------------


def test_step_back_is_believed_once_nobody_vouches_for_what_is_shown(reader: Reader) -> None:
    restored, history = History(epoch=2, seq=5), History(epoch=3, seq=50)
    reader.hear(snapshot(history.last))
    reader.mirror.lost("a")
    assert reader.hear(snapshot(restored.last), after=5.0) == Heard()
    assert reader.shows(history.last)
    # No other snapshot comes, but the source goes on.
    assert not reader.hear(tick(restored.last), after=5.0).moved
    heard = reader.hear(update(restored.grow().last), after=0.5)
    assert (heard.moved, heard.whole) == (True, True)
    assert reader.shows(restored.last)
    assert reader.age_ms == 0


def test_step_back_to_old_amounts_is_not_believed_however_stale_the_shown_ones(
    reader: Reader,
) -> None:
    older, history = History(epoch=2), History(epoch=3)
    reader.hear(snapshot(history.last))
    assert reader.hear(snapshot(older.last, age_ms=FRESH_MS), "b", after=60.0) == Heard()
    assert reader.shows(history.last)


def test_step_back_is_not_believed_of_a_standby_that_cannot_follow(reader: Reader) -> None:
    history = History(epoch=3, seq=50).grow().grow()
    behind = snapshot(history.moments[0], state="inoperable")
    reader.hear(snapshot(history.last))
    reader.hear(behind, "b", after=1.0)
    reader.mirror.lost("a")
    assert not reader.hear(tick(history.moments[0]), "b", after=STALE).moved
    assert reader.shows(history.last)
    # It takes over, with all that the leader wrote, under an epoch of its own.
    led = History(epoch=4, seq=53)
    assert reader.hear(snapshot(led.last), "b", after=1.0).whole
    assert reader.shows(led.last)


def test_step_back_in_the_middle_of_a_feed_is_believed_when_it_lasts(reader: Reader) -> None:
    # A relay in between believed it a moment ago: to this reader ten seconds are not yet over.
    restored, history = History(epoch=2, seq=5), History(epoch=3, seq=50)
    reader.hear(snapshot(history.last))
    assert not reader.hear(snapshot(restored.last), after=STALE_MS / 1000 - 0.1).moved
    assert reader.hear(tick(restored.last), after=1.0).whole
    assert reader.shows(restored.last)


def test_old_snapshot_repeated_in_the_middle_of_a_feed_is_never_believed(reader: Reader) -> None:
    history = History().grow()
    reader.hear(snapshot(history.moments[0]))
    reader.hear(update(history.last))
    reader.hear(snapshot(history.moments[0]), after=5.0)
    reader.hear(tick(history.last), after=4.0)
    assert not reader.hear(tick(history.last), after=STALE).moved
    assert reader.shows(history.last)


def test_award_name_given_again_by_a_restored_service_is_another_win(reader: Reader) -> None:
    history, restored = History(epoch=3).win(), History(epoch=2).win()
    assert history.last.wins[0].award == restored.last.wins[0].award
    reader.hear(snapshot(history.last))
    heard = reader.hear(snapshot(restored.last), "b", after=STALE)
    assert len(heard.wins) == 1


# --- state ------------------------------------------------------------------------------------


def test_state_is_passed_on_once_and_back_in_service_whole(reader: Reader) -> None:
    history = History()
    for source in ("a", "b"):
        reader.hear(snapshot(history.last), source)
    heard = reader.hear(inoperable(), "a")
    assert (heard.state, heard.whole, reader.view.reason) == (True, False, "out of order")
    assert not reader.hear(inoperable(), "b").state
    heard = reader.hear(live(), "a")
    assert (heard.state, heard.whole, reader.view.state) == (True, True, "live")


def test_delayed_state_of_a_second_source_does_not_count_while_the_first_speaks(
    reader: Reader,
) -> None:
    history = History()
    for source in ("a", "b"):
        reader.hear(snapshot(history.last), source)
    assert not reader.hear(inoperable(), "b").state
    assert reader.view.state == "live"
    # The first falls silent: now the second one's word counts.
    assert reader.hear(tick(history.last), "b", after=FRESH_MS / 1000 + 1).state
    assert reader.view.state == "inoperable"


def test_state_of_a_source_that_is_behind_does_not_count(reader: Reader) -> None:
    history = History().grow()
    reader.hear(snapshot(history.moments[0]), "a")
    reader.hear(snapshot(history.last), "b")
    assert not reader.hear(inoperable(), "a").state
    # Until it has caught up: then it is the preferred one again.
    assert reader.hear(update(history.last), "a").state


def test_old_word_does_not_take_a_link_out_of_service(reader: Reader) -> None:
    history = History()
    reader.hear(snapshot(history.last), "b")
    aged = snapshot(history.last, state="inoperable", age_ms=STALE_MS + 1)
    assert reader.hear(aged, "a") == Heard()
    assert (reader.view.state, reader.age_ms) == ("live", 0)


def test_service_that_knows_nothing_any_more_is_believed_in_the_end(reader: Reader) -> None:
    history = History(epoch=3, seq=50)
    nothing = Snapshot("main", 0, 0, "", "inoperable", [], [], "the journal is broken")
    reader.hear(snapshot(history.last))
    reader.mirror.lost("a")
    assert reader.hear(nothing, after=1.0) == Heard()
    heard = reader.hear(Tick(0, 0, "later"), after=STALE)
    assert (heard.moved, heard.state, heard.whole) == (True, True, True)
    assert (reader.view.meters, reader.view.reason) == ((), "the journal is broken")
