"""Which pages may speak to the service: its own, by the names it knows, and those listed."""

import pytest
from aiohttp.test_utils import make_mocked_request

from progressive.entry.people.origins import (
    BadOriginError,
    Origins,
    is_address,
    machine_names,
    parse_origin,
)


@pytest.mark.parametrize(
    ("text", "origin"),
    [
        ("https://meters.example", "https://meters.example"),
        ("https://Meters.Example:8443", "https://meters.example:8443"),
        ("http://[::1]:8080", "http://[::1]:8080"),
    ],
)
def test_origins(text: str, origin: str) -> None:
    assert parse_origin(text) == origin


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "*",
        "meters.example",
        "ftp://meters.example",
        "https://",
        "https://meters.example/",
        "https://meters.example/pit",
        "https://meters.example:99999",
        "https://ann@meters.example",
        "https://meters.example?x",
        "https://meters.example#x",
        "https://[::1",
    ],
)
def test_what_is_no_origin(text: str) -> None:
    with pytest.raises(BadOriginError, match="is no origin"):
        parse_origin(text)


@pytest.mark.parametrize(
    ("host", "origin", "welcome"),
    [
        ("localhost:8080", "http://localhost:8080", True),
        ("127.0.0.1:8080", "http://127.0.0.1:8080", True),
        ("[::1]:8080", "http://[::1]:8080", True),
        ("10.1.2.3", "http://10.1.2.3", True),
        ("Meters:8080", "http://meters:8080", True),
        ("meters.casino.example", "http://meters.casino.example", True),
        # Anybody can point a name of theirs at this service.
        ("evil.example:8080", "http://evil.example:8080", False),
        ("127.0.0.1.evil.example", "http://127.0.0.1.evil.example", False),
        ("localhost.evil.example", "http://localhost.evil.example", False),
        ("", "http://", False),
        # Another page than the one that the request was sent to.
        ("localhost:8080", "http://localhost:9090", False),
        ("127.0.0.1:8080", "http://evil.example", False),
        ("evil.example", "https://proxy.example", True),
    ],
)
def test_own_origins_are_those_the_service_knows(host: str, origin: str, welcome: bool) -> None:
    origins = Origins(["https://proxy.example"], names=["meters", "meters.casino.example"])
    request = make_mocked_request("POST", "/", headers={"Host": host, "Origin": origin})
    assert origins.welcome(request) is welcome


def test_machine_is_known_by_its_names_and_by_the_one_it_listens_on() -> None:
    names = machine_names("meters.example")
    assert "meters.example" in names
    assert not any(is_address(name) for name in machine_names("0.0.0.0"))
