"""Errors that no good service shows: bugs and broken files, on a real port, asked both ways."""

import json
import logging
import re
from collections.abc import AsyncIterator
from html import unescape
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from progressive.application.journal.ports import StoreError
from progressive.entry.http.error_pages import ErrorPages
from progressive.entry.http.errors import RefusedError, errors_as_json
from progressive.entry.http.page_shell import PageShell
from progressive.entry.people.door import Door
from progressive.entry.people.origins import Origins
from tests.support.people import ANN, PeopleDesk, a_people_desk
from tests.support.service import shipped_rules

BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
SECRET = "<b>of the inside</b>"


async def _bug(_: web.Request) -> web.Response:
    raise RuntimeError(SECRET)


async def _broken_store(_: web.Request) -> web.Response:
    raise StoreError(SECRET)


async def _wait(_: web.Request) -> web.Response:
    raise RefusedError(429, "TOO_MANY_REFUSALS", "too many refusals: wait", Retry_After="60")


async def _odd(_: web.Request) -> web.Response:
    raise RefusedError(409, "ODD", f"this is odd: {SECRET}")


async def _too_late(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse()
    await response.prepare(request)
    await response.write(b"so far")
    raise RuntimeError(SECRET)


class Desk:
    """Pages that fail, and how they are asked for."""

    def __init__(self, people: PeopleDesk, door: Door, session: aiohttp.ClientSession) -> None:
        self.people = people
        self.door = door
        self._session = session

    async def ask(
        self, path: str, headers: dict[str, str]
    ) -> tuple[int, str, aiohttp.ClientResponse]:
        async with self._session.get(path, headers=headers) as response:
            return response.status, unescape(await response.text()), response


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with a_people_desk(tmp_path) as people:
        await people.add(ANN)
        clock = people.clock
        door = Door(people.sessions, people.store, clock, origins=Origins(), tls=False)
        shell = PageShell(shipped_rules(), door)
        app = web.Application(middlewares=[ErrorPages(shell, door).negotiate, errors_as_json])
        for prefix in ("", "/v1"):
            app.router.add_get(f"{prefix}/bug", _bug)
            app.router.add_get(f"{prefix}/store", _broken_store)
            app.router.add_get(f"{prefix}/wait", _wait)
            app.router.add_get(f"{prefix}/odd", _odd)
        app.router.add_get("/late", _too_late)
        async with (
            TestServer(app) as server,
            aiohttp.ClientSession(
                str(server.make_url("/")), cookie_jar=aiohttp.DummyCookieJar()
            ) as session,
        ):
            yield Desk(people, door, session)


async def test_a_bug_is_a_page_whose_reference_is_in_the_log(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        status, page, response = await desk.ask("/bug", BROWSER)
    assert (status, response.content_type) == (500, "text/html")
    assert "<h1>Unexpected error</h1>" in page
    assert "Load again" in page
    shown = re.search(r"reference ([0-9a-f]{8})\b", page)
    assert shown is not None
    (record,) = [each for each in caplog.records if hasattr(each, "reference")]
    assert (record.reference, record.path) == (shown[1], "/bug")  # type: ignore[attr-defined]
    assert record.exc_info is not None
    assert SECRET not in page


@pytest.mark.parametrize("path", ["/bug", "/v1/bug"])
async def test_a_bug_is_json_for_programs(desk: Desk, path: str) -> None:
    headers = BROWSER if path.startswith("/v1") else {}
    status, body, response = await desk.ask(path, headers)
    assert (status, response.content_type) == (500, "application/json")
    assert json.loads(body)["error"]["code"] == "INTERNAL_ERROR"
    assert SECRET not in body


async def test_a_bug_after_the_answer_began_breaks_it_off(desk: Desk) -> None:
    with pytest.raises(aiohttp.ClientError):
        await desk.ask("/late", BROWSER)


async def test_a_broken_file_says_try_again_and_no_more(desk: Desk) -> None:
    status, page, _ = await desk.ask("/store", BROWSER)
    assert status == 503
    assert "<h1>Not available now</h1>" in page
    assert "Load again" in page
    assert SECRET not in page
    status, body, _ = await desk.ask("/store", {})
    assert (status, json.loads(body)["error"]["code"]) == (503, "UNAVAILABLE")


async def test_the_page_knows_who_looks(desk: Desk) -> None:
    token = (await desk.people.log_in(ANN)).token
    _, page, _ = await desk.ask("/odd", {**BROWSER, "Cookie": f"{desk.door.cookie}={token}"})
    assert 'data-user="Ann"' in page
    assert "Sign out" in page


async def test_people_that_cannot_be_read_do_not_break_the_page(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object, **__: object) -> None:
        raise StoreError("disk gone")

    monkeypatch.setattr(desk.people.sessions, "find", broken)
    status, page, _ = await desk.ask("/odd", {**BROWSER, "Cookie": f"{desk.door.cookie}=x"})
    assert (status, "This is odd" in page) == (409, True)


async def test_a_message_is_escaped_and_read_as_a_sentence(desk: Desk) -> None:
    _, page, response = await desk.ask("/odd", BROWSER)
    assert f"<p>This is odd: {SECRET}.</p>" in page
    assert SECRET not in await response.text()
    assert "409 ODD" in page


async def test_how_long_to_wait_is_said_to_browsers_too(desk: Desk) -> None:
    for headers in (BROWSER, {}):
        status, _, response = await desk.ask("/wait", headers)
        assert (status, response.headers["Retry-After"]) == (429, "60")


async def test_no_cache_mixes_the_two_forms_up(desk: Desk) -> None:
    _, _, page = await desk.ask("/odd", BROWSER)
    assert (page.headers["Vary"], page.headers["Cache-Control"]) == ("Accept", "no-store")
    _, _, body = await desk.ask("/odd", {})
    assert body.headers["Vary"] == "Accept"
    _, _, protocol = await desk.ask("/v1/odd", BROWSER)
    assert "Vary" not in protocol.headers
