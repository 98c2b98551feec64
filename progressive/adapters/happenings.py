"""What happened beside the journal, as files: `DATA/happenings/YYYY-MM-DD.jsonl`, one a UTC day.

Lines are only ever appended. A crash may cut off the last one: the next append begins a new line,
and a reader says how many it could not read. Nothing here is part of the journal or sealed.
"""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec

from progressive.adapters.durable import FILE_MODE, FOLDER_MODE, sync_folder
from progressive.application.floor.happenings_fold import HappeningsFold
from progressive.application.journal.ports import StoreUnavailableError
from progressive.common.steps import step
from progressive.domain.happenings import HappenedThen, HappeningLine, Noted
from progressive.domain.ids import LinkId

FOLDER: Final = "happenings"
ENDING: Final = ".jsonl"
BYTES_A_DAY: Final = 16 * 2**20
"""Of one file. Signs of life, starts and stops are written beyond it: there are few."""
REFUSALS_BYTES_A_DAY: Final = BYTES_A_DAY // 2
"""Whoever is refused again and again must leave room for the rest."""
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_DAY_CHARACTERS: Final = len("2026-01-02")
_REFUSALS: Final = frozenset((Noted.REFUSED, Noted.ACT_REFUSED))
_ALWAYS: Final = frozenset((Noted.STARTED, Noted.STOPPED, Noted.ALIVE, Noted.LOST))

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(HappeningLine)


class FileHappenings:
    """Implements `HappeningStore` and `HappeningsReader` in a data directory."""

    def __init__(
        self,
        data: Path,
        *,
        bytes_a_day: int = BYTES_A_DAY,
        refusals_bytes_a_day: int = REFUSALS_BYTES_A_DAY,
    ) -> None:
        self._folder = data / FOLDER
        self._bytes_a_day = bytes_a_day
        self._refusals_bytes_a_day = refusals_bytes_a_day

    # --- writing -----------------------------------------------------------------------------

    def append(self, lines: Sequence[HappeningLine]) -> int:
        """Each line into the file of its day, on the disk; how many found no room there."""
        by_day: dict[str, list[HappeningLine]] = {}
        for line in lines:
            by_day.setdefault(line.at[:_DAY_CHARACTERS], []).append(line)
        try:
            return sum(self._append(day, of_day) for day, of_day in by_day.items())
        except OSError as error:
            raise StoreUnavailableError(f"{FOLDER}/: {error.strerror}") from error

    def _append(self, day: str, lines: Sequence[HappeningLine]) -> int:
        if not self._folder.is_dir():
            # Not its parents: a data directory that is gone is not made again.
            self._folder.mkdir(mode=FOLDER_MODE)
            sync_folder(self._folder.parent)
        path = self._folder / f"{day}{ENDING}"
        begun = path.exists()
        step(f"open {path.name}")
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        file = os.open(path, flags, FILE_MODE)
        try:
            size = os.fstat(file).st_size
            body, left_out = self._fitting(lines, size)
            torn = size > 0 and os.pread(file, 1, size - 1) != b"\n"
            _write(file, (b"\n" if torn else b"") + body, size, path.name)
        finally:
            os.close(file)
        if not begun:
            sync_folder(self._folder)
        return left_out

    def _fitting(self, lines: Sequence[HappeningLine], size: int) -> tuple[bytes, int]:
        """What a day's file still takes, and how many lines it does not."""
        body = bytearray()
        left_out = 0
        for line in lines:
            most = self._refusals_bytes_a_day if line.what in _REFUSALS else self._bytes_a_day
            encoded = _encoder.encode(line)
            if line.what in _ALWAYS or size + len(body) + len(encoded) < most:
                body += encoded
                body += b"\n"
            else:
                left_out += 1
        return bytes(body), left_out

    def drop_before(self, day: str) -> None:
        """Remove the files of earlier days."""
        try:
            for each in [each for each in self._days() if each < day]:
                (self._folder / f"{each}{ENDING}").unlink(missing_ok=True)
        except OSError as error:
            raise StoreUnavailableError(f"{FOLDER}/: {error.strerror}") from error

    # --- reading -----------------------------------------------------------------------------

    def last(self) -> HappeningLine | None:
        """The latest line."""
        latest: HappeningLine | None = None
        try:
            for day in reversed(self._days()):
                for line in _Lines(self._path(day)):
                    if latest is None or line.at >= latest.at:
                        latest = line
                if latest is not None:
                    return latest
        except OSError as error:
            raise StoreUnavailableError(f"{FOLDER}/: {error.strerror}") from error
        return None

    def read(self, from_at: str, to_at: str, link: LinkId | None = None) -> HappenedThen:
        """What overlaps a range of time, of one link and of the whole service."""
        fold = HappeningsFold(from_at, to_at, link)
        problems: list[str] = []
        unreadable: list[tuple[str, str]] = []
        begins = ""
        try:
            days = self._days()
            begins = self._begins(days)
            from_day, to_day = from_at[:_DAY_CHARACTERS], to_at[:_DAY_CHARACTERS]
            for day in _needed(days, from_day, to_day):
                lines = _Lines(self._path(day))
                if day > to_day:
                    # A start there says until when the service was down here.
                    fold.over(line for line, _ in zip(lines, range(1), strict=False))
                    continue
                fold.over(lines)
                if lines.unreadable:
                    what = "line" if lines.unreadable == 1 else "lines"
                    problems.append(
                        f"{FOLDER}/{day}{ENDING}: {lines.unreadable} {what} cannot be read"
                    )
                    unreadable += lines.gaps
        except OSError as error:
            problems.append(f"{FOLDER}/ cannot be read: {error.strerror}")
            unreadable.append((from_at, to_at))
        return HappenedThen(
            happened=fold.finish(),
            begins=begins,
            problems=tuple(problems),
            unreadable=tuple(unreadable),
        )

    def _begins(self, days: Sequence[str]) -> str:
        for day in days:
            for line in _Lines(self._path(day)):
                return line.at
        return ""

    def _days(self) -> list[str]:
        try:
            names = os.listdir(self._folder)
        except FileNotFoundError:
            return []
        days = [name.removesuffix(ENDING) for name in names if name.endswith(ENDING)]
        return sorted(day for day in days if _DAY.fullmatch(day))

    def _path(self, day: str) -> Path:
        return self._folder / f"{day}{ENDING}"


