"""An LED sign made of code: takes the bytes of its line, and tells what is on its glass.

Written from the protocol's description and from what real BetaBrites were seen to do, and shares
no code with the driver it judges. What a real sign ignores silently is kept in `faults`.
"""

import math
import re
from dataclasses import dataclass, field

NUL, SOH, STX, ETX, EOT = 0x00, 0x01, 0x02, 0x03, 0x04
PRIORITY = "0"
PRIORITY_BYTES = 125
STRING_BYTES = 125
POSITIONS = b' "&0'
MODES = b"abcdefghijklmnopqrst"
COMMANDS = re.compile(
    rb"E\$(?P<memory>.*)|E\.(?P<sequence>.*)|E (?P<time>[0-2][0-9][0-5][0-9])|E&(?P<day>[1-7])"
    rb"|E2(?P<days>[A-Z][0-9AB]{2})|A(?P<text>.*)|G(?P<string>.*)",
    re.S,
)
ALWAYS = 0xFF
TEN_MINUTES = 600
DAY_SECONDS = 86_400
EXTENDED = (
    "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿°¡"  # From 80H on, in the order of the sign's table.
)
EXTENDED_CAPITALS = {0xBA: "Á", 0xBE: "Ê", 0xBF: "Í"}
WITH_ARGUMENT = {0x1C, 0x1E, 0x1A, 0x1D, 0x07, 0x09}
"""Control codes that are followed by one character, as far as they draw nothing."""


@dataclass
class TextFile:
    mode: str
    message: bytes


