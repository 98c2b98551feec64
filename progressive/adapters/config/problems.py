"""What `progressive check` finds, and how a file's own text is shown in it.

Every problem is one line: nothing a file says may break it, color it or make it endless.
"""

import json
from typing import Final

from msgspec import Struct

SHOWN_CHARS_MAX: Final = 60
_SHOWN_ITEMS_MAX: Final = 10
_SHOWN_BITS_MAX: Final = 128


class Problem(Struct, frozen=True):
    """One thing wrong (or, as a warning, doubtful) in one file."""

    file: str
    key: str
    """Dotted, with ids: `link.main.bet.blazing7.meter.minor.reset_cents`. Empty: the whole file."""
    value: str
    """As the file has it, shortened; empty where there is none."""
    message: str
    """A whole sentence, the value included."""
    clause: str | None

    def line(self, *, warning: bool = False) -> str:
        """The problem as the one line that `progressive check` prints."""
        where = [self.file, *(["warning"] if warning else []), *([self.key] if self.key else [])]
        told = not self.clause or self.clause in self.message
        clause = "" if told else f" ({self.clause})"
        return f"{': '.join(where)}: {self.message}{clause}"


class Report:
    """Everything found in one run, over all files, in the order found and nothing twice."""

    def __init__(self) -> None:
        self._problems: dict[Problem, None] = {}
        self._warnings: dict[Problem, None] = {}

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What makes the floor unfit to run."""
        return tuple(self._problems)

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """What is lawful and may still not be meant."""
        return tuple(self._warnings)

    def problem(
        self, file: str, key: str, message: str, *, value: str = "", clause: str | None = None
    ) -> None:
        """Take note of a problem."""
        self._problems[Problem(file, key, value, message, clause)] = None

    def warning(
        self, file: str, key: str, message: str, *, value: str = "", clause: str | None = None
    ) -> None:
        """Take note of a warning."""
        self._warnings[Problem(file, key, value, message, clause)] = None


def shown(value: object) -> str:
    """A value as TOML would write it, on one line and not too long.

    Never recurses: dotted keys nest as deep as a file likes. Never prints a number that Python
    refuses to print (hexadecimal digits have no limit, decimal ones do).
    """
    match value:
        case str():
            return _quoted(value)
        case bool():
            return "true" if value else "false"
        case int():
            return str(value) if value.bit_length() <= _SHOWN_BITS_MAX else "a far too big number"
        case dict():
            return "a section"
        case list():
            items = [
                "…" if isinstance(item, list | dict) else shown(item)
                for item in value[:_SHOWN_ITEMS_MAX]
            ]
            if len(value) > _SHOWN_ITEMS_MAX:
                items.append("…")
            return _shortened(f"[{', '.join(items)}]")
        case _:
            return str(value)


def shown_key(name: str) -> str:
    """A key as TOML would write it: bare where it can be."""
    bare = name.isascii() and name.replace("_", "a").replace("-", "a").isalnum()
    return _shortened(name) if bare else _quoted(name)


def _quoted(text: str) -> str:
    return f'"{_shortened("".join(map(_escaped, text[: SHOWN_CHARS_MAX + 1])))}"'


def _escaped(character: str) -> str:
    if character in '"\\' or character < " ":
        return json.dumps(character)[1:-1]
    return character if character.isprintable() else f"\\U{ord(character):08X}"


def _shortened(text: str) -> str:
    return text if len(text) <= SHOWN_CHARS_MAX else text[: SHOWN_CHARS_MAX - 1] + "…"
