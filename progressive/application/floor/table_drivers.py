"""Who drives a table: its controller or dealers' panels, never both at once.

Both number the table's messages. One that believes it knows the next number must not find that the
other has used it.
"""

from collections import Counter
from typing import Final

from progressive.domain.ids import TableId

PANELS_MAX: Final = 8
"""Panels of one table: a screen, a spare one, a few reloads whose sockets are still dying."""


class TableDrivers:
    """The tables that are driven now."""

    def __init__(self) -> None:
        self._controllers: set[TableId] = set()
        self._panels: Counter[TableId] = Counter()

    def controller_takes(self, table: TableId) -> bool:
        """Whether a controller may drive the table; if so it does from now on."""
        if self.driven(table):
            return False
        self._controllers.add(table)
        return True

    def controller_leaves(self, table: TableId) -> None:
        """It is gone."""
        self._controllers.discard(table)

    def panel_takes(self, table: TableId) -> bool:
        """Whether one more panel may drive the table; if so it does from now on."""
        if table in self._controllers or self._panels[table] >= PANELS_MAX:
            return False
        self._panels[table] += 1
        return True

    def panel_leaves(self, table: TableId) -> None:
        """One panel is gone."""
        self._panels[table] -= 1
        if not self._panels[table]:
            del self._panels[table]

    def panels(self, table: TableId) -> int:
        """How many panels drive the table."""
        return self._panels[table]

    def driven(self, table: TableId) -> bool:
        """Whether anybody drives the table."""
        return table in self._controllers or self._panels[table] > 0

    @property
    def tables(self) -> frozenset[TableId]:
        """All that are driven."""
        return frozenset(self._controllers | self._panels.keys())
