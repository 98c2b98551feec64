"""`[[table]]` of the floor file: its link, its seats, and the base wagers it takes."""

from collections.abc import Mapping, Sequence
from typing import Final

from progressive.adapters.config.fields import Section, refuse_duplicates
from progressive.adapters.config.problems import shown
from progressive.domain.rulebook.legal_checks import Breach

TABLE_KEYS: Final = ("id", "link", "seats", "base_min_cents", "base_max_cents")

SEATS_MAX: Final = 15
"""More than any blackjack layout has; a larger number is a slip of the finger."""

BetDraft = Mapping[str, object]


def bets_in(link: Mapping[str, object]) -> list[BetDraft]:
    """The bets in the draft of a link."""
    terms = link["terms"]
    bets = terms.get("bets") if isinstance(terms, dict) else None
    return bets if isinstance(bets, list) else []


def check_tables(
    root: Section, link_ids: Sequence[str], bets_of: Mapping[str, Sequence[BetDraft]]
) -> list[dict[str, object]]:
    """All tables of the floor; `bets_of` has the bets of each link."""
    tables = root.sections("table", TABLE_KEYS)
    links_of: dict[str, dict[str, None]] = {}
    for table in tables:
        own = table.identifier("id")
        link = _link_of(table, link_ids)
        table.whole("seats", low=1, high=SEATS_MAX)
        _check_base_limits(table, bets_of.get(link or "", ()))
        if own is not None and link is not None:
            links_of.setdefault(own, {})[link] = None
    torn = {own: links for own, links in links_of.items() if len(links) > 1}
    for own, links in torn.items():
        # A table's messages are numbered in one journal; in two they could not be gap-free.
        count = "two" if len(links) == 2 else str(len(links))
        first = next(table for table in tables if table.clean.get("id") == own)
        first.problem("link", f"{own} is in {count} links: {', '.join(links)}")
    refuse_duplicates([table for table in tables if table.clean.get("id") not in torn])
    return [table.clean for table in tables]


def _link_of(table: Section, link_ids: Sequence[str]) -> str | None:
    """The link that a table names, known or not; None where it names none."""
    link = table.text("link")
    if link is not None and link not in link_ids:
        known = ", ".join(link_ids) or "none"
        table.problem("link", f"{shown(link)} is not a link of this floor: {known}")
    return link


def _check_base_limits(table: Section, bets: Sequence[BetDraft]) -> None:
    """The limits that are posted at the table for the blackjack wager. 0 is not stated."""
    least = table.whole("base_min_cents", low=0, default=0)
    most = table.whole("base_max_cents", low=0, default=0)
    if not most:
        return
    if least is not None and most < least:
        table.problem("base_max_cents", f"{most} is below base_min_cents {least}")
    for bet in bets:
        smallest = bet.get("wager_cents", bet.get("min_cents"))
        if bet.get("capped_by_base_wager") and isinstance(smallest, int) and smallest > most:
            message = f"{most} is below {smallest}, the least wager of {bet.get('id')}"
            table.warn(
                "base_max_cents",
                Breach(f"{message}, which may not exceed the base wager: nobody can make it here"),
            )
