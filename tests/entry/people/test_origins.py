import pytest

from progressive.entry.people.origins import BadOriginError, parse_origin


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
