"""The feed's snapshot: what is shown now, and what somebody who was away has missed."""

import json

import pytest
from msgspec import structs

from progressive.wire.codec import decode_feed
from progressive.wire.feed import (
    FeedEncoding,
    LinkView,
    MeterView,
    Place,
    WinView,
    place_named,
    view_of,
    win_of,
)
from progressive.wire.feed_messages import Snapshot, Tick, Win

NOW = "2026-01-01T12:00:00.000000Z"


def a_win(epoch: int, seq: int, at: str) -> WinView:
    return WinView(epoch, seq, at, f"main.{seq}.1", "BJ-01", 3, "mega", "three_7", 900, 100)


LONG_AGO = a_win(1, 10, "2026-01-01T11:00:00.000000Z")
AGO = a_win(2, 20, "2026-01-01T11:59:00.000000Z")
JUST_NOW = a_win(2, 30, "2026-01-01T11:59:50.000000Z")
VIEW = LinkView(
    link="main",  # type: ignore[arg-type]
    epoch=2,
    seq=31,
    at=NOW,
    state="live",
    reason=None,
    meters=(MeterView("mega", "Mega", 100),),
    wins=(LONG_AGO, AGO, JUST_NOW),
)


def snapshot(after: Place | None, age_ms: int = 0) -> Snapshot:
    told = decode_feed(FeedEncoding(lambda: NOW).snapshot(VIEW, after, age_ms=age_ms))
    assert isinstance(told, Snapshot)
    return told


@pytest.mark.parametrize(
    ("after", "missed"),
    [
        (None, [JUST_NOW]),
        ((9, 0), [JUST_NOW]),
        ((2, 21), [JUST_NOW]),
        # The very place of a win: its amounts may have come through, and the win not.
        ((2, 20), [AGO, JUST_NOW]),
        ((1, 11), [AGO, JUST_NOW]),
        ((0, 0), [LONG_AGO, AGO, JUST_NOW]),
    ],
)
def test_who_is_back_finds_the_wins_it_missed(after: Place | None, missed: list[WinView]) -> None:
    assert [win.award for win in snapshot(after).wins] == [win.award for win in missed]


def test_a_snapshot_read_is_the_view_it_was_made_of() -> None:
    assert view_of(snapshot((0, 0))) == VIEW
    assert view_of(snapshot(None)) == structs.replace(VIEW, wins=(JUST_NOW,))


def test_win_carries_the_names_of_its_line() -> None:
    """Of one that no game has, none: the sign then leaves it out."""
    encoding = FeedEncoding(lambda: NOW)
    known = structs.replace(JUST_NOW, line="three_7_color")
    assert json.loads(encoding.win(known))["line_names"] == {
        "en": "Three 7s of the same color",
        "es": "Tres 7 del mismo color",
        "zh": "三张同色 7",
    }
    assert json.loads(encoding.win(JUST_NOW))["line_names"] == {}


def test_names_are_passed_on_as_they_came_and_added_where_an_older_service_has_none() -> None:
    encoding = FeedEncoding(lambda: NOW)
    said = structs.replace(JUST_NOW, line="three_7_color", line_names={"en": "Same color, thrice"})
    message = decode_feed(encoding.win(said))
    assert isinstance(message, Win)
    assert win_of(message) == said
    old = json.loads(encoding.win(said))
    del old["line_names"]
    message = decode_feed(json.dumps(old))
    assert isinstance(message, Win)
    relayed = json.loads(encoding.win(win_of(message)))
    assert relayed["line_names"]["en"] == "Three 7s of the same color"


def test_age_travels_with_the_amounts() -> None:
    assert (snapshot(None).age_ms, snapshot(None, 4_000).age_ms) == (0, 4_000)


@pytest.mark.parametrize(
    ("epoch", "seq", "place"),
    [
        ("3", "14", (3, 14)),
        ("0", "0", (0, 0)),
        ("", "", None),
        ("3", "", None),
        ("-1", "2", None),
        ("1.5", "2", None),
        ("٣", "2", None),
        ("9" * 5_000, "2", None),
    ],
)
def test_a_place_is_two_plain_numbers_or_none(epoch: str, seq: str, place: Place | None) -> None:
    assert place_named(epoch, seq) == place


@pytest.mark.parametrize("frame", [b"", b"{}", b"[]", b'{"type":"weather"}', b'{"type":"tick"}'])
def test_what_a_reader_does_not_know_is_nothing_to_it(frame: bytes) -> None:
    assert decode_feed(frame) is None


def test_a_field_more_is_no_reason_to_refuse_a_message() -> None:
    frame = b'{"type":"tick","epoch":1,"seq":2,"at":"x","mood":"fine"}'
    assert decode_feed(frame) == Tick(1, 2, "x")
