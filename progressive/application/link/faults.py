"""What a link does when its store fails or its money does not add up.

The result of a failed append is unknown until the journal has been read again: until then nothing
is answered that could turn out to be wrong. An inoperable link refuses what comes, except for
messages that are known to be durable, or that may be.
"""

import logging
from collections.abc import Sequence
from typing import Final
from zoneinfo import ZoneInfo

from progressive.application.clock import Clock
from progressive.application.journal.ports import StoreConflictError, StoreError, StoreLostError
from progressive.application.link.batch import ActSubmission, Submission, give
from progressive.application.link.loss import AcceptedLoss
from progressive.application.link.mailbox import Mailbox
from progressive.application.link.moment import moment
from progressive.application.link.old_answers import OldAnswers
from progressive.application.link.ports import LedElsewhereError, Telemetry
from progressive.application.link.standing import LinkStanding
from progressive.application.link.take_over import Approval
from progressive.domain.decide.decide import Repeat, decide
from progressive.domain.ids import TableId
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.rulebook.rules import LinkRules

log = logging.getLogger(__name__)

FOLLOW_SECONDS: Final = 0.1
"""How often a standby looks what the leader has appended, and whether it still leads: as often as
signs are sent new values."""
STOPPING: Final = Refusal(Rejection.TRY_AGAIN, "the service stops: try again")


class Faults:
    """The faults of one link: failed appends, recovery, and what is refused meanwhile."""

    def __init__(
        self,
        rules: LinkRules,
        *,
        mailbox: Mailbox,
        standing: LinkStanding,
        old_answers: OldAnswers,
        clock: Clock,
        telemetry: Telemetry,
    ) -> None:
        self._rules = rules
        self._mailbox = mailbox
        self._standing = standing
        self._old_answers = old_answers
        self._clock = clock
        self._telemetry = telemetry
        self._zone = ZoneInfo(rules.time_zone)
        # Messages of a failed append, until the journal has been read: they may be durable.
        self._unsure: set[tuple[TableId, int]] = set()
        self._failures_in_a_row = 0

    def committed(self) -> None:
        """A commit went well."""
        self._failures_in_a_row = 0

    async def append_failed(
        self, batch: Sequence[Submission | ActSubmission], error: StoreError
    ) -> None:
        """Read the journal again, answer what turns out to be durable, try the rest once more."""
        self._telemetry.append_failed(self._rules.id)
        log.error("append failed", extra={"link": self._rules.id, "reason": str(error)})
        if isinstance(error, LedElsewhereError):
            # Nothing was stored: the fence has kept it out.
            self.give_up_to(error.leader)
            self._mailbox.put_back(batch)
            return
        if isinstance(error, StoreConflictError):
            # Nothing was stored, and whoever took the link is to have it.
            self.fail(f"another process has taken the link: {error}", may_retry=False)
            self._mailbox.put_back(batch)
            return
        if isinstance(error, StoreLostError):
            # Written to a file that nobody will find: neither stored nor answered.
            self.lose(str(error))
            self._mailbox.put_back(batch)
            return
        reason = f"the journal cannot be written: {error}"
        self._failures_in_a_row += 1
        # A table sends again what was not answered; a person looks what became of an act.
        for submission in batch:
            if isinstance(submission, ActSubmission):
                give(submission.reply, 0, None, False)
        of_tables = [each for each in batch if not isinstance(each, ActSubmission)]
        self._unsure |= {(table, command.seq) for table, command, _ in of_tables}
        before = 0 if self._standing.known is None else self._standing.known.state.seq
        self.fail(reason, may_retry=True)
        await self.recover()
        if self._standing.link is not None and self._standing.link.state.seq > before:
            self._failures_in_a_row = 0
        if self._standing.link is not None and self._failures_in_a_row > 1:
            self.fail(reason, may_retry=True)
        # What is durable after all is answered as a repeat; the rest is decided again or refused.
        self._mailbox.put_back(of_tables)

    async def recover(
        self, *, approval: Approval | None = None, accepted: AcceptedLoss | None = None
    ) -> None:
        """Read the journal; the link works afterwards, or says why it does not."""
        await self._standing.recover(approval=approval, accepted=accepted)
        if self._standing.link is not None:
            self._unsure.clear()

    def refuse_waiting(self) -> None:
        """The link is inoperable: refuse all that waits, with the reason."""
        leader = self._standing.leader
        if leader is not None:
            refusal = Refusal(Rejection.NOT_LEADER, f"the link is led by {leader}")
        else:
            reason = self._standing.view.reason or "out of service"
            refusal = Refusal(Rejection.LINK_INOPERABLE, reason)
        queue = self._mailbox.queue
        while queue:
            self._refuse(queue.popleft(), refusal)

    async def stand_by(self) -> None:
        """Follow the node that leads, until it leads no more."""
        await self._standing.follow_leader()
        if self._standing.link is not None:
            self._unsure.clear()
        elif self._standing.leader is not None:
            await self._mailbox.wait(timeout_seconds=FOLLOW_SECONDS)

    async def wait_or_recover(self) -> None:
        """Look now and then whether the store works again, where that may help."""
        now = self._clock.monotonic()
        if not self._standing.may_retry:
            await self._mailbox.wait(timeout_seconds=None)
        elif now < self._standing.retry_at:
            await self._mailbox.wait(timeout_seconds=self._standing.retry_at - now)
        else:
            await self.recover()

    def give_up_to(self, leader: str) -> None:
        """Another node writes the link; what was decided and not committed is refused."""
        self._mailbox.led_by = None
        self._mailbox.put_back_gathering()
        self._standing.stand_by(leader)

    def lose(self, reason: str) -> None:
        """The journal's file is not where it was: nothing counts as durable from now on."""
        self._standing.doubted = True
        self.fail(reason, may_retry=False)

    def fail(self, reason: str, *, may_retry: bool) -> None:
        """Out of service; what was decided and not committed is refused like all that comes."""
        self._mailbox.undecidable = None
        self._mailbox.may_retry = False
        self._mailbox.put_back_gathering()
        self._standing.fail(reason, may_retry=may_retry)

    def _refuse(self, submission: Submission | ActSubmission, refusal: Refusal) -> None:
        """Refuse a message, unless it is known to be durable or may be."""
        if isinstance(submission, ActSubmission):
            give(submission.reply, 0, refusal, False)
            return
        table, command, reply = submission
        known = self._standing.known
        if known is not None and not self._standing.doubted:
            when = moment(self._clock.now(), self._zone)
            decision = decide(known.state, self._rules, table, command, when)
            if isinstance(decision, Repeat):
                if decision.receipt is None:
                    self._old_answers.look_for(submission, known.state.tables[table])
                else:
                    give(reply, command.seq, decision.receipt, True)
                return
            if isinstance(decision, Refusal) and decision.code is Rejection.SEQ_REUSED:
                give(reply, command.seq, decision, False)
                return
        if (table, command.seq) in self._unsure:
            give(reply, command.seq, None, False)
            return
        self._telemetry.refused(self._rules.id, refusal.code)
        give(reply, command.seq, refusal, False)
