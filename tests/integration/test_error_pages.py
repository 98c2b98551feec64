"""A person in a browser gets a page, not JSON; a program gets what it always got."""

import json
import os
from collections.abc import AsyncIterator, Iterator
from html import unescape
from pathlib import Path

import aiohttp
import pytest
import pytest_asyncio

from progressive.adapters.sqlite.people_file import FILE_NAME
from progressive.domain.people.roles import Person
from progressive.entry.http.security_headers import CONTENT_SECURITY_POLICY
from tests.support.people import PASSWORD
from tests.support.screens import ANN, DAN, EVE, hire
from tests.support.service import ServiceProcess

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
SHEET = "/sheet/main.7.1"

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceProcess]:
    with ServiceProcess(tmp_path_factory.mktemp("pages") / "data") as running:
        yield running


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def session(service: ServiceProcess) -> AsyncIterator[aiohttp.ClientSession]:
    await hire(service.data, [DAN, ANN, EVE])
    jar = aiohttp.DummyCookieJar()
    async with aiohttp.ClientSession(service.url, cookie_jar=jar) as opened:
        yield opened


async def cookie_of(session: aiohttp.ClientSession, person: Person) -> dict[str, str]:
    credentials = {"user": person.name, "password": PASSWORD}
    async with session.post("/v1/sessions", json=credentials) as response:
        token = (await response.json())["token"]
    return {"Cookie": f"progressive={token}"}


@pytest.mark.parametrize(
    ("method", "path", "status", "code", "title", "way"),
    [
        ("GET", "/nothing", 404, "NOT_FOUND", "No such page", "/"),
        ("GET", "/finance/nothing", 404, "NOT_FOUND", "No such page", "/"),
        ("GET", "/sign/a/b", 404, "NOT_FOUND", "No such page", "/"),
        ("GET", "/v1x", 404, "NOT_FOUND", "No such page", "/"),
        ("GET", "/table/nosuch", 404, "UNKNOWN_TABLE", "No such table", "/#tables-title"),
        # The sign-in form where scripts are off.
        ("POST", "/sign-in", 405, "METHOD_NOT_ALLOWED", "This did not work", "/"),
    ],
)
async def test_an_error_is_a_page_for_people_and_json_for_programs(
    session: aiohttp.ClientSession,
    method: str,
    path: str,
    status: int,
    code: str,
    title: str,
    way: str,
) -> None:
    async with session.request(method, path, headers=BROWSER) as response:
        page = await response.text()
    assert (response.status, response.content_type) == (status, "text/html")
    assert f"<h1>{title}</h1>" in page
    assert f'href="{way}"' in page
    assert f"{status} {code}" in page
    assert response.headers["Content-Security-Policy"] == CONTENT_SECURITY_POLICY
    for accept in ({}, {"Accept": "*/*"}, {"Accept": "application/json"}):
        async with session.request(method, path, headers=accept) as response:
            assert response.status == status
            assert response.headers["Content-Type"] == "application/json"
            body = await response.json()
        assert set(body) == {"error"}
        assert set(body["error"]) == {"code", "message"}
        assert body["error"]["code"] == code


@pytest.mark.parametrize(
    "path", ["/v1/nothing", "/v1/links/nosuch/meters", "/v1/acts", f"/v1/awards{SHEET}"]
)
async def test_the_protocol_is_json_for_browsers_too(
    session: aiohttp.ClientSession, path: str
) -> None:
    async with session.get(path, headers=BROWSER) as as_browser:
        told = await as_browser.json()
    async with session.get(path) as as_program:
        assert (as_program.status, await as_program.json()) == (as_browser.status, told)


async def test_what_was_asked_for_is_shown_as_text(session: aiohttp.ClientSession) -> None:
    async with session.get("/table/<script>alert(1)</script>", headers=BROWSER) as response:
        page = await response.text()
    assert "alert(1)" in page
    assert "<script>alert" not in page


async def test_a_sheet_without_a_session_leads_to_the_sign_in_and_back(
    session: aiohttp.ClientSession,
) -> None:
    async with session.get(f"{SHEET}?x=1", headers=BROWSER, allow_redirects=False) as response:
        assert response.status == 302
        assert response.headers["Location"] == "/sign-in?next=/sheet/main.7.1?x%3D1"
    bad = {**BROWSER, "Cookie": "progressive=long-gone"}
    async with session.get(SHEET, headers=bad, allow_redirects=False) as response:
        assert response.status == 302
    async with session.get(SHEET, allow_redirects=False) as response:
        assert (response.status, (await response.json())["error"]["code"]) == (401, "NO_SESSION")


async def test_a_sheet_of_an_award_that_never_was(session: aiohttp.ClientSession) -> None:
    ann = await cookie_of(session, ANN)
    for award in ("main.7.1", "nosuch.7.1", "nonsense"):
        async with session.get(f"/sheet/{award}", headers=BROWSER | ann) as response:
            page = await response.text()
        assert response.status == 404
        assert "<h1>No such award</h1>" in page
        assert award in page
        assert 'href="/pit"' in page


@pytest.mark.parametrize(("person", "path"), [(DAN, SHEET), (DAN, "/pit"), (EVE, "/table/BJ-01")])
async def test_a_page_for_another_role_says_so_and_how_to_go_on(
    session: aiohttp.ClientSession, person: Person, path: str
) -> None:
    cookie = await cookie_of(session, person)
    async with session.get(path, headers=BROWSER | cookie) as response:
        page = unescape(await response.text())
    assert response.status == 403
    assert "<h1>This page is not for your role</h1>" in page
    assert f"{person.name}, {person.role}" in page
    assert f'href="/sign-in?next={path}"' in page
    assert "WRONG_ROLE" in page


async def test_a_refused_sheet_is_recorded_for_browsers_too(
    session: aiohttp.ClientSession,
) -> None:
    dan, eve = await cookie_of(session, DAN), await cookie_of(session, EVE)
    async with session.get("/sheet/main.99.1", headers=BROWSER | dan) as response:
        assert response.status == 403
    async with session.get("/v1/acts?limit=1000", headers=eve) as response:
        acts = (await response.json())["acts"]
    assert acts[-1]["who"] == "Dan"
    assert acts[-1]["details"]["request"] == "GET /sheet/main.99.1"


@pytest.mark.slow
async def test_broken_people_are_a_page_that_says_try_again(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / FILE_NAME).write_bytes(os.urandom(4096))
    headers = {"Cookie": "progressive=x"}
    with ServiceProcess(data) as service:
        async with aiohttp.ClientSession(service.url) as session:
            async with session.get("/pit", headers=BROWSER | headers) as response:
                page = await response.text()
            async with session.get("/pit", headers=headers) as for_programs:
                body = json.loads(await for_programs.text())
    assert (response.status, for_programs.status) == (503, 503)
    assert "<h1>Not available now</h1>" in page
    assert body["error"]["code"] == "UNAVAILABLE"
