"""Lines of the log of happenings, and what is read from them."""

from datetime import datetime, timedelta
from pathlib import Path

from progressive.domain.happenings import Happened, HappeningLine, Noted

BEGAN = "2026-01-02T03:04:05.000000Z"
"""Where the fake clock begins."""
DAY = "2026-01-02"


def after(seconds: float, since: str = BEGAN) -> str:
    moment = datetime.fromisoformat(since) + timedelta(seconds=seconds)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def line(seconds: float, what: Noted, **fields: object) -> HappeningLine:
    """A line so many seconds after the beginning."""
    return HappeningLine(at=after(seconds), what=what, **fields)  # type: ignore[arg-type]


def alive(first_seconds: int, last_seconds: int) -> list[HappeningLine]:
    """A sign of life each minute."""
    return [line(each, Noted.ALIVE) for each in range(first_seconds, last_seconds + 1, 60)]


def said(happened: tuple[Happened, ...]) -> list[tuple[str, str, str, str, int]]:
    """Kind or code, what it is about, from and until, how often: enough to compare."""
    return [
        (each.code or str(each.kind), each.about, each.at, each.until, each.times)
        for each in happened
    ]


def lines_of(data: Path) -> list[str]:
    """All that lies in the files, oldest first."""
    return [
        text
        for path in sorted((data / "happenings").glob("*.jsonl"))
        for text in path.read_text("utf-8").splitlines()
    ]