class _Lines:
    """The lines of a file that can be read, and how many cannot."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.unreadable = 0
        self.gaps: list[tuple[str, str]] = []
        """From the line before one that cannot be read to the one behind it."""

    def __iter__(self) -> Iterator[HappeningLine]:
        try:
            body = self._path.read_bytes()
        except FileNotFoundError:
            # Its time was over between the look at the folder and this one.
            return
        day = self._path.stem
        at, since = f"{day}T00:00:00.000000Z", ""
        for text in body.splitlines():
            try:
                line = _decoder.decode(text)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                self.unreadable += 1
                since = since or at
                continue
            if since:
                self.gaps.append((since, max(since, line.at)))
                since = ""
            at = line.at
            yield line
        if since:
            # Behind every time of this day and before any of the next one.
            self.gaps.append((since, f"{day}T24:00:00.000000Z"))


def _needed(days: Sequence[str], from_day: str, to_day: str) -> list[str]:
    """The files of a range; before them the one that says what lasted, where the range begins
    without a file; behind them the next one there is."""
    within = [day for day in days if from_day <= day <= to_day]
    before = [day for day in days if day < from_day]
    after = [day for day in days if day > to_day]
    if from_day in within:
        before = []
    return [*before[-1:], *within, *after[:1]]


def _write(file: int, body: bytes, size: int, name: str) -> None:
    """All of it, on the disk; or nothing, where the disk takes no more."""
    left = memoryview(body)
    try:
        while left:
            step(f"write {name}")
            left = left[os.write(file, left) :]
        step(f"sync {name}")
        os.fdatasync(file)
    except OSError:
        os.ftruncate(file, size)
        raise
