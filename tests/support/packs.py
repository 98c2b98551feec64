"""Audit packs of `finance_days`: written once, unpacked, and verified by the auditor's program."""

import asyncio
import io
import shutil
import zipfile
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Final

from progressive.adapters.audit_pack.pack import PackOrder, make_pack
from progressive.adapters.seals.files import LinkSeals
from progressive.adapters.sqlite.journal_reader import SqliteJournalReader
from progressive.application.finance.questions.asking import Surroundings
from progressive.application.seals.note import COSIGNATURE
from progressive.entry.verifier_file import verifier_file
from progressive.verifier.program.main import keys_of
from progressive.verifier.program.page import page
from progressive.verifier.program.verify_path import verify_path
from progressive.verifier.reading.data_directory import How
from tests.support.closed_day import close_day
from tests.support.finance_days import DAYS, NOT_OVER_AT, write_finance_days
from tests.support.sealed_award import HOUSE, WITNESS, seal

PRINTED: Final = "2026-11-04T09:00:00-05:00"
KEYS: Final = f"{HOUSE.key().text}\n{WITNESS.key(COSIGNATURE).text}\n"
CLOSED_DAY, OPEN_DAY, EMPTY_DAY, TODAY = DAYS[0], DAYS[1], DAYS[3], DAYS[4]


class PackShelf:
    """The days with their first one closed, sealed after it; and packs of them."""

    def __init__(self, folder: Path, *, cage_cents: int = 0) -> None:
        self.data = folder / "data"
        self.data.mkdir(parents=True)
        self.key = folder / "key.txt"
        self.key.write_text(KEYS)
        asyncio.run(write_finance_days(self.data))
        asyncio.run(close_day(self.data, CLOSED_DAY, cage_cents=cage_cents))
        asyncio.run(seal(self.data))

    def packed(
        self, day: str, *, sample: int = 5, seed: int = 1, keys: str = KEYS
    ) -> tuple[str, bytes]:
        """Name and bytes."""
        order = PackOrder(
            link=None,
            day=day,
            sample=sample,
            seed=seed,
            printed=datetime.fromisoformat(PRINTED),
            verifier=verifier_file(),
            keys=keys,
        )
        around = Surroundings(
            reader=SqliteJournalReader(self.data, unchanged=True), now=NOT_OVER_AT, program="test"
        )
        out = io.BytesIO()
        name = asyncio.run(make_pack(around, partial(LinkSeals, self.data), order, out))
        return name, out.getvalue()


def unpacked(packed: bytes, to: Path) -> Path:
    """The folder that the zip holds."""
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        archive.extractall(to)
    (folder,) = to.iterdir()
    return folder


def copy_of(folder: Path, to: Path) -> Path:
    """One to spoil."""
    return Path(shutil.copytree(folder, to / folder.name))


def verified(folder: Path, key: Path | None = None) -> tuple[bool, str]:
    """What the auditor's program says to it."""
    how = How(keys=None if key is None else keys_of(key))
    found = verify_path(folder, how)
    return found.ok, "\n".join(page("pack", found))