@dataclass
class VirtualSign:
    """One sign; `glass` is what a guest reads, page after page with ` | ` between."""

    type_code: str = "^"
    address: str = "01"
    memory: dict[str, tuple[str, int]] = field(default_factory=dict)
    texts: dict[str, TextFile] = field(default_factory=dict)
    strings: dict[str, bytes] = field(default_factory=dict)
    priority: TextFile | None = None
    sequence: str = "A"
    by_times: bool = False
    times: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Of each TEXT file: from when until when it runs, in tens of minutes since midnight."""
    days: dict[str, tuple[str, str]] = field(default_factory=dict)
    clock_seconds: float = 0.0
    """Since midnight at the beginning of Sunday: by its own clock, which a power cut sets back."""
    faults: list[str] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)
    """The glass after every packet."""
    commands: list[bytes] = field(default_factory=list)
    _buffer: bytearray = field(default_factory=bytearray)

    def power_off(self) -> None:
        """For a day: its memory is gone, and the time."""
        self._buffer.clear()
        self._forget()
        self.clock_seconds = 0.0

    def pass_seconds(self, seconds: float) -> None:
        """Its clock goes on, whoever is at the other end of the line."""
        self.clock_seconds = math.fmod(self.clock_seconds + seconds, 7 * DAY_SECONDS)

    def _forget(self) -> None:
        self.memory.clear()
        self.texts.clear()
        self.strings.clear()
        self.priority = None
        self.sequence = "A"
        self.by_times = False
        self.times.clear()
        self.days.clear()

    def receive(self, data: bytes) -> None:
        """Bytes from the line, in pieces of any size."""
        self._buffer += data
        while (end := self._buffer.find(EOT)) >= 0:
            packet = bytes(self._buffer[: end + 1])
            del self._buffer[: end + 1]
            self._take(packet)

    @property
    def glass(self) -> str:
        if self.priority is not None:
            return self._drawn(self.priority.message)
        running = [
            self.texts[label]
            for label in self.sequence
            if label in self.texts and (not self.by_times or self._is_due(label))
        ]
        return " | ".join(self._drawn(file.message) for file in running)

    def _is_due(self, label: str) -> bool:
        """Whether a TEXT file runs now: from its start up to its stop, on its days."""
        start, stop = self.times.get(label, (ALWAYS, ALWAYS))
        first, last = self.days.get(label, ("0", "0"))
        day, second = divmod(self.clock_seconds, DAY_SECONDS)
        on_day = first == "0" or int(first) <= day + 1 <= int(last)
        return start == ALWAYS or (on_day and start * TEN_MINUTES <= second < stop * TEN_MINUTES)

    def _take(self, packet: bytes) -> None:
        match = re.fullmatch(
            rb"\0{5,}\x01(?P<type>.)(?P<address>..)"
            rb"(?P<framed>\x02(?P<command>[^\x02-\x04]*)\x03)(?P<sum>[0-9A-F]{4})\x04",
            packet,
            re.S,
        )
        if match is None:
            self.faults.append(f"not a packet: {packet!r}")
            return
        if f"{sum(match['framed']) % 65536:04X}".encode() != match["sum"]:
            self.faults.append(f"bad checksum: {packet!r}")
            return
        if any(byte > 0x7F for byte in packet):
            self.faults.append(f"eight bits: {packet!r}")
            return
        if not self._is_meant(match["type"].decode(), match["address"].decode()):
            return
        self.commands.append(match["command"])
        self._obey(match["command"])
        self.seen.append(self.glass)

    def _is_meant(self, type_code: str, address: str) -> bool:
        here = address == "00" or re.fullmatch(address.replace("?", "."), self.address)
        return type_code in ("Z", self.type_code) and bool(here)

    def _obey(self, command: bytes) -> None:
        match = COMMANDS.fullmatch(command)
        if match is None:
            self.faults.append(f"unknown command: {command!r}")
        elif match["memory"] is not None:
            self._lay_out(match["memory"].decode())
        elif match["sequence"] is not None:
            self.by_times = match["sequence"][:1] == b"T"
            self.sequence = match["sequence"].decode()[2:]
        elif match["time"] is not None:
            day = self.clock_seconds // DAY_SECONDS
            of_day = int(match["time"][:2]) * 3600 + int(match["time"][2:]) * 60
            self.clock_seconds = day * DAY_SECONDS + of_day
        elif match["day"] is not None:
            of_day = math.fmod(self.clock_seconds, DAY_SECONDS)
            self.clock_seconds = (int(match["day"]) - 1) * DAY_SECONDS + of_day
        elif match["days"] is not None:
            label, first, last = match["days"].decode()
            self.days[label] = (first, last)
        elif match["text"] is not None:
            self._write_text(chr(match["text"][0]), match["text"][1:])
        else:
            self._write_string(chr(match["string"][0]), match["string"][1:])

    def _lay_out(self, table: str) -> None:
        self._forget()
        if re.fullmatch(r"([ -~][AB][UL][0-9A-F]{8})*", table) is None:
            self.faults.append(f"bad memory configuration: {table}")
            return
        for entry in re.findall(".{11}", table):
            label, kind, locked, size, times = re.fullmatch(
                r"(.)(.)(.)(....)(....)", entry
            ).groups()
            if kind == "B" and (locked != "L" or times != "0000" or int(size, 16) > STRING_BYTES):
                self.faults.append(f"bad entry for a string: {entry}")
            self.memory[label] = (kind, int(size, 16))
            if kind == "A":
                self._set_times(label, int(times[:2], 16), int(times[2:], 16))

    def _set_times(self, label: str, start: int, stop: int) -> None:
        if start != ALWAYS and not start < stop <= 143:
            self.faults.append(f"times that not every sign understands: {label} {start} {stop}")
        self.times[label] = (start, stop)

    def _write_text(self, label: str, content: bytes) -> None:
        if label == PRIORITY and not content:
            self.priority = None
            return
        if content[:1] != b"\x1b" or content[1] not in POSITIONS or content[2] not in MODES:
            self.faults.append(f"no mode: {content!r}")
            return
        file = TextFile(chr(content[2]), content[3:])
        if label == PRIORITY:
            if len(content) > PRIORITY_BYTES:
                self.faults.append(f"too long a priority text: {content!r}")
            self.priority = file
            return
        # File A is there without any memory configuration.
        kind, size = self.memory.get(label, ("A", 256) if label == "A" else ("", 0))
        if kind != "A" or len(content) > size:
            self.faults.append(f"no room for text {label}: {content!r}")
        else:
            self.texts[label] = file

    def _write_string(self, label: str, value: bytes) -> None:
        kind, size = self.memory.get(label, ("", 0))
        if kind != "B":
            self.faults.append(f"no room for string {label}: {value!r}")
        elif len(value) > size:
            # Real signs neither cut it short nor keep the old one.
            self.faults.append(f"too long for string {label}: {value!r}")
            self.strings[label] = b""
        else:
            self.strings[label] = value

    def _drawn(self, message: bytes) -> str:
        drawn = ""
        position = 0
        while position < len(message):
            code = message[position]
            argument = message[position + 1] if position + 1 < len(message) else 0
            position += 2 if code in WITH_ARGUMENT or code in (0x08, 0x10) else 1
            if code == 0x10:
                drawn += self._drawn(self.strings.get(chr(argument), b""))
            elif code == 0x08:
                drawn += _extended(argument + 0x60)
            elif code == 0x0C:
                drawn += " | "
            elif 0x20 <= code < 0x7E:
                drawn += chr(code)
            elif code not in WITH_ARGUMENT:
                drawn += f"<{code:02X}>"
        return drawn


def _extended(code: int) -> str:
    if code in EXTENDED_CAPITALS:
        return EXTENDED_CAPITALS[code]
    place = code - 0x80
    return EXTENDED[place] if 0 <= place < len(EXTENDED) else "?"
