"""Parsed TOML, field by field: the value where it is good, a problem where it is not.

A field that is wrong gives None and the check goes on, so that one run finds every problem. Must
never raise because of what a file says, and never print a file's text unescaped.
"""

import difflib
import json
from collections.abc import Mapping, Sequence
from typing import Final, TypeVar

from msgspec import Struct, field

from progressive.domain.ids import is_id
from progressive.domain.jurisdiction import Breach

NAME_CHARS_MAX: Final = 100
SHOWN_CHARS_MAX: Final = 60
_SHOWN_BITS_MAX: Final = 128

_Whole = TypeVar("_Whole", int, None)


class Problem(Struct, frozen=True):
    """One thing wrong (or, as a warning, doubtful) in one file."""

    file: str
    key: str
    """Dotted, with ids: `link.main.bet.blazing7.meter.minor.reset_cents`. Empty: the file itself."""
    value: str
    """As the file has it, shortened; empty where there is none."""
    message: str
    """A whole sentence, the value included."""
    clause: str | None

    def line(self, *, warning: bool = False) -> str:
        """The problem as the one line that `progressive check` prints."""
        where = [self.file, *(["warning"] if warning else []), *([self.key] if self.key else [])]
        clause = f" ({self.clause})" if self.clause else ""
        return f"{': '.join(where)}: {self.message}{clause}"


class Report(Struct):
    """Everything found in one run, over all files, in the order found."""

    problems: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)

    def problem(
        self, file: str, key: str, message: str, *, value: str = "", clause: str | None = None
    ) -> None:
        """Take note of a problem; one that is known already is not told twice."""
        found = Problem(file=file, key=key, value=value, message=message, clause=clause)
        if found not in self.problems:
            self.problems.append(found)


