"""Whether a journal is the one that this data directory has committed to, and all of it.

Looked at before a link is opened for writing: opening would make a new journal where there is none,
and a new epoch would hide that one is missing. Reads only.
"""

from typing import Final, Literal

from msgspec import Struct, structs

from progressive.application.journal.ports import JournalEnd, JournalReader
from progressive.application.journal.reading import reading
from progressive.application.journal.record import (
    GENESIS,
    JournalBrokenError,
    decode_record,
    hash_record,
)
from progressive.application.link.memory import CommittedMark, Memory, MemoryUnreadableError
from progressive.application.seals.checking import NotAsSealedError, SealCheck
from progressive.domain.guard_events import JournalPlace, LossAccepted
from progressive.domain.ids import LinkId
from progressive.domain.text import text_problem, tidied

HASH_SHOWN: Final = 12
"""Characters of a hash in a message."""


class Loss(Struct, frozen=True):
    """How a journal differs from what its data directory remembers."""

    link: LinkId
    kind: Literal["missing", "shorter", "different", "unreadable_memory", "not_as_sealed"]
    remembered: JournalPlace | None
    found_seq: int
    found_head: str
    why: str = ""

    @property
    def finding(self) -> str:
        """What the journal says of a loss that no remembered record shows."""
        if self.kind != "not_as_sealed":
            return ""
        # The name of a witness may be in it: a stranger's text.
        text = tidied(self.why)
        return text if text_problem(text) is None else ascii(text)

    @property
    def words(self) -> str:
        """What is wrong, and what to do next."""
        what = "data" if self.kind == "not_as_sealed" else "journal file"
        return f"{self._fault}. Put the right {what} back and start again, or accept the loss"

    @property
    def _fault(self) -> str:
        was = self.remembered
        if self.kind == "not_as_sealed":
            return self.why
        if was is None:
            return f"what {self.link} has committed is remembered, and cannot be read: {self.why}"
        committed = (
            f"this data directory has committed {was.seq:,} "
            f"(the last at {was.at}, hash {was.head[:HASH_SHOWN]}…)"
        )
        match self.kind:
            case "missing":
                return f"the journal of {self.link} is gone: no record is left, and {committed}"
            case "shorter":
                missing = was.seq - self.found_seq
                return (
                    f"the journal ends at record {self.found_seq:,}; {committed}: "
                    f"{missing:,} {'record is' if missing == 1 else 'records are'} missing"
                )
            case _:
                return (
                    f"record {was.seq:,} of the journal is not the one that this data directory "
                    f"has committed (at {was.at}, hash {was.head[:HASH_SHOWN]}…): "
                    "it is another journal's file, or it was changed"
                )


class JournalLostError(JournalBrokenError):
    """The journal lacks what was committed once; two people may accept that."""

    def __init__(self, loss: Loss) -> None:
        super().__init__(loss.words)
        self.loss = loss


class Compared(Struct, frozen=True):
    """What the comparison found, where the link may be opened."""

    above_epoch: int
    """The new epoch must be above this: signs compare epochs."""
    times_hold_from: int
    explained: bool = False
    """Whether the journal is behind the mark, and says itself who accepted that."""
    latest_at: str = ""
    """The latest time that is remembered, where the journal lacks it: it does not begin before."""
    sealed_size: int = 0
    """Records that are sealed, and are just those that were."""


