from collections.abc import AsyncIterator
from pathlib import Path
from string import Template

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from display.assets import CONTENT_TYPES
from display.pages import WEB_FOLDER, SignView, render_sign, sign_routes

SIGNS = {
    "entrance": SignView("entrance", "main", "Boardwalk Casino", "USD", "Main pit"),
    "odd": SignView('o"dd', "a&b", "<b>Bold</b>", "USD", "$sign ${x} 'quoted'"),
}
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

ASSETS = {
    path.relative_to(WEB_FOLDER): path.read_bytes()
    for path in WEB_FOLDER.rglob("*")
    if path.suffix in CONTENT_TYPES
}

Client = TestClient[web.Request, web.Application]


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    app = web.Application()
    app.add_routes(sign_routes(SIGNS.get))
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
        'data-stale-ms="5000"',
    ):
        assert attribute in text
    assert "Boardwalk Casino" in text
    assert "Main pit" in text


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
    etag = (await client.get("/assets/sign.js")).headers["ETag"]

    again = await client.get("/assets/sign.js", headers={"If-None-Match": f'"other", W/{etag}'})
    changed = await client.get("/assets/sign.js", headers={"If-None-Match": '"other"'})

    assert again.status == 304
    assert again.headers["ETag"] == etag
    assert await again.read() == b""
    assert changed.status == 200


@pytest.mark.parametrize(
    "path",
    ["/assets/sign.html", "/assets/nothing.js", "/assets/..%2Fpages.py", "/assets/%2Fetc%2Fpasswd"],
)
async def test_nothing_but_scripts_and_styles_is_served(client: Client, path: str) -> None:
    assert (await client.get(path)).status == 404


def test_stale_period_reaches_the_page() -> None:
    page = Template((WEB_FOLDER / "sign.html").read_text(encoding="utf-8"))

    assert 'data-stale-ms="750"' in render_sign(page, SIGNS["entrance"], stale_after_ms=750)
