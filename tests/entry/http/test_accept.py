"""Who is shown a page, and who reads JSON."""

import pytest
from aiohttp.test_utils import make_mocked_request

from progressive.entry.http.accept import wants_page

CHROMIUM = (
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;"
    "q=0.8,application/signed-exchange;v=b3;q=0.7"
)
FIREFOX = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        (CHROMIUM, True),
        (FIREFOX, True),
        ("text/html", True),
        ("TEXT/HTML", True),
        ("text/html; charset=utf-8; q=0.5", True),
        ("application/json;q=0.5, text/html", True),
        # Programs, and the scripts, styles and pictures of pages.
        (None, False),
        ("", False),
        ("*/*", False),
        ("text/*", False),
        ("text/css,*/*;q=0.1", False),
        ("image/avif,image/webp,*/*", False),
        ("application/json", False),
        ("application/json, text/plain, */*", False),
        # Those that would take both and like JSON better, or no HTML at all.
        ("application/json, text/html;q=0.9", False),
        ("text/html;q=0, application/json", False),
        ("text/html;q=0", False),
        ("text/html;q=0.000", False),
        # Not of the form that RFC 9110 gives: as before there was a choice.
        ("text/html;q=", False),
        ("text/html;q=nan", False),
        ("text/html;q=1e9", False),
        ("text/htmlx", False),
        (",,;;,", False),
    ],
)
def test_a_browser_that_goes_somewhere_names_html(accept: str | None, expected: bool) -> None:
    headers = {} if accept is None else {"Accept": accept}
    assert wants_page(make_mocked_request("GET", "/pit", headers=headers)) is expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/v1", False),
        ("/v1/", False),
        ("/v1/links", False),
        ("/%76%31/links", False),
        ("/v1x", True),
        ("/table/v1", True),
        ("/", True),
    ],
)
def test_under_v1_there_are_only_programs(path: str, expected: bool) -> None:
    request = make_mocked_request("GET", path, headers={"Accept": CHROMIUM})
    assert wants_page(request) is expected
