"""The Alpha sign protocol as bytes: packets, and the few commands that this driver needs. Pure.

Written out from the protocol's description (Adaptive form 9708-8061); `docs/led.md` tells it in
words. Every byte sent is below 80H, so that a line of seven data bits carries it too. Only what
the oldest signs know (Alpha 1.0, EZ KEY II) is used.
"""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

WAKE_UP: Final = bytes(5)
"""NULs, by which a sign finds out the speed of the line."""
SOH: Final = b"\x01"
STX: Final = b"\x02"
ETX: Final = b"\x03"
EOT: Final = b"\x04"
ESC: Final = b"\x1b"

NEW_PAGE: Final = b"\x0c"
FIXED_WIDTH: Final = b"\x1e1"
"""Every character as wide as the next, so that an amount does not jump about as it grows."""
PROPORTIONAL: Final = b"\x1e0"
RED: Final = b"\x1c1"
GREEN: Final = b"\x1c2"
AMBER: Final = b"\x1c3"
DIM_RED: Final = b"\x1c4"
RAINBOW: Final = b"\x1c9"

Mode = Literal["hold", "rotate", "compressed", "flash"]
MODES: Final[dict[Mode, bytes]] = {
    "rotate": b"a",
    "hold": b"b",
    "flash": b"c",
    "compressed": b"t",
}
FILL: Final = b"0"
"""The position: all lines of the sign. A sign of one line ignores it, but it must be there."""

TEXT_OVERHEAD_BYTES: Final = 3
"""ESC, the position and the mode before every message of a TEXT file."""

TEXT_LABEL: Final = "A"
NOTICE_LABELS: Final = "BC"
"""TEXT files that run when the time of the first is over: after it, and before it."""
STRING_LABELS: Final = "abcdefghijklmnopqrstuvwxyz"
"""Lower case: files of their own beside the TEXT files, which are named in upper case."""
PRIORITY_LABEL: Final = "0"
PRIORITY_BYTES_MAX: Final = 125
STRING_BYTES_MAX: Final = 125
TEXT_BYTES_MAX: Final = 3_000
"""Less than the smallest sign's memory."""


class Address(NamedTuple):
    """Which signs on the line are meant: a type code (`Z`: any) and an address (`00`: all)."""

    type_code: str = "Z"
    address: str = "00"


class RunTimes(NamedTuple):
    """From which time of day on a TEXT file runs, and until when: hours and minutes, by tens."""

    start: tuple[int, int]
    stop: tuple[int, int]

    @property
    def codes(self) -> str:
        """As the protocol writes them: tens of minutes since midnight, hexadecimal."""
        return "".join(f"{hour * 6 + minute // 10:02X}" for hour, minute in self)


class MemoryFile(NamedTuple):
    """A file that a sign is to keep room for."""

    label: str
    kind: Literal["text", "string"]
    size_bytes: int
    times: RunTimes | None = None
    """Of a TEXT file; None: always."""


def packet(to: Address, command: bytes) -> bytes:
    """One command, with its checksum: what a sign does not receive whole, it ignores."""
    framed = STX + command + ETX
    header = WAKE_UP + SOH + to.type_code.encode("ascii") + to.address.encode("ascii")
    return header + framed + checksum(framed) + EOT


def checksum(framed: bytes) -> bytes:
    """The sum of all bytes from STX to ETX, both included: 16 bits as four hexadecimal digits."""
    return b"%04X" % (sum(framed) & 0xFFFF)


def write_text(message: bytes, mode: Mode, *, label: str = TEXT_LABEL) -> bytes:
    """A TEXT file: what runs when nothing is more urgent. The display blinks once."""
    return _text(label, message, mode, TEXT_BYTES_MAX)


def write_priority(message: bytes, mode: Mode) -> bytes:
    """Takes the sign over until it is released. Needs no memory, and stops all other files."""
    return _text(PRIORITY_LABEL, message, mode, PRIORITY_BYTES_MAX)


def release_priority() -> bytes:
    """The TEXT file runs again.

    The label and nothing after it: an empty message with a mode would hold a blank sign.
    """
    return b"A" + PRIORITY_LABEL.encode("ascii")


def _text(label: str, message: bytes, mode: Mode, bytes_max: int) -> bytes:
    content = ESC + FILL + MODES[mode] + message
    if not message or len(content) > bytes_max:
        raise ValueError(f"a TEXT file {label} of {len(content)} bytes, {bytes_max} at the most")
    return b"A" + label.encode("ascii") + content


def write_string(label: str, value: bytes) -> bytes:
    """A STRING file: it changes on the glass without a blink wherever a TEXT file calls it."""
    # A sign empties a STRING that is given more than it has room for.
    if len(value) > STRING_BYTES_MAX:
        raise ValueError(f"a STRING file of {len(value)} bytes, {STRING_BYTES_MAX} at the most")
    return b"G" + label.encode("ascii") + value


def call_string(label: str) -> bytes:
    """Inside a TEXT file: here stands what that STRING file holds."""
    return b"\x10" + label.encode("ascii")


def clear_memory() -> bytes:
    """Forget every file. Some signs take a new memory configuration only after this."""
    return b"E$"


def set_memory(files: Sequence[MemoryFile]) -> bytes:
    """Make room for these files and no others; what they held is lost."""
    if not files:
        raise ValueError("a memory configuration without files would clear the memory")
    return b"E$" + b"".join(map(_memory_entry, files))


def _memory_entry(file: MemoryFile) -> bytes:
    # Without times a TEXT file runs always (FF); a STRING file has none. Both are locked, as a
    # STRING must be: nobody changes what is shown with the sign's remote control.
    always = "FFFF" if file.times is None else file.times.codes
    kind, times = ("A", always) if file.kind == "text" else ("B", "0000")
    return f"{file.label}{kind}L{file.size_bytes:04X}{times}".encode("ascii")


def set_run_sequence(labels: str, *, by_times: bool = False) -> bytes:
    """Run these TEXT files, locked against the remote control: `by_times` each at its own, else
    whatever time it is."""
    return (b"E.TL" if by_times else b"E.SL") + labels.encode("ascii")


def set_time_of_day(hour: int, minute: int) -> bytes:
    """The sign's own clock, which need not be that of the wall: only run times go by it."""
    return b"E %02d%02d" % (hour, minute)


def set_day_of_week(day: str) -> bytes:
    """`1` is Sunday, `7` Saturday."""
    return b"E&" + day.encode("ascii")


def set_run_days(label: str, day: str) -> bytes:
    """On which day of the week a TEXT file runs; `0`: daily."""
    return b"E2" + (label + day * 2).encode("ascii")