class LinkGuard:
    """Compares one link's journal with what is remembered of it."""

    def __init__(
        self,
        link: LinkId,
        memory: Memory,
        *,
        floor_links: frozenset[LinkId] | None = None,
        seals: SealCheck | None = None,
    ) -> None:
        """`floor_links`: all links of the floor file. `seals`: None where nothing can be sealed."""
        self._link = link
        self._seals = seals
        self.memory = memory
        self._floor_links = frozenset({link}) if floor_links is None else floor_links

    async def compare(self, journal: JournalReader, known: JournalPlace | None = None) -> Compared:
        """Raise JournalLostError where the journal lacks what was committed, or what was sealed.

        `known` is what this process has proved before: it may be newer than what is remembered.
        """
        end = await journal.journal_end(self._link)
        compared, mark = await self._compare_committed(journal, end, known)
        if self._seals is None:
            return compared
        try:
            sealed_size = await self._seals.check(
                journal,
                end_seq=end.seq,
                # What the journal says is gone was sealed with it.
                remembered_size=0 if mark is None or compared.explained else mark.sealed_size,
            )
        except NotAsSealedError as error:
            self._refuse_nameless(end, str(error))
            raise JournalLostError(
                Loss(self._link, "not_as_sealed", None, end.seq, end.head, str(error))
            ) from None
        return structs.replace(compared, sealed_size=sealed_size)

    async def _compare_committed(
        self, journal: JournalReader, end: JournalEnd, known: JournalPlace | None
    ) -> tuple[Compared, CommittedMark | None]:
        try:
            mark = await self.memory.recall(self._link)
        except MemoryUnreadableError as error:
            self._refuse_nameless(end, f"what it has committed cannot be read ({error})")
            raise JournalLostError(
                Loss(self._link, "unreadable_memory", None, end.seq, end.head, str(error))
            ) from None
        place = None if mark is None else mark.place
        if known is not None and (place is None or known.seq > place.seq):
            place = known
        if place is None:
            if end.seq:
                return Compared(0, end.seq + 1), mark
            await self._refuse_while_others_are_missing(journal)
            return Compared(0, 1, latest_at=await self._latest_at()), mark
        hold_from = end.seq + 1 if mark is None else mark.times_hold_from
        if await holds(journal, self._link, place, end):
            return Compared(place.epoch, hold_from), mark
        if await explained(journal, self._link, place, end):
            return Compared(place.epoch, hold_from, explained=True), mark
        if (really := await last_record(journal, self._link, end)) != end:
            # Nothing can be appended behind it, so there is nothing that could be accepted.
            raise JournalBrokenError(
                f"the journal ends at record {really.seq:,}, but {end.seq:,} were written to this "
                "file: it was changed. Put the right journal file back and start again; where "
                "there is only an older one, or none, that loss can be accepted"
            )
        kind: Literal["missing", "shorter", "different"] = "different"
        if end.seq < place.seq:
            kind = "shorter" if end.seq else "missing"
        self._refuse_nameless(end, f"it has committed {place.seq:,} (the last at {place.at})")
        raise JournalLostError(Loss(self._link, kind, place, end.seq, end.head))

    async def _latest_at(self) -> str:
        """A clock that was set back must not take a new link to a day before its rules."""
        marks = await self.memory.marks()
        return max([mark.place.at for mark in marks.values() if mark is not None], default="")

    def _refuse_nameless(self, end: JournalEnd, committed: str) -> None:
        """A link that is neither in the floor file nor in the journal cannot begin again: nobody
        knows its terms any more.
        """
        if end.seq == 0 and self._link not in self._floor_links:
            raise JournalBrokenError(
                f"the journal of {self._link} is gone, and {self._link} is not in the floor file; "
                f"{committed}. Put the right journal file back and start again, or put "
                f"{self._link} into the floor file again and accept the loss"
            )

    async def _refuse_while_others_are_missing(self, journal: JournalReader) -> None:
        """A link that begins beside a lost one may be that one under another name."""
        # In this order: a link that begins at the same time is marked after it is listed.
        marks = await self.memory.marks()
        listed = set(await journal.links())
        retired = {link for link, mark in marks.items() if mark is not None and mark.retired}
        for other in sorted({*marks, *listed} - retired - {self._link}):
            if other not in self._floor_links:
                raise JournalBrokenError(
                    f"{self._link} has no journal, and this data directory holds that of {other}, "
                    "which is not in the floor file. Was it renamed? Give the link its name back, "
                    f"or put {other} into the floor file again and retire it"
                )
            if other not in listed:
                raise JournalBrokenError(
                    f"{self._link} has no journal, and that of {other} is missing: "
                    "put the right journal file back and start again"
                )


async def holds(journal: JournalReader, link: LinkId, place: JournalPlace, end: JournalEnd) -> bool:
    """Whether a journal contains this very record."""
    if end.seq < place.seq:
        return False
    if end.seq == place.seq and end.head != place.head:
        return False
    stored = await journal.record(link, place.seq)
    return stored is not None and hash_record(stored) == place.head


async def last_record(journal: JournalReader, link: LinkId, end: JournalEnd) -> JournalEnd:
    """The last record that is really there: what the store says of its end may be more."""
    stored = await journal.record(link, end.seq)
    if stored is not None:
        return JournalEnd(end.seq, hash_record(stored))
    async with reading(journal.read_back(link, before_seq=end.seq)) as chunks:
        async for records in chunks:
            for stored in records:
                return JournalEnd(decode_record(stored).seq, hash_record(stored))
    return JournalEnd(0, GENESIS)


async def explained(
    journal: JournalReader, link: LinkId, place: JournalPlace, end: JournalEnd
) -> bool:
    """Whether the journal says that two people accepted the loss of just this record."""
    accepted = await journal.acts(link, after_seq=0, until_seq=end.seq, types=("loss_accepted",))
    for stored in accepted:
        event = decode_record(stored).event
        if isinstance(event, LossAccepted) and event.remembered == place:
            return True
    return False
