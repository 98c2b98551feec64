"""A relay speaks for the signs it may speak for: asked once in a while, kept in order."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request

from progressive.live import relay_desk
from progressive.live.relay_desk import RelayDesk
from progressive.wire.feed_messages import Showing, Showings, SignReport

REQUEST = make_mocked_request("GET", "/v1/links/main/feed?relay=north")


class Notes:
    """What was noted, and who was asked about."""

    def __init__(self) -> None:
        self.noted: list[tuple[str, int, int]] = []
        self.asked: list[str] = []
        self.refused: set[str] = set()

    def on_showing(self, sign: str, showing: Showing, *, age_ms: int) -> None:
        self.noted.append((sign, showing.seq, age_ms))

    async def admits(self, request: web.Request, sign: str) -> bool:
        assert request is REQUEST
        self.asked.append(sign)
        await asyncio.sleep(0)
        return sign not in self.refused


def showings(*signs: str, seq: int = 1, age_ms: int = 0) -> Showings:
    return Showings("showings", tuple(SignReport(sign, seq, age_ms=age_ms) for sign in signs))


@pytest.fixture
def notes() -> Notes:
    return Notes()


@pytest.fixture
def desk(notes: Notes) -> RelayDesk:
    return RelayDesk(REQUEST, notes.admits, notes.on_showing)


async def test_reports_are_noted_in_order_with_their_age(desk: RelayDesk, notes: Notes) -> None:
    desk.take(showings("a", "b", seq=1, age_ms=900))
    desk.take(showings("a", seq=2))
    await desk.close()
    assert notes.noted == [("a", 1, 900), ("b", 1, 900), ("a", 2, 0)]


async def test_a_sign_is_asked_about_once_in_a_while(
    desk: RelayDesk, notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(5):
        desk.take(showings("a", "b"))
    await desk.close()
    assert notes.asked == ["a", "b"]
    monkeypatch.setattr(relay_desk, "ADMITTED_SECONDS", -1.0)
    again = RelayDesk(REQUEST, notes.admits, notes.on_showing)
    again.take(showings("a", "a"))
    await again.close()
    assert notes.asked == ["a", "b", "a", "a"]


async def test_what_it_may_not_speak_for_does_not_count(desk: RelayDesk, notes: Notes) -> None:
    notes.refused = {"keyed"}
    desk.take(showings("open", "keyed"))
    await desk.close()
    assert notes.noted == [("open", 1, 0)]


async def test_who_cannot_tell_has_not_said_yes_and_is_asked_again(notes: Notes) -> None:
    answers: list[Callable[[], Awaitable[bool]]] = []

    async def admits(request: web.Request, sign: str) -> bool:
        if not answers:
            answers.append(lambda: notes.admits(request, sign))
            raise web.HTTPServiceUnavailable
        return await answers[0]()

    desk = RelayDesk(REQUEST, admits, notes.on_showing)
    desk.take(showings("a", seq=1))
    desk.take(showings("a", seq=2))
    await desk.close()
    assert notes.noted == [("a", 2, 0)]


async def test_memory_of_answers_and_line_are_bounded(
    notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relay_desk, "SIGNS_MAX", 3)
    monkeypatch.setattr(relay_desk, "WAITING_MAX", 2)
    desk = RelayDesk(REQUEST, notes.admits, notes.on_showing)
    for number in range(10):
        desk.take(showings(f"sign-{number}"))
        assert len(desk._waiting) <= 2
    await desk.close()
    assert [sign for sign, _, _ in notes.noted] == ["sign-8", "sign-9"]
    for number in range(10):
        desk.take(showings(f"sign-{number}"))
        await desk.close()
        assert len(desk._admitted) <= 3


async def test_without_a_keeper_everybody_may(notes: Notes) -> None:
    desk = RelayDesk(REQUEST, None, notes.on_showing)
    desk.take(showings("a"))
    await desk.close()
    assert (notes.noted, notes.asked) == ([("a", 1, 0)], [])
