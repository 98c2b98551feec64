"""Accepting that records are gone, while the link stands still because of it.

It takes two people of two departments. The first acceptance is stored beside what is remembered,
because there may be no journal to write it into; the second one opens the link, and is a record.
"""

import asyncio

from msgspec import Struct

from progressive.application.clock import Clock
from progressive.application.journal.ports import StoreError
from progressive.application.link.faults import STOPPING, Faults
from progressive.application.link.guard import LinkGuard, Loss
from progressive.application.link.loss import AcceptedLoss, is_of
from progressive.application.link.mailbox import Mailbox
from progressive.application.link.memory import FirstAcceptance, MemoryUnreadableError
from progressive.application.link.replies import FateUnknownError, resolve
from progressive.application.link.standing import LinkStanding
from progressive.domain.decide.loss import too_near_to_second
from progressive.domain.ids import LinkId
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.signatures import Signature


class _Asked(Struct, frozen=True):
    by: Signature
    reason: str
    done: asyncio.Future[Refusal | None]


class LossAcceptance:
    """At most one acceptance of a link's loss at a time."""

    def __init__(
        self,
        link: LinkId,
        *,
        mailbox: Mailbox,
        standing: LinkStanding,
        faults: Faults,
        guard: LinkGuard | None,
        clock: Clock,
    ) -> None:
        self._link = link
        self._mailbox = mailbox
        self._standing = standing
        self._faults = faults
        self._guard = guard
        self._clock = clock
        self._waiting: _Asked | None = None

    @property
    def waiting(self) -> bool:
        """Whether somebody's acceptance is to be entered."""
        return self._waiting is not None

    async def ask(self, by: Signature, reason: str) -> Refusal | None:
        """Somebody accepts the loss; None: that is durable.

        Raises FateUnknownError where the store failed under it.
        """
        if self._mailbox.stopping:
            return STOPPING
        if self._standing.loss is None:
            return Refusal(Rejection.WRONG_STATUS, self._nothing_to_accept())
        if self._waiting is not None:
            return Refusal(Rejection.TRY_AGAIN, "somebody accepts it right now: look again")
        done: asyncio.Future[Refusal | None] = asyncio.get_running_loop().create_future()
        self._waiting = _Asked(by, reason, done)
        self._mailbox.wake()
        return await done

    def _nothing_to_accept(self) -> str:
        if self._standing.doubted:
            return "the journal was taken away under the running service: start it again first"
        if self._standing.link is None:
            return f"this is not a loss that can be accepted: {self._standing.view.reason}"
        return f"the journal of {self._link} lacks nothing: there is no loss to accept"

    async def enter(self) -> None:
        """The acceptance that waits: the first is stored, the second opens the link."""
        asked, self._waiting = self._waiting, None
        loss, guard = self._standing.loss, self._guard
        if asked is None:
            return
        if loss is None or guard is None:
            resolve(asked.done, Refusal(Rejection.TRY_AGAIN, "the link has changed: look again"))
            return
        try:
            refusal = await self._accept(asked, loss, guard)
        except StoreError:
            if not asked.done.done():
                asked.done.set_exception(FateUnknownError(self._link))
            return
        resolve(asked.done, refusal)

    async def _accept(self, asked: _Asked, loss: Loss, guard: LinkGuard) -> Refusal | None:
        first = await _first(guard, loss)
        if first is None:
            await guard.memory.keep_acceptance(_acceptance(asked, loss, self._clock.now()))
            # The reason now says who has accepted it.
            await self._faults.recover()
            return None
        if (refusal := too_near_to_second(first.by, asked.by)) is not None:
            return refusal
        await self._faults.recover(
            accepted=AcceptedLoss(first, asked.by, asked.reason, loss.finding)
        )
        if self._standing.link is None and self._standing.loss is not None:
            return Refusal(Rejection.TRY_AGAIN, "the journal is another one now: look again")
        return None

    def refuse(self) -> None:
        """The service stops: whoever waits is sent away."""
        if self._waiting is not None:
            resolve(self._waiting.done, STOPPING)


async def _first(guard: LinkGuard, loss: Loss) -> FirstAcceptance | None:
    """Who has accepted just this loss; an acceptance that cannot be read counts for nothing."""
    try:
        first = await guard.memory.acceptance(loss.link)
    except MemoryUnreadableError:
        return None
    return first if first is not None and is_of(first, loss) else None


def _acceptance(asked: _Asked, loss: Loss, at: str) -> FirstAcceptance:
    return FirstAcceptance(
        link=loss.link,
        remembered=loss.remembered,
        found_seq=loss.found_seq,
        found_head=loss.found_head,
        by=asked.by,
        reason=asked.reason,
        at=at,
    )
