"""Who deals at the demo's tables, and the one table that is left to whoever looks at the demo."""

from collections.abc import Mapping
from typing import Final

from progressive.application.link.worker import LinkWorker
from progressive.domain.acts import SignOn
from progressive.domain.ids import LinkId, TableId
from progressive.domain.rulebook.rules import FloorRules
from progressive.domain.signatures import Signature

DEPARTMENT: Final = "Table games"
NAME: Final = "demo-dealer-"
"""With the table behind it. Such a dealer has no account: nobody logs in as one."""


def free_table(rules: FloorRules) -> TableId | None:
    """The last table of the first link that has another one besides; None where none has."""
    for link in rules.links:
        if len(link.tables) > 1:
            return link.tables[-1].id
    return None


async def sign_on_dealers(
    rules: FloorRules, workers: Mapping[LinkId, LinkWorker], free: TableId | None
) -> None:
    """A dealer at every simulated table, so that the pit and the awards show one.

    Dealers of the last run are still signed on; at the free table that would keep a panel from
    dealing, so one of ours leaves it.
    """
    for link in rules.links:
        worker = workers[link.id]
        for table in link.tables:
            now = None if worker.state is None else worker.state.dealers.get(table.id)
            simulated = now is not None and now.name.startswith(NAME)
            if table.id != free and now is None:
                await worker.perform(SignOn(table.id, Signature(f"{NAME}{table.id}", DEPARTMENT)))
            elif table.id == free and simulated:
                await worker.perform(SignOn(table.id, None))
