"""A sign's entries in a few bytes each: columns of small differences, compressed together.

A sign that reports three growing meters once a second says almost the same every time. What
differs is kept as the difference to the entry before (of times: the difference of differences), as
a varint, and each kind of number in a column of its own, where the compression finds the likeness.
State, epoch and the names of the meters are written only where they change.

    block   = deflate( version, base_ms, then each column with its length before it )
    columns = marks, contexts, times, seqs, one for each place among the meters
"""

import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from progressive.application.signs.reports import ENTRY_KINDS, Glass, SignEntry

VERSION: Final = 1
RAW_BYTES_MAX: Final = 64 * 2**20
"""What a block may hold unpacked: a damaged one must not fill the memory."""

_KIND_BITS: Final = 2
_NEW_CONTEXT: Final = 1 << _KIND_BITS
"""In a mark: state, epoch or meters are other ones than before."""
_KIND_OF: Final = {kind: number for number, kind in enumerate(ENTRY_KINDS)}
_MS_BETWEEN_REPORTS: Final = 1000

_Context = tuple[str, int, tuple[str, ...]]
_UNKNOWN: Final[_Context] = ("", 0, ())


class BadBlockError(ValueError):
    """Bytes that are not a valid block."""


class BlockBuilder:
    """Takes entries in and is packed once; each entry costs a few appended bytes."""

    def __init__(self) -> None:
        self.count = 0
        self.first_ms = 0
        self.last_ms = 0
        self.last_kind = ENTRY_KINDS[0]
        self._step_ms = _MS_BETWEEN_REPORTS
        self._context = _UNKNOWN
        self._seq = 0
        self._cents: dict[str, int] = {}
        self._marks = bytearray()
        self._contexts = bytearray()
        self._times = bytearray()
        self._seqs = bytearray()
        self._meters: list[bytearray] = []

    def add(self, entry: SignEntry) -> None:
        """One more entry."""
        if self.count == 0:
            self.first_ms = self.last_ms = entry.at_ms - self._step_ms
        self._add_time(entry.at_ms)
        if self.count == 0:
            self.first_ms = entry.at_ms
        self.count += 1
        self.last_kind = entry.kind
        mark = _KIND_OF[entry.kind]
        if entry.kind == "showing":
            context = (entry.state, entry.epoch, tuple([each.meter for each in entry.glass]))
            if context != self._context:
                mark |= _NEW_CONTEXT
                self._add_context(context)
            _put_signed(self._seqs, entry.seq - self._seq)
            self._seq = entry.seq
            for column, each in zip(self._meters, entry.glass, strict=False):
                _put_signed(column, each.cents - self._cents.get(each.meter, 0))
                self._cents[each.meter] = each.cents
        self._marks.append(mark)

    def _add_time(self, at_ms: int) -> None:
        step_ms = at_ms - self.last_ms
        _put_signed(self._times, step_ms - self._step_ms)
        self._step_ms, self.last_ms = step_ms, at_ms

    def _add_context(self, context: _Context) -> None:
        state, epoch, meters = context
        _put_text(self._contexts, state)
        _put_signed(self._contexts, epoch - self._context[1])
        _put(self._contexts, len(meters))
        for meter in meters:
            _put_text(self._contexts, meter)
        while len(self._meters) < len(meters):
            self._meters.append(bytearray())
        self._context = context

    def packed(self) -> bytes:
        """All of it."""
        raw = bytearray()
        _put(raw, VERSION)
        _put_signed(raw, self.first_ms)
        columns = (self._marks, self._contexts, self._times, self._seqs, *self._meters)
        _put(raw, len(columns))
        for column in columns:
            _put(raw, len(column))
            raw += column
        return zlib.compress(bytes(raw), 9, -15)


def packed(entries: Iterable[SignEntry]) -> bytes:
    """Entries as one block."""
    builder = BlockBuilder()
    for entry in entries:
        builder.add(entry)
    return builder.packed()


def unpacked(block: bytes) -> list[SignEntry]:
    """The entries of a block; raises BadBlockError."""
    try:
        inflate = zlib.decompressobj(-15)
        raw = inflate.decompress(block, RAW_BYTES_MAX)
        if not inflate.eof:
            raise BadBlockError("it is cut short or too long")
        return list(_entries(_Bytes(raw)))
    except (zlib.error, IndexError, UnicodeDecodeError) as error:
        raise BadBlockError(str(error)) from None


def _entries(raw: "_Bytes") -> Iterator[SignEntry]:
    if (version := raw.number()) != VERSION:
        raise BadBlockError(f"it is of version {version}")
    last_ms = raw.signed() - _MS_BETWEEN_REPORTS
    marks, contexts, times, seqs, *meters = _columns(raw)
    step_ms, seq = _MS_BETWEEN_REPORTS, 0
    context = _UNKNOWN
    cents: dict[str, int] = {}
    for mark in marks.rest():
        step_ms += times.signed()
        last_ms += step_ms
        kind = ENTRY_KINDS[mark & (_NEW_CONTEXT - 1)]
        if kind != "showing":
            yield SignEntry(last_ms, kind)
            continue
        if mark & _NEW_CONTEXT:
            context = _read_context(contexts, before=context)
        seq += seqs.signed()
        state, epoch, names = context
        glass = []
        for column, meter in zip(meters, names, strict=False):
            cents[meter] = cents.get(meter, 0) + column.signed()
            glass.append(Glass(meter, cents[meter]))
        yield SignEntry(last_ms, kind, epoch, seq, state, tuple(glass))


def _columns(raw: "_Bytes") -> "Sequence[_Bytes]":
    columns = [raw.part(raw.number()) for _ in range(raw.number())]
    if len(columns) < 4:
        raise BadBlockError("columns are missing")
    return columns


def _read_context(contexts: "_Bytes", *, before: _Context) -> _Context:
    state = contexts.text()
    epoch = before[1] + contexts.signed()
    return state, epoch, tuple([contexts.text() for _ in range(contexts.number())])


# --- numbers and texts ----------------------------------------------------------------------------


def _put(out: bytearray, number: int) -> None:
    """Seven bits a byte, the lowest first; the top bit says that more follow."""
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)


def _put_signed(out: bytearray, number: int) -> None:
    """0, -1, 1, -2, 2 … as 0, 1, 2, 3, 4 …: small either way is short."""
    _put(out, number << 1 if number >= 0 else (~number << 1) | 1)


def _put_text(out: bytearray, text: str) -> None:
    encoded = text.encode()
    _put(out, len(encoded))
    out += encoded


class _Bytes:
    """Bytes that are read from the front; raises IndexError at their end."""

    __slots__ = ("_at", "_bytes")

    def __init__(self, content: bytes) -> None:
        self._bytes = content
        self._at = 0

    def number(self) -> int:
        number = shift = 0
        while True:
            byte = self._bytes[self._at]
            self._at += 1
            number |= (byte & 0x7F) << shift
            if byte < 0x80:
                return number
            shift += 7

    def signed(self) -> int:
        number = self.number()
        return ~(number >> 1) if number & 1 else number >> 1

    def text(self) -> str:
        return self.part(self.number()).rest().decode()

    def part(self, length: int) -> "_Bytes":
        if length > len(self._bytes) - self._at:
            raise IndexError("a part is missing")
        part = _Bytes(self._bytes[self._at : self._at + length])
        self._at += length
        return part

    def rest(self) -> bytes:
        return self._bytes[self._at :]
