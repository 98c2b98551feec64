"""Approving another floor file while the link stands still because of it.

It takes two people (`domain/decide/terms.py`); each approval is a record of its own.
"""

import asyncio

from msgspec import Struct

from progressive.application.link.faults import STOPPING, Faults
from progressive.application.link.mailbox import Mailbox
from progressive.application.link.replies import FateUnknownError, resolve
from progressive.application.link.standing import LinkStanding
from progressive.application.link.take_over import Approval, TermsRefusedError
from progressive.domain.ids import LinkId
from progressive.domain.rejections import Refusal, Rejection


class _Waiting(Struct, frozen=True):
    """An approval of the floor file, and who waits for what becomes of it."""

    approval: Approval
    done: asyncio.Future[Refusal | None]


class TermsApproval:
    """At most one approval of a link's floor file at a time."""

    def __init__(
        self, link: LinkId, *, mailbox: Mailbox, standing: LinkStanding, faults: Faults
    ) -> None:
        self._link = link
        self._mailbox = mailbox
        self._standing = standing
        self._faults = faults
        self._waiting: _Waiting | None = None

    @property
    def waiting(self) -> bool:
        """Whether somebody's approval is to be entered."""
        return self._waiting is not None

    async def ask(self, approval: Approval) -> Refusal | None:
        """Somebody approves the floor file; None: that is durable.

        Raises FateUnknownError where the journal failed under it.
        """
        if self._mailbox.stopping:
            return STOPPING
        if not self._standing.terms_differ:
            return Refusal(
                Rejection.WRONG_STATUS,
                "the floor file's terms are the journal's: nothing to approve",
            )
        if self._waiting is not None:
            return Refusal(Rejection.TRY_AGAIN, "somebody approves it right now: look again")
        done: asyncio.Future[Refusal | None] = asyncio.get_running_loop().create_future()
        self._waiting = _Waiting(approval, done)
        self._mailbox.wake()
        return await done

    async def enter(self) -> None:
        """Read the journal once more, with the approval that waits."""
        waiting, self._waiting = self._waiting, None
        if waiting is None:
            return
        done = waiting.done
        try:
            await self._faults.recover(approval=waiting.approval)
        except TermsRefusedError as error:
            resolve(done, error.refusal)
            return
        if self._standing.link is not None or self._standing.terms_differ:
            resolve(done, None)
        elif not done.done():
            done.set_exception(FateUnknownError(self._link))

    def refuse(self) -> None:
        """The service stops: whoever waits is sent away."""
        if self._waiting is not None:
            resolve(self._waiting.done, STOPPING)
