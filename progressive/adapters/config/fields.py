"""Parsed TOML, field by field: the value where it is good, a problem where it is not.

A field that is wrong gives None and the check goes on, so that one run finds every problem. Must
never raise because of what a file says.
"""

import difflib
from collections.abc import Mapping, Sequence
from typing import Final, TypeGuard, TypeVar

from progressive.adapters.config.problems import SHOWN_CHARS_MAX, Report, shown, shown_key
from progressive.domain.ids import is_id
from progressive.domain.money import CENTS_MAX
from progressive.domain.rulebook.legal_checks import Breach
from progressive.domain.text import text_problem, tidied

NAME_CHARS_MAX: Final = 100

_Kept = TypeVar("_Kept")


class Section:
    """One section of a file: hands out its fields and keeps the good ones in `clean`."""

    def __init__(
        self,
        data: Mapping[str, object],
        *,
        file: str,
        report: Report,
        known: Sequence[str],
        key: str = "",
        header: str = "",
    ) -> None:
        self.key = key
        self.clean: dict[str, object] = {}
        """Fields that were asked for and are good, ready to be converted to a frozen struct."""
        self._data = data
        self._file = file
        self._report = report
        self._header = header
        """The key without ids: what stands in brackets above the section."""
        for name in data:
            if name not in known:
                self._unknown(name, known)

    # --- telling what is wrong ----------------------------------------------------------------

    def problem(
        self, name: str, message: str, *, value: str | None = None, clause: str | None = None
    ) -> None:
        """A problem with a field; an empty name means the section itself."""
        if value is None:
            value = self._shown(name)
        self._report.problem(self._file, self.at(name), message, value=value, clause=clause)

    def refuse(self, name: str, breach: Breach | None, *, value: int | None = None) -> None:
        """A problem with a field, if a check found one; `value` where it is not the field's own."""
        if breach is not None:
            own = None if value is None else str(value)
            self.problem(name, breach.message, value=own, clause=breach.clause)

    def warn(self, name: str, breach: Breach | None) -> None:
        """A warning about a field, if a check found one."""
        if breach is not None:
            self._report.warning(
                self._file,
                self.at(name),
                breach.message,
                value=self._shown(name),
                clause=breach.clause,
            )

    def at(self, name: str) -> str:
        """The dotted key of a field."""
        return f"{self.key}.{name}" if self.key and name else self.key or name

    def _shown(self, name: str) -> str:
        return shown(self._data[name]) if name in self._data else ""

    def _unknown(self, name: str, known: Sequence[str]) -> None:
        near = difflib.get_close_matches(name[:SHOWN_CHARS_MAX], known, n=1)
        self._report.problem(
            self._file,
            self.at(shown_key(name)),
            "unknown key" + (f": did you mean {near[0]}?" if near else ""),
            value=self._shown(name),
        )

    # --- fields -------------------------------------------------------------------------------

    def has(self, name: str) -> bool:
        """Whether the file gives the field, good or bad."""
        return name in self._data

    def text(self, name: str, *, default: str | None = None) -> str | None:
        """A name for people, or a text that is looked up elsewhere."""
        value = self._get(name, default)
        if value is None:
            return None
        if not isinstance(value, str):
            why = "is not a text in quotes"
        elif not value.strip():
            why = "is empty"
        elif len(value) > NAME_CHARS_MAX:
            why = f"is longer than {NAME_CHARS_MAX} characters"
        elif not value.isprintable() or text_problem(tidied(value)) is not None:
            why = "has characters that cannot be shown"
        else:
            return self._keep(name, value)
        self._wrong(name, why)
        return None

    def identifier(self, name: str) -> str | None:
        """An id: what messages, addresses and other files name a thing by."""
        value = self._get(name, None)
        if value is None:
            return None
        if isinstance(value, str) and is_id(value):
            return self._keep(name, value)
        self._wrong(
            name, "is no id: up to 64 letters, digits, '.', '_' and '-', a letter or digit first"
        )
        return None

    def choice(
        self, name: str, choices: Sequence[str], *, default: str | None = None
    ) -> str | None:
        """One of a few words."""
        value = self._get(name, default)
        if value is None:
            return None
        if isinstance(value, str) and value in choices:
            return self._keep(name, value)
        self._wrong(name, f"is not one of {', '.join(choices)}")
        return None

    def whole(
        self,
        name: str,
        *,
        low: int = -CENTS_MAX,
        high: int = CENTS_MAX,
        default: int | None = None,
    ) -> int | None:
        """A whole number. TOML's `true` and `5.0` are none: money is not guessed at.

        Bounded always, as TOML is not: what passes can be printed and fits 64 bits.
        """
        value = self._get(name, default)
        if value is None:
            return None
        if not isinstance(value, int) or isinstance(value, bool):
            why = "is not a whole number"
        elif value < low:
            why = f"is below {low}"
        elif value > high:
            why = f"is above {high}"
        else:
            return self._keep(name, value)
        self._wrong(name, why)
        return None

    def flag(self, name: str) -> None:
        """True or false."""
        value = self._get(name, None)
        if isinstance(value, bool):
            self._keep(name, value)
        elif value is not None:
            self._wrong(name, "is not true or false")

    def wholes(self, name: str, *, low: int, high: int) -> None:
        """A list of whole numbers, at least one."""
        values = self._get(name, None)
        if values is None:
            return
        if _is_list(values) and all(type(each) is int and low <= each <= high for each in values):
            self._keep(name, values)
        else:
            self._wrong(name, f"is not a list of whole numbers from {low} to {high}")

    def words(self, name: str, *, choices: Sequence[str] | None = None) -> None:
        """A list of ids, at least one; where choices are given, of those."""
        values = self._get(name, None)
        if values is None:
            return
        if not _is_list(values) or not all(
            isinstance(each, str) and is_id(each) for each in values
        ):
            self._wrong(name, "is not a list of ids in quotes")
        elif choices is not None and not all(each in choices for each in values):
            self._wrong(name, f"is not a list out of {', '.join(choices)}")
        elif choices is not None and len(set(values)) < len(values):
            self._wrong(name, "names one of them twice")
        else:
            self._keep(name, values)

    def _get(self, name: str, default: object) -> object:
        """What the file has; TOML has no null, so None always means that there is nothing."""
        value = self._data.get(name, default)
        if value is None:
            self.problem(name, "missing")
        return value

    def _keep(self, name: str, value: _Kept) -> _Kept:
        self.clean[name] = value
        return value

    def _wrong(self, name: str, why: str) -> None:
        self.problem(name, f"{self._shown(name)} {why}")

    # --- sections within ----------------------------------------------------------------------

    def section(self, name: str, known: Sequence[str]) -> "Section | None":
        """A single section within this one."""
        data = self._get(name, None)
        if data is None:
            return None
        if not isinstance(data, dict):
            self._wrong(name, f"is not a section: it starts with [{self._under(name)}]")
            return None
        return self._within(data, name, name, known)

    def sections(self, name: str, known: Sequence[str]) -> "list[Section]":
        """The sections of a list, each under its id, or under its position where that names none.

        A later one with an id that was there before goes by its position too: its problems are
        then not taken for those of the first.
        """
        listed = self._data.get(name, [])
        if not isinstance(listed, list):
            self._wrong(name, f"is not a list: each one starts with [[{self._under(name)}]]")
            return []
        found: list[Section] = []
        labels: set[str] = set()
        for position, data in enumerate(listed, start=1):
            label = f"#{position}"
            if not isinstance(data, dict):
                self._report.problem(
                    self._file,
                    self.at(f"{name}.{label}"),
                    f"{shown(data)} is not a section [[{self._under(name)}]]",
                    value=shown(data),
                )
                continue
            own = data.get("id")
            if isinstance(own, str) and is_id(own) and own not in labels:
                label = own
                labels.add(own)
            found.append(self._within(data, name, f"{name}.{label}", known))
        return found

    def _under(self, name: str) -> str:
        return f"{self._header}.{name}" if self._header else name

    def _within(
        self, data: Mapping[str, object], name: str, key: str, known: Sequence[str]
    ) -> "Section":
        return Section(
            data,
            file=self._file,
            report=self._report,
            known=known,
            key=self.at(key),
            header=self._under(name),
        )


def refuse_duplicates(sections: Sequence[Section]) -> None:
    """A problem for every id that an earlier section has taken."""
    first: dict[object, Section] = {}
    for section in sections:
        own = section.clean.get("id")
        if own is None:
            continue
        if own in first:
            first[own].problem("id", f"{shown(own)} is also the id of {section.key}")
        else:
            first[own] = section


def _is_list(value: object) -> TypeGuard[list[object]]:
    """Whether a value is a list with something in it."""
    return isinstance(value, list) and bool(value)
