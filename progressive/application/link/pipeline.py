"""HOT. Batch after batch: decide what waits, commit once, answer, publish.

While a commit runs the next batch gathers, decided against the one that is being committed. It is
dropped, and its messages are decided again, if that commit fails. Nothing is answered or shown
before it is durable.
"""

import asyncio
import logging
from typing import Final
from zoneinfo import ZoneInfo

from progressive.application.clock import Clock
from progressive.application.journal.ports import StoreError, StoreUnavailableError
from progressive.application.link.appender import Appender, wants_checkpoint
from progressive.application.link.batch import ActSubmission, Batch, Submission, deliver
from progressive.application.link.faults import Faults
from progressive.application.link.mailbox import Mailbox
from progressive.application.link.moment import moment
from progressive.application.link.old_answers import OldAnswers
from progressive.application.link.owned_link import OwnedLink
from progressive.application.link.ports import Telemetry
from progressive.application.link.standing import INTERNAL_ERROR, LinkStanding
from progressive.application.link.view import wins_of
from progressive.domain.decide.plain_round import PlainRounds
from progressive.domain.rulebook.rules import LinkRules
from progressive.domain.state.invariants import InvariantBrokenError, check
from progressive.domain.state.link_state import NEW_TABLE, LinkState
from progressive.domain.time_text import not_before

log = logging.getLogger(__name__)

UNEXPECTED: Final = "unexpected error while deciding a message"


class Pipeline:
    """The way of a link's messages from the mailbox to the journal and back to who sent them."""

    def __init__(
        self,
        rules: LinkRules,
        *,
        mailbox: Mailbox,
        standing: LinkStanding,
        appender: Appender,
        faults: Faults,
        old_answers: OldAnswers,
        clock: Clock,
        telemetry: Telemetry,
    ) -> None:
        self._rules = rules
        self._plain = PlainRounds(rules)
        self._mailbox = mailbox
        self._standing = standing
        self._appender = appender
        self._faults = faults
        self._old_answers = old_answers
        self._clock = clock
        self._telemetry = telemetry
        self._zone = ZoneInfo(rules.time_zone)

    async def work(self, link: OwnedLink) -> None:
        """Commit batch after batch, as long as there is work."""
        batch = self._closed(self._decided(link.state, link.head, link.at, link.day_ends))
        commit = None if batch is None else self._begin_commit(link, batch)
        while batch is not None:
            error = None if commit is None else await self._error_of(commit)
            following = self._closed(self._mailbox.gathering)
            self._mailbox.gathering = None
            if error is not None:
                if following is not None:
                    self._mailbox.put_back(following.submissions)
                await self._faults.append_failed(batch.submissions, error)
                return
            if commit is not None:
                self._enter(link, batch, commit.result())
            # The disk has its next batch before anybody is answered about this one.
            commit = None if following is None else self._begin_commit(link, following)
            self._answer(link, batch)
            batch = following
        if wants_checkpoint(link) or self.day_is_over(link):
            await self.checkpoint(link)

    def day_is_over(self, link: OwnedLink) -> bool:
        """Whether the next record would be of another gaming day than the last one."""
        return not_before(self._clock.now(), link.at) >= link.day_ends

    async def checkpoint(self, link: OwnedLink) -> None:
        """Save a snapshot that the chain confirms."""
        try:
            await self._appender.checkpoint(link)
        except StoreError as error:
            await self._faults.append_failed([], error)

    # --- deciding ----------------------------------------------------------------------------

    def _decided(self, state: LinkState, head: str, last_at: str, ends: str) -> Batch | None:
        """A batch with what waits, decided against a state; None where that went wrong, or where
        the gaming day is over: a checkpoint comes first."""
        # Dated rules go by the journal's time: a clock set back must not remove an approval.
        at = not_before(self._clock.now(), last_at)
        if at >= ends:
            return None
        when = moment(at, self._zone)
        batch = Batch(state, head, rules=self._rules, plain=self._plain, when=when)
        queue = self._mailbox.queue
        while queue and len(batch.decided) < batch.limit:
            submission = queue.popleft()
            try:
                batch.decide(submission)
            except Exception as error:
                log.exception(UNEXPECTED, extra={"link": self._rules.id})
                self.cannot_decide(batch, error, submission)
                return None
        return batch

    def _closed(self, batch: Batch | None) -> Batch | None:
        """A batch whose money adds up: only such a one is committed. None where there is none."""
        if batch is None or not batch.decided:
            return None
        try:
            batch.close()
            check(batch.draft)
        except Exception as error:
            log.exception("batch does not add up", extra={"link": self._rules.id})
            self.cannot_decide(batch, error)
            return None
        return batch

    def cannot_decide(
        self, batch: Batch, error: Exception, *at_fault: Submission | ActSubmission
    ) -> None:
        """Nothing of it was committed, so nothing changed; and what is wrong will not go away."""
        known = isinstance(error, InvariantBrokenError)
        self._mailbox.undecidable = str(error) if known else INTERNAL_ERROR
        self._mailbox.put_back([*batch.submissions, *at_fault])
        self._mailbox.gathering = None

    # --- committing --------------------------------------------------------------------------

    def _begin_commit(self, link: OwnedLink, batch: Batch) -> "asyncio.Task[float] | None":
        """Hand a batch to the store; the next one gathers, decided against it."""
        if not batch.records:
            return None
        commit = asyncio.create_task(self._appender.append(link, batch.records, batch.head))
        if not wants_checkpoint(link):
            self._mailbox.gathering = self._decided(
                batch.draft, batch.head, batch.when.at, link.day_ends
            )
        return commit

    async def _error_of(self, commit: "asyncio.Task[float]") -> StoreError | None:
        """Why a batch may not be durable, or None."""
        try:
            await commit
        except StoreError as error:
            return error
        except Exception as error:
            # Whatever else went wrong there, the result of the commit is as unknown.
            log.exception("unexpected error of the store", extra={"link": self._rules.id})
            return StoreUnavailableError(repr(error))
        return None

    def _enter(self, link: OwnedLink, batch: Batch, seconds: float) -> None:
        """A batch is durable: its draft is the link's state."""
        link.state, link.head, link.at = batch.draft, batch.head, batch.when.at
        self._faults.committed()
        self._telemetry.committed(
            self._rules.id,
            records=len(batch.records),
            wagers=batch.wagers,
            rounds=batch.rounds,
            append_seconds=seconds,
        )

    def _answer(self, link: OwnedLink, batch: Batch) -> None:
        """Answer the messages of a durable batch, and show what it changed."""
        for _, reply, ready in batch.decided:
            deliver(reply, ready)
        for code in batch.refused:
            self._telemetry.refused(self._rules.id, code)
        for submission in batch.long_ago:
            at_table = link.state.tables.get(submission[0], NEW_TABLE)
            self._old_answers.look_for(submission, at_table)
        if batch.records:
            self._standing.show(link, won=wins_of(batch.settled, epoch=link.epoch))
