"""Why something of a day is as it is: what finance wrote beside the findings of its checks."""

from collections.abc import Sequence

from msgspec import Struct

from progressive.application.finance.stated.entries import Entered, of_kind
from progressive.domain.finance_events import Explanation


class Explained(Struct, frozen=True):
    """One explanation, and who gave it."""

    text: str
    by: str
    seq: int


class Explanations:
    """Those of one check. The newest of a day and item counts; one without an item is of all."""

    def __init__(self, entries: Sequence[Entered], check: str) -> None:
        self._found = {
            (entered.day, each.item): Explained(each.text, entered.by.name, entered.seq)
            for entered, each in of_kind(entries, Explanation)
            if each.check == check
        }

    def of(self, item: str, *days: str | None, older: str = "") -> Explained | None:
        """Of a finding of these days, or of the whole check on one of them.

        `older`: another name of the finding, which counts where nothing is said under its own.
        """
        names = [item, older, ""] if older else [item, ""]
        places = [(day, name) for name in names for day in days if day]
        return next((self._found[place] for place in places if place in self._found), None)
