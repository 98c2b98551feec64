"""What was committed, for as long as the process lives: beside the memory store, and for tests."""

from collections.abc import Mapping

from progressive.application.link.memory import CommittedMark, FirstAcceptance
from progressive.domain.ids import LinkId


class ProcessMemory:
    """`application.link.memory.Memory` in the fewest lines."""

    def __init__(self) -> None:
        self._marks: dict[LinkId, CommittedMark] = {}
        self._acceptances: dict[LinkId, FirstAcceptance] = {}

    async def recall(self, link: LinkId) -> CommittedMark | None:
        """The link's mark."""
        return self._marks.get(link)

    async def remember(self, mark: CommittedMark, *, instead: bool = False) -> None:
        """A newer mark."""
        was = self._marks.get(mark.link)
        if instead or was is None or was.place.seq <= mark.place.seq:
            self._marks[mark.link] = mark

    async def marks(self) -> Mapping[LinkId, CommittedMark | None]:
        """Every link that is remembered."""
        return dict(self._marks)

    async def acceptance(self, link: LinkId) -> FirstAcceptance | None:
        """Who has accepted a loss first."""
        return self._acceptances.get(link)

    async def keep_acceptance(self, acceptance: FirstAcceptance) -> None:
        """Somebody has accepted a loss."""
        self._acceptances[acceptance.link] = acceptance

    async def drop_acceptance(self, link: LinkId) -> None:
        """Nobody has."""
        self._acceptances.pop(link, None)
