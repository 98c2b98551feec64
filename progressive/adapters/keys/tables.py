"""Table keys: a table shows its own on its socket."""

from pathlib import Path
from typing import Final

from progressive.adapters.keys.held import HeldKeys
from progressive.domain.ids import TableId

FOLDER: Final = "keys"
PREFIX: Final = "ptk_"
"""Lets a secret scanner recognise a table key that has gone astray."""


class TableKeys(HeldKeys):
    """The keys of a floor's tables, in its data directory."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory, folder=FOLDER, prefix=PREFIX, kind="table")

    def issue(self, table: TableId, *, holder: str = "table") -> str:
        """A new key; it replaces the table's former one. `holder` says who it was made for."""
        return self.issue_to(table, holder=holder)

    def holder(self, table: TableId) -> str | None:
        """Who the table's key was made for, or None where it has none."""
        stored = self.stored(table)
        return None if stored is None else stored.holder

    def fits(self, table: TableId, key: str) -> bool:
        """Whether this is the table's key."""
        return self.fits_name(table, key)
