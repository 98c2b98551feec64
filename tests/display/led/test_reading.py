"""What an LED driver makes of its feed: never backwards, never fresher than it was told."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from display.led.reading import Reading


def a_snapshot(seq: int = 41, *, epoch: int = 3, cents: int | None = None, **changes: Any) -> str:  # noqa: ANN401
    return json.dumps(
        {
            "type": "snapshot",
            "link": "main",
            "epoch": epoch,
            "seq": seq,
            "at": "2026-01-02T03:04:05Z",
            "state": "live",
            "meters": [{"id": "mega", "name": "Mega", "cents": seq if cents is None else cents}],
            "wins": [],
            **changes,
        }
    )


def an_update(seq: int, *, epoch: int = 3) -> str:
    meters = [{"id": "mega", "cents": seq}]
    return json.dumps(
        {
            "type": "update",
            "epoch": epoch,
            "seq": seq,
            "at": "2026-01-02T03:04:06Z",
            "meters": meters,
        }
    )


def a_tick(seq: int, *, epoch: int = 3) -> str:
    return json.dumps({"type": "tick", "epoch": epoch, "seq": seq, "at": "2026-01-02T03:04:06Z"})


def a_win(seq: int, *, epoch: int = 3, award: str = "main.42.1") -> dict[str, Any]:
    return {
        "type": "win",
        "epoch": epoch,
        "seq": seq,
        "at": "2026-01-02T03:04:06Z",
        "award": award,
        "table": "BJ-01",
        "seat": 5,
        "meter": "mega",
        "line": "three_7_diamonds",
        "amount_cents": 100,
        "next_cents": 10,
    }


def cents(reading: Reading) -> int | None:
    return None if reading.view is None else reading.view.meters[0].cents


def test_nothing_is_known_before_the_first_snapshot() -> None:
    reading = Reading("main")
    for frame in (an_update(5), a_tick(5), json.dumps(a_win(5)), a_snapshot(link="other")):
        reading.hear(frame, 0.0)
    assert reading.view is None
    assert reading.place == (0, 0)


def test_updates_move_the_amounts_and_old_ones_do_not() -> None:
    reading = Reading("main")
    reading.hear(a_snapshot(41), 0.0)
    reading.hear(an_update(45), 1.0)
    assert (cents(reading), reading.place) == (45, (3, 45))
    reading.hear(an_update(44), 2.0)
    reading.hear(a_snapshot(43), 2.0)
    assert (cents(reading), reading.place) == (45, (3, 45))
    assert reading.age_seconds(3.0) == 2.0


def test_ticks_vouch_for_what_is_shown_and_old_ones_do_not() -> None:
    reading = Reading("main")
    reading.hear(a_snapshot(41), 0.0)
    reading.hear(a_tick(41), 5.0)
    assert reading.age_seconds(6.0) == 1.0
    reading.hear(a_tick(40), 6.0)
    reading.hear(a_tick(41, epoch=2), 6.0)
    assert reading.age_seconds(6.0) == 1.0


def test_a_relays_age_counts_from_where_it_began() -> None:
    reading = Reading("main")
    reading.hear(a_snapshot(41, age_ms=60_000), 100.0)
    assert reading.age_seconds(101.0) == 61.0


def test_a_later_epoch_is_later_whatever_its_number() -> None:
    reading = Reading("main")
    reading.hear(a_snapshot(41), 0.0)
    reading.hear(a_snapshot(2, epoch=4), 1.0)
    assert (cents(reading), reading.place) == (2, (4, 2))


@pytest.mark.parametrize(
    ("silence_seconds", "age_ms", "believed"),
    [(9.0, 0, False), (11.0, 0, True), (11.0, 2_999, True), (11.0, 3_001, False)],
)
def test_a_service_restored_from_a_copy_is_believed_once_the_sign_was_stale(
    silence_seconds: float, age_ms: int, believed: bool
) -> None:
    reading = Reading("main")
    reading.hear(a_snapshot(41), 0.0)
    reading.hear(a_snapshot(30, age_ms=age_ms), silence_seconds)
    assert reading.place == ((3, 30) if believed else (3, 41))


def test_the_state_changes_without_a_place() -> None:
    reading = Reading("main")
    reading.hear(a_snapshot(41), 0.0)
    reading.hear('{"type":"state","state":"inoperable","reason":"disk"}', 1.0)
    assert (reading.view.state, reading.view.reason) == ("inoperable", "disk")


def test_wins_come_from_snapshots_and_by_themselves() -> None:
    reading = Reading("main")
    reading.hear(a_snapshot(41, wins=[a_win(40, award="main.40.1")]), 0.0)
    reading.hear(json.dumps(a_win(42)), 1.0)
    assert [win.award for win in reading.take_wins()] == ["main.40.1", "main.42.1"]
    assert reading.take_wins() == []


@pytest.mark.parametrize("frame", ["", "{}", "[]", '{"type":"news"}', "\x00", '{"type":"tick"}'])
def test_what_is_not_understood_is_ignored(frame: str) -> None:
    reading = Reading("main")
    reading.hear(a_snapshot(41), 0.0)
    reading.hear(frame, 5.0)
    assert (cents(reading), reading.age_seconds(5.0)) == (41, 5.0)


FRAMES = st.builds(
    lambda make, seq, epoch: make(seq, epoch=epoch),
    st.sampled_from([a_snapshot, an_update, a_tick]),
    st.integers(1, 20),
    st.integers(1, 3),
)


@given(st.lists(FRAMES, max_size=60))
def test_no_order_of_frames_takes_the_sign_back(frames: list[str]) -> None:
    reading = Reading("main")
    places = [reading.place]
    for frame in frames:
        reading.hear(frame, 0.0)
        places.append(reading.place)
        assert reading.view is None or cents(reading) == reading.view.seq
    assert places == sorted(places)
