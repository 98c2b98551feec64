"""Whether an answer still says what an older version's answer said."""

from collections.abc import Iterator


def missing(found: object, expected: object, at: str = "") -> Iterator[str]:
    """Where `found` differs from what was recorded. Fields may have been added, nothing else."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for name, value in expected.items():
            if name in found:
                yield from missing(found[name], value, f"{at}.{name}")
            else:
                yield f"{at}.{name} is missing"
    elif isinstance(expected, list) and isinstance(found, list):
        if len(found) != len(expected):
            yield f"{at}: {len(found)} instead of {len(expected)}"
        for place, (each, value) in enumerate(zip(found, expected, strict=False)):
            yield from missing(each, value, f"{at}[{place}]")
    elif found != expected or type(found) is not type(expected):
        yield f"{at}: {found!r} instead of {expected!r}"


def assert_still(found: object, expected: object) -> None:
    """Fails with every difference."""
    differences = list(missing(found, expected))
    assert not differences, differences
