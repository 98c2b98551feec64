"""A link that this process writes: its state, its place in the journal, its gaming day."""

from typing import Final

from progressive.application.journal.gaming_day import GamingDays
from progressive.application.link.memory import CommittedMark
from progressive.application.link.replay import ReplayedLink
from progressive.domain.guard_events import JournalPlace
from progressive.domain.rulebook.house_terms import HouseTerms
from progressive.domain.rulebook.rules import LinkRules

NEVER: Final = "~"
"""Later than any time."""


class OwnedLink(ReplayedLink, kw_only=True):
    """A link that this process may append to, as long as its epoch is the newest."""

    epoch: int
    times_hold_from: int = 0
    """The first record written by a version whose times never go back; 0: not known."""
    sealed_size: int = 0
    """Records that are sealed, for all that is known here."""
    day_ends: str = NEVER
    """The first moment after the gaming day of the last record. No record beyond it is written
    before a checkpoint: a segment of the journal ends there."""

    @property
    def place(self) -> JournalPlace:
        """The last record, durable."""
        return JournalPlace(self.epoch, self.state.seq, self.head, self.at)

    @property
    def mark(self) -> CommittedMark:
        """What is to be remembered of the link outside its journal."""
        return CommittedMark(
            self.state.link,
            self.place,
            self.times_hold_from,
            retired=self.state.retired,
            sealed_size=self.sealed_size,
        )

    def begin_day(self, days: GamingDays) -> None:
        """The gaming day is that of the last record."""
        self.day_ends = days.ends(days.day_of(self.at))


def gaming_days(rules: LinkRules) -> GamingDays:
    """How the floor of a link counts its days."""
    house = HouseTerms() if rules.terms.house is None else rules.terms.house
    return GamingDays.of(house.time_zone, house.gaming_day_starts)
