"""A cage's CSV file to the payments in it, exactly or not at all: every bad line is named.

Reads text and refuses; never an error other than FinanceRefusedError, whatever the bytes are.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Final
from zoneinfo import ZoneInfo

from msgspec import Struct, structs

from progressive.application.finance.refusals import FinanceRefusedError
from progressive.application.finance.stated.cage_amounts import cents_of, decimal_sign, moment_of
from progressive.application.finance.stated.cage_mapping import (
    DELIMITERS,
    CageMapping,
    completed,
    mapping_problem,
)
from progressive.domain.finance_events import CageFile, CagePayment
from progressive.domain.text import text_problem, tidied

PAYMENTS_MAX: Final = 2_000
"""In one file, as the journal takes them."""
FILE_BYTES_MAX: Final = 4 * 2**20
TEXT_CHARACTERS_MAX: Final = 100
"""Of a reference or a document."""
PROBLEMS_NAMED: Final = 20
"""Bad lines that a refusal names; the rest are counted."""


class BadLine(Struct, frozen=True):
    """What is wrong in one line."""

    line: int
    """As an editor counts, from 1."""
    column: str
    """The heading of the column; empty: the line as a whole."""
    expected: str

    def in_words(self) -> str:
        """For people."""
        return f"line {self.line}{f', {self.column}' if self.column else ''}: {self.expected}"


class CageFileRefusedError(FinanceRefusedError):
    """Lines of a file cannot be read as payments; its text names them."""

    def __init__(self, name: str, bad_lines: Sequence[BadLine]) -> None:
        self.bad_lines = tuple(bad_lines)
        named = "; ".join(each.in_words() for each in bad_lines[:PROBLEMS_NAMED])
        more = len(bad_lines) - PROBLEMS_NAMED
        super().__init__(f"{name}: {named}{f'; and {more} more' if more > 0 else ''}")


class _Line(Struct, frozen=True):
    number: int
    cells: list[str]


def read_cage_file(body: bytes, name: str, mapping: CageMapping | None = None) -> CageFile:
    """The payments of a file, in its order; raises FinanceRefusedError.

    Without a mapping, columns are found by their names.
    """
    name = _file_name(name)
    try:
        return _read(body, name, mapping or CageMapping())
    except CageFileRefusedError:
        raise
    except FinanceRefusedError as error:
        raise FinanceRefusedError(f"{name}: {error}") from None


def _read(body: bytes, name: str, mapping: CageMapping) -> CageFile:
    if (problem := mapping_problem(mapping)) is not None:
        raise FinanceRefusedError(problem)
    if len(body) > FILE_BYTES_MAX:
        raise FinanceRefusedError(f"more than {FILE_BYTES_MAX // 2**20} MiB")
    lines = list(_lines(_text(body, mapping), mapping))
    if not lines:
        raise FinanceRefusedError("no line in it" if mapping.header else "no payment in it")
    header = lines[0].cells
    if mapping.header:
        lines = lines[1:]
    else:
        header = [f"column {number}" for number in range(1, len(header) + 1)]
    mapping = completed(mapping, header)
    bad = [
        BadLine(
            line.number, "", f"{len(line.cells)} fields, where the first line has {len(header)}"
        )
        for line in lines
        if len(line.cells) != len(header)
    ]
    if bad:
        raise CageFileRefusedError(name, bad)
    lines = _chosen(lines, header, mapping)
    if len(lines) > PAYMENTS_MAX:
        raise FinanceRefusedError(f"{len(lines):,} payments; one file has up to {PAYMENTS_MAX:,}")
    payments, bad = _Reading(header, mapping, lines).payments()
    if bad:
        raise CageFileRefusedError(name, bad)
    return CageFile(file=name, sha256=sha256(body).hexdigest(), payments=tuple(payments))


def _file_name(name: str) -> str:
    """Without the folders that it lay in."""
    last = tidied(name.replace("\\", "/").rpartition("/")[2])
    problem = "it is empty" if not last else text_problem(last)
    if problem is not None:
        raise FinanceRefusedError(f"the file's name: {problem}")
    if len(last) > TEXT_CHARACTERS_MAX:
        raise FinanceRefusedError(f"the file's name has more than {TEXT_CHARACTERS_MAX} characters")
    return last


def _text(body: bytes, mapping: CageMapping) -> str:
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise FinanceRefusedError("it is UTF-16: store it as UTF-8")
    encoding = {"utf-8": "utf-8-sig", "windows-1252": "cp1252"}.get(
        mapping.encoding, mapping.encoding
    )
    try:
        return body.decode(encoding)
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        hint = 'say encoding = "latin-1" in the mapping if it is that'
        raise FinanceRefusedError(
            f"line {line}: byte 0x{body[error.start]:02X} is not {mapping.encoding}"
            f"{f': {hint}' if mapping.encoding == 'utf-8' else ''}"
        ) from None


def _lines(text: str, mapping: CageMapping) -> Iterator[_Line]:
    """The lines that are not blank; a quoted field may go over several."""
    raw = list(io.StringIO(text, newline=""))
    while raw and not raw[-1].strip():
        raw.pop()
    raw = raw[mapping.skip_lines : max(0, len(raw) - mapping.skip_last_lines)]
    delimiter = mapping.delimiter or _delimiter(raw)
    reader = csv.reader(raw, delimiter=delimiter, strict=True)
    number = mapping.skip_lines + 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield _Line(number, cells)
            number = mapping.skip_lines + reader.line_num + 1
    except csv.Error as error:
        raise FinanceRefusedError(f"line {number}: not CSV: {error}") from None


def _delimiter(raw: Sequence[str]) -> str:
    first = next((line for line in raw if line.strip()), "")
    return max(DELIMITERS, key=first.count)


def _chosen(lines: list[_Line], header: Sequence[str], mapping: CageMapping) -> list[_Line]:
    for column, texts in mapping.only.items():
        places = [at for at, name in enumerate(header) if name.strip() == column.strip()]
        if len(places) != 1:
            raise FinanceRefusedError(f"only: {len(places)} columns are called {column!r}")
        lines = [line for line in lines if line.cells[places[0]].strip() in texts]
    return lines


class _Reading:
    """All lines of one file, by a mapping that names columns by their numbers."""

    def __init__(self, header: Sequence[str], mapping: CageMapping, lines: list[_Line]) -> None:
        self._header, self._mapping, self._lines = header, mapping, lines
        self._zone = ZoneInfo(mapping.time_zone) if mapping.time_zone else None
        self._bad: list[BadLine] = []
        self._known: dict[str, int] = {}
        self._mark = ""

    def payments(self) -> tuple[list[CagePayment], list[BadLine]]:
        """What could be read, and what could not."""
        mapping = self._mapping
        if not mapping.decimal:
            found = decimal_sign(self._cell(line, mapping.amount) for line in self._lines)
            if not found:
                raise FinanceRefusedError(
                    "amounts end in .00 and in ,00: say which is the decimal sign in the mapping"
                )
            self._mapping = structs.replace(mapping, decimal=found)
        return [self._payment(line) for line in self._lines], self._bad

    def _payment(self, line: _Line) -> CagePayment:
        mapping = self._mapping
        reference = self._words(line, mapping.reference)
        if not reference:
            self._refuse(line, mapping.reference, "the cage's number of the payment is missing")
        elif (known := self._known.setdefault(reference.casefold(), line.number)) != line.number:
            self._refuse(line, mapping.reference, f"{reference!r} stands in line {known} too")
        return CagePayment(
            reference=reference,
            document=self._words(line, mapping.document),
            cents=self._cents(line),
            paid_at=self._paid_at(line),
        )

    def _words(self, line: _Line, column: str | int) -> str:
        text = tidied(self._cell(line, column).strip())
        if text and (problem := text_problem(text)) is not None:
            self._refuse(line, column, problem)
        if len(text) > TEXT_CHARACTERS_MAX:
            self._refuse(line, column, f"more than {TEXT_CHARACTERS_MAX} characters")
        return text

    def _cents(self, line: _Line) -> int:
        mapping = self._mapping
        text = self._cell(line, mapping.amount)
        found = cents_of(text, mapping.decimal, unit=mapping.unit)
        if found is None:
            example = {"cents": "123456", ".": "1,234.56", ",": "1.234,56"}
            like = example[mapping.unit if mapping.unit == "cents" else mapping.decimal]
            self._refuse(
                line, mapping.amount, f"{_short(text)} is not an amount above zero like {like}"
            )
            return 0
        cents, mark = found
        if mark and mark != (self._mark or mark):
            self._refuse(line, mapping.amount, f"{mark!r}, where lines before have {self._mark!r}")
        self._mark = self._mark or mark
        return cents

    def _paid_at(self, line: _Line) -> str:
        mapping = self._mapping
        if not mapping.time:
            return ""
        text = self._cell(line, mapping.time)
        if mapping.date:
            text = f"{self._cell(line, mapping.date).strip()} {text.strip()}"
        if not text.strip():
            return ""
        found = moment_of(text, mapping.time_format, self._zone)
        if found is None:
            form = f"by {mapping.time_format!r}" if mapping.time_format else "like 2026-11-17 20:14"
            where = (
                f"in {mapping.time_zone}" if self._zone else "with its offset, as no zone is said"
            )
            self._refuse(line, mapping.time, f"{_short(text)} is not a time {form} {where}")
            return ""
        return found

    def _cell(self, line: _Line, column: str | int) -> str:
        return line.cells[int(column) - 1]

    def _refuse(self, line: _Line, column: str | int, expected: str) -> None:
        heading = self._header[int(column) - 1].strip()
        self._bad.append(BadLine(line.number, _short(heading, quoted=False), expected))


def _short(text: str, *, quoted: bool = True) -> str:
    """A text of a file, in a message."""
    cut = text if len(text) <= 40 else f"{text[:39]}…"
    return repr(cut) if quoted else ascii(cut)[1:-1] if not cut.isprintable() else cut
