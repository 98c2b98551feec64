"""Journals that a house sealed and a witness cosigned, and the verifier's page about them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from progressive.verifier.program.main import main
from tests.support.journals import JournalFile, JournalShelf
from tests.support.long_journal import LongJournal, make_long_journal
from tests.support.sealing import SealedFolder, Sealer
from tests.support.segment_mischief import close_segments
from tests.support.segmented import SegmentedJournal

HOUSE = Sealer("casino.example", b"h" * 32)
OTHER = Sealer("casino.example", b"o" * 32)
"""Somebody who calls himself the house."""
WITNESS = Sealer("witness.example", b"w" * 32, kind=4)
KEYS = f"{HOUSE.key_line}\n{WITNESS.key_line}\n"
ENDS = {f"{number:06}-2026-01-02": last for number, last in ((1, 4), (2, 7), (3, 10))}
"""Of the segments of `in_segments`, whose journal has fifteen records."""

Told = Callable[..., tuple[int, str]]
"""Exit code and page of the verifier, for a path, keys and further arguments."""


def in_segments(shelf: JournalShelf, data: Path) -> JournalFile:
    """Three closed segments; records 11 to 15 are open."""
    journal = shelf.copy_to(data)
    close_segments(journal)
    return journal


def sealed_by(journal: JournalFile, *witnesses: Sealer) -> SealedFolder:
    """The end of every segment, and the newest record."""
    seals = SealedFolder(journal.directory, "main", HOUSE, *witnesses)
    seals.seal_all(ENDS)
    return seals


def sealed_week(folder: Path) -> LongJournal:
    """Seven segments, each with a state, and an open part; sealed at every end."""
    made = make_long_journal(folder, records=4_000, tables=20, days=7.5)
    segments = SegmentedJournal(made.data, made.link).segments()
    assert len(segments) >= 6
    ends = {each.name: each.last_seq for each in segments}
    SealedFolder(made.data, made.link, HOUSE).seal_all(ends)
    return made


def teller(key_file: Path, capsys: pytest.CaptureFixture[str]) -> Told:
    """Runs the program with the keys in that file."""

    def run(path: Path, keys: str = KEYS, *arguments: object) -> tuple[int, str]:
        key_file.write_text(keys)
        code = main([str(path), "--key", str(key_file), *[str(each) for each in arguments]])
        out, err = capsys.readouterr()
        return code, out + err

    return run
