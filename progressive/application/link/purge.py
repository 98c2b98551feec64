"""COLD. Purging the oldest part of a journal: one person proposes, a second one agrees.

The record of it is durable first. Then the segments are marked, then their records removed; where
a crash comes between, the next start does the rest. A proposal is held in memory and in the act
log: it lapses after a week, and with the process.
"""

import asyncio
import logging
from itertools import takewhile
from typing import Final

from msgspec import Struct

from progressive.application.clock import Clock
from progressive.application.journal.ports import StoreError
from progressive.application.journal.purged import PURGE, newest_purge
from progressive.application.journal.record import JournalBrokenError
from progressive.application.journal.segments import LANDMARKS, Segment
from progressive.application.link.batch import ActReceipt
from progressive.application.link.ports import Store
from progressive.application.link.worker import LinkWorker
from progressive.domain.acts import PurgeSegments
from progressive.domain.decide.purge import too_near_to_purge
from progressive.domain.decide.retire import DAY_SECONDS
from progressive.domain.ids import LinkId
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.rulebook.retention import Retention
from progressive.domain.signatures import Signature
from progressive.domain.text import text_problem
from progressive.domain.time_text import later

log = logging.getLogger(__name__)

PROPOSAL_DAYS: Final = 7
"""Two people of two departments may work in different shifts."""


class Proposal(Struct, frozen=True, kw_only=True):
    """What one person proposes to purge."""

    by: Signature
    reason: str
    day: str
    """Up to which gaming day, as it was asked for."""
    segments: tuple[Segment, ...]
    lapses_at: str


class Purgeable(Struct, frozen=True, kw_only=True):
    """What would go, before anybody has asked for it."""

    segments: tuple[Segment, ...]
    proposed: Proposal | None
    """Who has proposed just that, where somebody has."""


class Done(Struct, frozen=True, kw_only=True):
    """Two people have purged it."""

    receipt: ActReceipt
    removed: bool
    """Whether the files are gone already; else they go with the next start."""


