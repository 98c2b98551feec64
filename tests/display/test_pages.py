"""What the sign server sends: the page, its files and its worker, and to whom."""

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from display.assets import CONTENT_TYPES, version_of
from display.pages import SIGN_FOLDER, WEB_FOLDER, SignPages, sign_routes
from progressive.wire.signs import SignCard


def card(sign: str, **changes: Any) -> SignCard:  # noqa: ANN401 (any field of a card)
    known = {"id": sign, "name": "", "link": "main", "link_name": "Main pit"}
    return SignCard(**(known | {"floor_name": "Boardwalk Casino", "currency": "USD"} | changes))


SIGNS = {
    "entrance": card("entrance", time_zone="America/New_York"),
    "bar": card(
        "bar", layout="paytable", theme="deco", language="es", meters=["minor", "mega"], bet="b7"
    ),
    "odd": card('o"dd', link="a&b", floor_name="<b>Bold</b>", link_name="$sign ${x} 'quoted'"),
    "keyed": card("keyed", keyed=True),
}
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "worker-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
ASSETS = {
    path.relative_to(WEB_FOLDER): path.read_bytes()
    for folder in (SIGN_FOLDER, WEB_FOLDER / "kit")
    for path in folder.iterdir()
    if path.suffix in CONTENT_TYPES
}

Client = TestClient[web.Request, web.Application]


async def admits(request: web.Request, sign: str) -> bool:
    return request.cookies.get(f"sign-{sign}") == "right"


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    app = web.Application()
    app.add_routes(sign_routes(SIGNS.get, admits=admits))
    async with TestClient(TestServer(app)) as opened:
        yield opened


async def test_page_carries_what_the_script_needs(client: Client) -> None:
    response = await client.get("/sign/entrance")
    text = await response.text()

    assert response.status == 200
    assert (response.content_type, response.charset) == ("text/html", "utf-8")
    for attribute in (
        'data-state="connecting"',
        'data-sign="entrance"',
        'data-link="main"',
        'data-currency="USD"',
        'data-time-zone="America/New_York"',
        'data-layout="meters"',
        'data-theme="midnight"',
        'lang="en"',
    ):
        assert attribute in text
    assert "Boardwalk Casino" in text
    assert "Main pit" in text


async def test_page_looks_as_the_floor_file_says(client: Client) -> None:
    text = await (await client.get("/sign/bar")).text()

    for attribute in (
        'data-layout="paytable"',
        'data-theme="deco"',
        'lang="es"',
        'data-meters="minor,mega"',
        'data-bet="b7"',
    ):
        assert attribute in text


async def test_page_headers_allow_nothing_foreign(client: Client) -> None:
    headers = (await client.get("/sign/entrance")).headers

    assert headers["Content-Security-Policy"] == CSP
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cache-Control"] == "no-cache"


async def test_names_are_text_never_markup(client: Client) -> None:
    text = await (await client.get("/sign/odd")).text()

    assert "<b>" not in text
    assert "&lt;b&gt;Bold&lt;/b&gt;" in text
    assert 'data-sign="o&quot;dd"' in text
    assert 'data-link="a&amp;b"' in text
    assert "$sign ${x} &#x27;quoted&#x27;" in text


async def test_unknown_sign_is_a_plain_404(client: Client) -> None:
    response = await client.get("/sign/%3Cscript%3E")

    assert response.status == 404
    assert response.content_type == "text/plain"
    assert response.headers["Content-Security-Policy"] == CSP
    assert "script" not in await response.text()


@pytest.mark.parametrize("path", ASSETS, ids=str)
async def test_asset_is_served_as_it_lies_on_disk(client: Client, path: Path) -> None:
    response = await client.get(f"/assets/{path}")

    assert response.status == 200
    assert response.headers["Content-Type"] == f"{CONTENT_TYPES[path.suffix]}; charset=utf-8"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Cache-Control"] == "no-cache"
    assert await response.read() == ASSETS[path]


async def test_asset_already_held_is_not_sent_again(client: Client) -> None:
    etag = (await client.get("/assets/sign/sign.js")).headers["ETag"]

    again = await client.get(
        "/assets/sign/sign.js", headers={"If-None-Match": f'"other", W/{etag}'}
    )
    changed = await client.get("/assets/sign/sign.js", headers={"If-None-Match": '"other"'})

    assert again.status == 304
    assert again.headers["ETag"] == etag
    assert await again.read() == b""
    assert changed.status == 200


@pytest.mark.parametrize(
    "path",
    [
        "/assets/sign.html",
        "/assets/sign-worker.js",
        "/assets/sign/nothing.js",
        "/assets/sign/..%2F..%2Fpages.py",
        "/assets/%2Fetc%2Fpasswd",
    ],
)
async def test_nothing_else_is_served(client: Client, path: str) -> None:
    assert (await client.get(path)).status == 404


async def test_every_file_the_page_and_its_scripts_name_is_there(client: Client) -> None:
    page = await (await client.get("/sign/entrance")).text()
    named = set(re.findall(r'(?:href|src)="(/[^"]+)"', page))
    for path, body in ASSETS.items():
        if path.parts[0] == "sign" and path.suffix == ".js":
            for relative in re.findall(r'from "(\.[^"]+)"', body.decode()):
                named.add(f"/assets/{(path.parent / relative).as_posix()}".replace("sign/../", ""))
    worker = await (await client.get("/sign-worker.js")).text()

    assert len(named) > 20
    for address in {name.replace("/./", "/") for name in named}:
        assert (await client.get(address)).status == 200, address
        # What the page loads the worker keeps, or a start without a network would stop half-way.
        assert json.dumps(address) in worker, address


async def test_worker_is_named_by_what_it_keeps(client: Client) -> None:
    response = await client.get("/sign-worker.js")
    worker = await response.text()
    page = await client.get("/sign/entrance")

    version = page.headers["Sign-Version"]
    assert response.content_type == "text/javascript"
    assert response.headers["Service-Worker-Allowed"] == "/sign/"
    assert response.headers["Cache-Control"] == "no-cache"
    assert f'const VERSION = "{version}";' in worker
    assert version == SignPages(SIGNS.get).version


def test_any_change_of_a_file_is_another_version() -> None:
    files = {"/a": b"one", "/b": b"two"}
    changed: list[dict[str, bytes]] = [
        {"/a": b"one", "/b": b"too"},
        {"/a": b"one", "/c": b"two"},
        {"/a": b"onet", "/b": b"wo"},
        {"/a": b"one"},
    ]

    assert version_of(files) == version_of(dict(reversed(files.items())))
    assert len({version_of(each) for each in [files, *changed]}) == 5


async def test_key_in_the_address_becomes_a_cookie_and_leaves_it(client: Client) -> None:
    response = await client.get("/sign/keyed?key=right&theme=neon", allow_redirects=False)

    assert response.status == 302
    assert response.headers["Location"] == "/sign/keyed?theme=neon"
    cookie = response.headers["Set-Cookie"]
    assert cookie.startswith("sign-keyed=right;")
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie


@pytest.mark.parametrize(
    ("cookie", "status"), [(None, 401), ("wrong", 401), ("right", 200)], ids=str
)
async def test_keyed_sign_is_shown_to_who_holds_its_key(
    client: Client, cookie: str | None, status: int
) -> None:
    cookies = {} if cookie is None else {"Cookie": f"sign-keyed={cookie}"}

    assert (await client.get("/sign/keyed", headers=cookies)).status == status
