"""How a cage's CSV file is to be read: which column is what, how amounts and times are written.

As TOML in a `[cage]` section; what it does not name is found by the names in the file's header.
Only describes: `cage_file` reads.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final, Literal
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Struct, structs

from progressive.application.finance.refusals import FinanceRefusedError

DELIMITERS: Final = (",", ";", "\t", "|")
LINES_SKIPPED_MAX: Final = 100


class CageMapping(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A column is the name in the header, or its number, counted from 1; empty: by its name."""

    reference: str | int = ""
    """The cage's own number of a payment."""
    document: str | int = ""
    """The payment document."""
    amount: str | int = ""
    date: str | int = ""
    """Where date and time stand in two columns."""
    time: str | int = ""
    """When it was paid; a file may have none."""
    header: bool = True
    """Whether the first line names the columns. If not, they are given by number."""
    delimiter: Literal["", ",", ";", "\t", "|"] = ""
    """Empty: the one that the header has most often."""
    encoding: Literal["utf-8", "latin-1", "windows-1252"] = "utf-8"
    unit: Literal["", "units", "cents"] = ""
    """Whether an amount counts dollars or cents; empty: cents where the column's name says so."""
    decimal: Literal["", ".", ","] = ""
    """Empty: the one that stands before two last digits, where the file has only one such."""
    time_format: str = ""
    """As strptime knows it, like `%m/%d/%Y %I:%M %p`; empty: ISO 8601."""
    time_zone: str = ""
    """Of times without an offset; empty: the floor's."""
    skip_lines: int = 0
    """Before the header."""
    skip_last_lines: int = 0
    """At the end, such as a sum."""
    only: Mapping[str, tuple[str, ...]] = {}
    """Lines count only if this column holds one of these texts: for files with other payments."""


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    cage: CageMapping = CageMapping()


def mapping_of(toml: bytes, name: str = "the mapping") -> CageMapping:
    """The `[cage]` section of a TOML file; raises FinanceRefusedError."""
    try:
        found = msgspec.toml.decode(toml, type=_File).cage
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise FinanceRefusedError(f"{name}: {error}") from None
    if (problem := mapping_problem(found)) is not None:
        raise FinanceRefusedError(f"{name}: {problem}")
    return found


def in_zone(mapping: CageMapping, time_zone: str) -> CageMapping:
    """The mapping with the floor's time zone, where it names none."""
    return structs.replace(mapping, time_zone=mapping.time_zone or time_zone)


def mapping_problem(mapping: CageMapping) -> str | None:
    """What contradicts itself in a mapping; None where nothing does."""
    if not 0 <= mapping.skip_lines <= LINES_SKIPPED_MAX:
        return f"skip_lines is not between 0 and {LINES_SKIPPED_MAX}"
    if not 0 <= mapping.skip_last_lines <= LINES_SKIPPED_MAX:
        return f"skip_last_lines is not between 0 and {LINES_SKIPPED_MAX}"
    given = {role: getattr(mapping, role) for role in (*ROLES, "date")}
    for role, column in given.items():
        if isinstance(column, int) and column < 1:
            return f"{role}: columns are counted from 1"
        if not mapping.header and isinstance(column, str) and column:
            return f"{role}: a file without a header has its columns by number"
    if not mapping.header and not all(given[role] for role in REQUIRED):
        return f"a file without a header needs the numbers of {', '.join(REQUIRED)}"
    if not mapping.header and mapping.only:
        return "only: a file without a header has no names of columns"
    if mapping.date and not mapping.time:
        return "date: give the column of the time, too"
    if mapping.time_zone:
        try:
            ZoneInfo(mapping.time_zone)
        except (KeyError, ValueError, OSError):
            return f"time_zone: unknown zone {mapping.time_zone!r}"
    return None


# --- by the names in the header -------------------------------------------------------------------

ROLES: Final = ("reference", "document", "amount", "time")
REQUIRED: Final = ("reference", "document", "amount")
NAMES: Final[Mapping[str, frozenset[str]]] = {
    "reference": frozenset({
        *("reference", "ref", "cage reference", "cage ref", "transaction", "txn", "trans"),
        *("receipt", "voucher", "payment id", "payment", "id"),
    }),
    "document": frozenset({
        *("document", "doc", "slip", "jackpot slip", "payment document", "payout slip"),
        *("hand pay slip", "handpay slip", "jackpot document"),
    }),
    "amount": frozenset({
        *("amount", "amount paid", "paid amount", "payment amount", "paid", "payout"),
        *("amount cents", "amount in cents", "cents", "paid cents", "cents paid"),
    }),
    "date": frozenset({"date", "date paid", "paid date", "payment date"}),
    "time": frozenset({
        *("time", "paid at", "time paid", "paid time", "payment time", "timestamp"),
        *("date time", "datetime", "date and time", "paid on"),
    }),
}  # fmt: skip
"""What columns are called: small letters, `no`, `number` and `#` at the end left out."""
_ENDINGS: Final = (" no", " nr", " number", " num", " id")


def plain_name(heading: str) -> str:
    """A heading as `NAMES` has it: `Paid_At` and `PAID AT` are one."""
    words = " ".join(re.findall(r"[^\W_]+", heading.casefold()))
    for ending in _ENDINGS:
        if words.endswith(ending) and words != ending.strip():
            return words.removesuffix(ending)
    return words


def completed(mapping: CageMapping, header: Sequence[str]) -> CageMapping:
    """The mapping with every column as its number; raises FinanceRefusedError."""
    found: dict[str, str | int] = {}
    for role in ("reference", "document", "amount", "date", "time"):
        column = getattr(mapping, role)
        if not column and role in ("date", "time") and mapping.time:
            found[role] = ""
            continue
        found[role] = _place(role, column, header)
    if not found["time"]:
        found["date"] = ""
    missing = [role for role in REQUIRED if not found[role]]
    if missing:
        raise FinanceRefusedError(
            f"which column is {' and which '.join(missing)}? "
            f"(there are: {', '.join(map(repr, header))}): name it in the mapping"
        )
    taken = [column for column in found.values() if column]
    if len(set(taken)) < len(taken):
        raise FinanceRefusedError("one column is given for two things")
    amount = found["amount"]
    heading = plain_name(header[amount - 1]) if isinstance(amount, int) else ""
    unit = mapping.unit or ("cents" if "cents" in heading.split() else "units")
    return structs.replace(mapping, unit=unit, **found)


def _place(role: str, column: str | int, header: Sequence[str]) -> str | int:
    """The number of a column, counted from 1; empty where there is none."""
    if isinstance(column, int):
        if column > len(header):
            raise FinanceRefusedError(f"{role}: there is no column {column}, but {len(header)}")
        return column
    if column:
        places = [at for at, name in enumerate(header, 1) if name.strip() == column.strip()]
        if not places:
            named = ", ".join(map(repr, header))
            raise FinanceRefusedError(f"{role}: no column {column!r} (there are: {named})")
    else:
        places = [at for at, name in enumerate(header, 1) if plain_name(name) in NAMES[role]]
    if len(places) > 1:
        both = ", ".join(repr(header[at - 1]) for at in places)
        raise FinanceRefusedError(f"{role}: {both} may be it: name it in the mapping")
    return places[0] if places else ""