class Purges:
    """The purges of all links of a floor, one at a time."""

    def __init__(self, store: Store, *, retention: Retention, clock: Clock) -> None:
        self._store = store
        self._retention = retention
        self._clock = clock
        self._proposals: dict[LinkId, Proposal] = {}
        self._one_at_a_time = asyncio.Lock()

    async def ask(
        self, worker: LinkWorker, by: Signature, reason: str, day: str
    ) -> Proposal | Done | Refusal:
        """Propose to purge all up to a gaming day, or agree with who has proposed just that.

        Raises StoreError, and FateUnknownError where the store failed under the record of it.
        """
        if (why := text_problem(reason)) is not None:
            return Refusal(Rejection.BAD_MESSAGE, f"reason: {why}")
        async with self._one_at_a_time:
            found = await self._found(worker, by, day)
            if isinstance(found, Refusal):
                return found
            if (first := found.proposed) is None:
                return self._propose(worker.rules.id, by, reason, day, found.segments)
            return await self._purge(worker, first, by, reason)

    async def look(self, worker: LinkWorker, by: Signature, day: str) -> Purgeable | Refusal:
        """What `ask` would propose or do; raises StoreError."""
        async with self._one_at_a_time:
            return await self._found(worker, by, day)

    async def finish(self, worker: LinkWorker) -> None:
        """Do the rest of a purge that a crash has interrupted; what fails is tried next time."""
        try:
            async with self._one_at_a_time:
                await self._finish(worker)
        except (StoreError, JournalBrokenError):
            log.exception("the rest of a purge is not done", extra={"link": worker.rules.id})

    # --- what, and who ------------------------------------------------------------------------

    async def _found(self, worker: LinkWorker, by: Signature, day: str) -> Purgeable | Refusal:
        # What is marked and not yet removed would be counted once more.
        await self._finish(worker)
        segments = await self._purgeable(worker.rules.id, day)
        if isinstance(segments, Refusal):
            return segments
        first = self._open_proposal(worker.rules.id)
        if first is None or (first.by == by and first.day != day):
            return Purgeable(segments=segments, proposed=None)
        if first.day != day:
            return Refusal(
                Rejection.WRONG_STATUS,
                f"{first.by.name} proposed to purge up to {first.day}: agree with that, or "
                f"wait until it lapses at {first.lapses_at}",
            )
        if (refusal := too_near_to_purge(first.by, by)) is not None:
            return refusal
        return Purgeable(segments=first.segments, proposed=first)

    def _open_proposal(self, link: LinkId) -> Proposal | None:
        first = self._proposals.get(link)
        if first is None or first.lapses_at <= self._clock.now():
            return None
        return first

    def _propose(
        self, link: LinkId, by: Signature, reason: str, day: str, segments: tuple[Segment, ...]
    ) -> Proposal:
        lapses_at = later(self._clock.now(), seconds=PROPOSAL_DAYS * DAY_SECONDS)
        proposal = Proposal(by=by, reason=reason, day=day, segments=segments, lapses_at=lapses_at)
        self._proposals[link] = proposal
        return proposal

    async def _purgeable(self, link: LinkId, day: str) -> tuple[Segment, ...] | Refusal:
        """The segments from the oldest on that may go; the newest one never does."""
        left = [each for each in await self._store.segments(link) if each.purged is None]
        # Days may go back by one, where the floor file's day begins later than before: none is
        # passed over, because all up to the last one go.
        wanted = list(takewhile(lambda each: each.day <= day, left[:-1]))
        # What stays is read from a state on: the last one that goes must have left it.
        while wanted and wanted[-1].state is None:
            wanted.pop()
        if not wanted:
            oldest = f"; the oldest one left is of {left[0].day}" if left else ""
            return Refusal(
                Rejection.WRONG_STATUS,
                f"{link} has no closed segment up to {day} that could be purged{oldest}",
            )
        rule, last = self._retention, wanted[-1]
        allowed_at = later(last.last_at, seconds=rule.journal_days * DAY_SECONDS)
        if self._clock.now() < allowed_at:
            return Refusal(
                Rejection.WRONG_STATUS,
                f"the records up to {last.last_at} are kept for {rule.journal_days} days "
                f"({rule.clause}): they may be purged from {allowed_at} on",
            )
        return tuple(wanted)

    # --- doing it -----------------------------------------------------------------------------

    async def _purge(
        self, worker: LinkWorker, first: Proposal, by: Signature, reason: str
    ) -> Done | Refusal:
        link, oldest, last = worker.rules.id, first.segments[0], first.segments[-1]
        kept = await self._store.acts(
            link, after_seq=0, until_seq=last.last_seq, types=LANDMARKS - {PURGE}
        )
        act = PurgeSegments(
            by=(first.by, by),
            first_reason=first.reason,
            reason=reason,
            first_number=oldest.number,
            last_number=last.number,
            first_seq=oldest.first_seq,
            last_seq=last.last_seq,
            prev=oldest.prev,
            head=last.head,
            days=(oldest.day, last.day),
            last_at=last.last_at,
            retention_days=self._retention.journal_days,
            clause=self._retention.clause,
            kept=tuple([each.decode("utf-8") for each in kept]),
        )
        receipt = await worker.perform(act)
        if isinstance(receipt, Refusal):
            return receipt
        self._proposals.pop(link, None)
        log.warning(
            "records purged",
            extra={"link": link, "seq": receipt.journal_seq, "last_seq": last.last_seq},
        )
        try:
            await self._finish(worker)
        except StoreError:
            log.exception("the rest of a purge is not done", extra={"link": link})
            return Done(receipt=receipt, removed=False)
        return Done(receipt=receipt, removed=True)

    async def _finish(self, worker: LinkWorker) -> None:
        """Mark and remove what the journal says is purged."""
        link, mark = worker.rules.id, worker.mark
        segments = await self._store.segments(link)
        if mark is None or not segments:
            return
        purge = await newest_purge(self._store, link)
        if purge is None:
            return
        until = purge.event.last_number
        if any(each.purged is None for each in segments[:until]):
            await self._store.mark_purged(
                link, epoch=mark.place.epoch, until_number=until, at=purge.at
            )
        removed = await self._store.remove_purged(link)
        if removed:
            log.warning(
                "records of purged segments removed", extra={"link": link, "files": removed}
            )
