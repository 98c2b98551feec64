"""HOT. What waits to be decided, and the batch that gathers while another one is committed.

Only holds; deciding is `pipeline`'s job, answering what cannot be decided is `faults`'s.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import Sequence
from typing import Final

from progressive.application.link.batch import ActSubmission, Batch, Submission

QUEUE_MAX: Final = 16_384


class Mailbox:
    """The messages of one link between arrival and commit."""

    def __init__(self) -> None:
        self.queue: deque[Submission | ActSubmission] = deque()
        """What could not be decided on the spot: no commit is running, or the batch is full."""
        self.gathering: Batch | None = None
        """Decided against the batch that is being committed; committed next."""
        self.undecidable: str | None = None
        """Why messages cannot be decided: the link stops once running commits have ended."""
        self.may_retry = False
        """Whether it is opened again by itself then."""
        self.led_by: str | None = None
        """URL of another node that has taken the link."""
        self.stopping = False
        self._wake = asyncio.Event()

    @property
    def depth(self) -> int:
        """Messages that wait for the next commit."""
        return len(self.queue) + (0 if self.gathering is None else len(self.gathering))

    @property
    def full(self) -> bool:
        """Whether nothing more is taken: too much waits, or the service stops."""
        return self.stopping or len(self.queue) >= QUEUE_MAX

    def put(self, submission: Submission | ActSubmission) -> None:
        """A message for the next batch."""
        self.queue.append(submission)
        self._wake.set()

    def put_back(self, submissions: Sequence[Submission | ActSubmission]) -> None:
        """Messages that were taken out and not committed: they are first in line again."""
        self.queue.extendleft(reversed(submissions))

    def put_back_gathering(self) -> None:
        """The gathering batch will not be committed: its messages wait again."""
        if self.gathering is not None:
            self.put_back(self.gathering.submissions)
            self.gathering = None

    def wake(self) -> None:
        """There is something to do besides messages."""
        self._wake.set()

    async def wait(self, *, timeout_seconds: float | None) -> None:
        """Until there is something to do, or the time is over."""
        self._wake.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout_seconds):
                await self._wake.wait()