class Section:
    """One section of a file: hands out its fields and keeps the good ones in `clean`."""

    def __init__(
        self,
        data: Mapping[str, object],
        *,
        key: str,
        file: str,
        report: Report,
        known: Sequence[str],
    ) -> None:
        self.key = key
        self.file = file
        self.report = report
        self.clean: dict[str, object] = {}
        """Fields that were asked for and are good, ready to be converted to a frozen struct."""
        self._data = data
        for name in data:
            if name not in known:
                self._unknown(name, known)

    # --- telling what is wrong ----------------------------------------------------------------

    def problem(self, name: str, message: str, *, clause: str | None = None) -> None:
        """A problem with a field; an empty name means the section itself."""
        value = shown(self._data[name]) if name in self._data else ""
        self.report.problem(self.file, self.at(name), message, value=value, clause=clause)

    def refuse(self, name: str, breach: Breach | None) -> None:
        """A problem with a field, if a check found one."""
        if breach is not None:
            self.problem(name, breach.message, clause=breach.clause)

    def warn(self, name: str, breach: Breach | None) -> None:
        """A warning about a field, if a check found one."""
        if breach is not None:
            value = shown(self._data[name]) if name in self._data else ""
            self.report.warnings.append(
                Problem(self.file, self.at(name), value, breach.message, breach.clause)
            )

    def at(self, name: str) -> str:
        """The dotted key of a field."""
        return ".".join(part for part in (self.key, name) if part)

    def _unknown(self, name: str, known: Sequence[str]) -> None:
        near = difflib.get_close_matches(name[:SHOWN_CHARS_MAX], known, n=1)
        meant = f": did you mean {near[0]}?" if near else ""
        self.report.problem(
            self.file,
            self.at(_shown_key(name)),
            f"unknown key{meant}",
            value=shown(self._data[name]),
        )

    # --- fields -------------------------------------------------------------------------------

    def has(self, name: str) -> bool:
        """Whether the file gives the field, good or bad."""
        return name in self._data

    def good(self, name: str) -> object:
        """A field that was good when it was asked for, or None."""
        return self.clean.get(name)

    def text(self, name: str, *, default: str | None = None) -> str | None:
        """A name for people, or a text that is looked up elsewhere."""
        value = self._get(name, default)
        if value is None:
            return None
        if not isinstance(value, str):
            return self._wrong(name, "is not a text in quotes")
        if not value.strip():
            return self._wrong(name, "is empty")
        if len(value) > NAME_CHARS_MAX:
            return self._wrong(name, f"is longer than {NAME_CHARS_MAX} characters")
        if not value.isprintable():
            return self._wrong(name, "has characters that cannot be shown")
        return self._keep(name, value)

    def identifier(self, name: str) -> str | None:
        """An id: what messages, addresses and other files name a thing by."""
        value = self.text(name)
        if value is None or is_id(value):
            return value
        del self.clean[name]
        return self._wrong(
            name,
            "is no id: up to 64 letters, digits, '.', '_' and '-', a letter or digit first",
        )

    def choice(
        self, name: str, choices: Sequence[str], *, default: str | None = None
    ) -> str | None:
        """One of a few words."""
        value = self._get(name, default)
        if value is None:
            return None
        if not isinstance(value, str) or value not in choices:
            return self._wrong(name, f"is not one of {', '.join(choices)}")
        return self._keep(name, value)

    def whole(
        self,
        name: str,
        *,
        low: int | None = None,
        high: int | None = None,
        default: int | None = None,
    ) -> int | None:
        """A whole number. TOML's `true` and `5.0` are none: money is not guessed at."""
        value = self._get(name, default)
        if value is None:
            return None
        if type(value) is not int:
            return self._wrong(name, "is not a whole number")
        if low is not None and value < low:
            return self._wrong(name, f"is below {low}")
        if high is not None and value > high:
            return self._wrong(name, f"is above {high}")
        return self._keep(name, value)

    def flag(self, name: str) -> bool | None:
        """True or false."""
        value = self._get(name, None)
        if value is None:
            return None
        if not isinstance(value, bool):
            return self._wrong(name, "is not true or false")
        return self._keep(name, value)

    def wholes(self, name: str, *, low: int) -> None:
        """A list of whole numbers, at least one, none twice."""
        values = self._list(name)
        if values is None:
            return
        if not all(type(value) is int and value >= low for value in values):
            self._wrong(name, f"is not a list of whole numbers of {low} or more")
        elif len(set(values)) < len(values):
            self._wrong(name, "has a number twice")
        else:
            self._keep(name, values)

    def words(self, name: str, *, choices: Sequence[str] | None = None) -> None:
        """A list of ids, or of the given words, none twice."""
        values = self._list(name)
        if values is None:
            return
        if not all(isinstance(value, str) and is_id(value) for value in values):
            self._wrong(name, "is not a list of ids in quotes")
        elif choices is not None and not set(values) <= set(choices):
            self._wrong(name, f"has other words than {', '.join(choices)}")
        elif len(set(values)) < len(values):
            self._wrong(name, "has a word twice")
        else:
            self._keep(name, values)

    def _list(self, name: str) -> list[object] | None:
        value = self._get(name, None)
        if value is None:
            return None
        if not isinstance(value, list) or not value:
            return self._wrong(name, "is not a list with something in it")
        return value

    def _get(self, name: str, default: object) -> object:
        """What the file has; TOML has no null, so None always means that there is nothing."""
        value = self._data.get(name, default)
        if value is None:
            self.problem(name, "missing")
        elif name not in self._data:
            self.clean[name] = default
        return value

    def _keep(self, name: str, value: _Kept) -> _Kept:
        self.clean[name] = value
        return value

    def _wrong(self, name: str, why: str) -> None:
        self.problem(name, f"{shown(self._data[name])} {why}")

    # --- sections within ----------------------------------------------------------------------

    def section(self, name: str, known: Sequence[str], *, required: bool = True) -> "Section | None":
        """A single section within this one."""
        data = self._data.get(name)
        if data is None:
            if required:
                self.problem(name, "missing")
            return None
        if not isinstance(data, dict):
            self.problem(name, f"{shown(data)} is not a section [{name}]")
            return None
        return Section(
            data, key=self.at(name), file=self.file, report=self.report, known=known
        )

    def sections(self, name: str, known: Sequence[str], *, required: bool = True) -> "list[Section]":
        """The sections of a list, each under its id, or under its position where that names none.

        A later one with an id that was there before goes by its position too: its problems are
        then not taken for those of the first.
        """
        listed = self._data.get(name, [])
        if not isinstance(listed, list):
            self.problem(name, f"{shown(listed)} is not a list: each one starts with [[…{name}]]")
            return []
        if not listed and required:
            self.problem(name, "missing: at least one is needed")
        found: list[Section] = []
        labels: set[str] = set()
        for position, data in enumerate(listed, start=1):
            label = f"#{position}"
            if not isinstance(data, dict):
                self.report.problem(
                    self.file,
                    self.at(f"{name}.{label}"),
                    f"{shown(data)} is not a section [[…{name}]]",
                    value=shown(data),
                )
                continue
            own = data.get("id")
            if isinstance(own, str) and is_id(own) and own not in labels:
                label = own
                labels.add(own)
            found.append(
                Section(
                    data,
                    key=self.at(f"{name}.{label}"),
                    file=self.file,
                    report=self.report,
                    known=known,
                )
            )
        return found


def refuse_duplicates(sections: Sequence[Section]) -> None:
    """A problem for every id that an earlier section has taken."""
    first: dict[object, Section] = {}
    for section in sections:
        own = section.good("id")
        if own is None:
            continue
        if own in first:
            first[own].problem("id", f"{shown(own)} is also the id of {section.key}")
        else:
            first[own] = section


def shown(value: object) -> str:
    """A value as TOML would write it, on one line and not too long.

    Never recurses: dotted keys nest as deep as a file likes. Never prints a number in full that
    Python refuses to (hexadecimal digits have no limit, decimal ones do).
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
            items = ["…" if isinstance(item, list | dict) else shown(item) for item in value[:10]]
            return _shortened(f"[{', '.join(items + ['…'] * (len(value) > 10))}]")
        case _:
            return str(value)


def _shown_key(name: str) -> str:
    """A key as TOML would write it: bare where it can be."""
    return name if is_id(name) and "." not in name else _quoted(name)


def _quoted(text: str) -> str:
    return f'"{_shortened("".join(map(_escaped, text[:SHOWN_CHARS_MAX * 2])))}"'


def _escaped(character: str) -> str:
    if character in '"\\' or character < " ":
        return json.dumps(character)[1:-1]
    if character.isprintable():
        return character
    return f"\\U{ord(character):08X}"


def _shortened(text: str) -> str:
    return text if len(text) <= SHOWN_CHARS_MAX else text[: SHOWN_CHARS_MAX - 1] + "…"
