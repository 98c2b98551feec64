"""HOT. One writer per link: take what waits, decide each, append once, answer, publish.

While a commit runs the next batch gathers, so batches form by themselves; what arrives then is
decided on the spot, upon the batch that is being kept. Nothing is answered or shown before it is
durable; when an append fails, the working copy is dropped and the journal read
again before another word is said.
"""

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Sequence
from typing import Final, TypeVar
from zoneinfo import ZoneInfo

from msgspec import Struct

from progressive.application.clock import Clock
from progressive.application.journal.ports import (
    StoreConflictError,
    StoreError,
    StoreUnavailableError,
)
from progressive.application.journal.record import encode_record, hash_record
from progressive.application.link.batch import (
    ActReceipt,
    ActSubmission,
    Answer,
    Batch,
    Calling,
    Reply,
    Submission,
    deliver,
    give,
)
from progressive.application.link.moment import moment
from progressive.application.link.old_answers import OldAnswers
from progressive.application.link.ports import Publisher, Store, Telemetry
from progressive.application.link.recovery import RecoveredLink, TermsRefusedError
from progressive.application.link.snapshot import digest_of, encode_state
from progressive.application.link.standing import INTERNAL_ERROR, LinkStanding
from progressive.application.link.view import wins_of
from progressive.domain.acts import PersonsAct
from progressive.domain.commands import TableCommand
from progressive.domain.decide.decide import Repeat, decide
from progressive.domain.decide.plain_round import PlainRounds
from progressive.domain.events import Checkpointed
from progressive.domain.ids import TableId
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.rulebook.rules import LinkRules
from progressive.domain.signatures import Signature
from progressive.domain.state.evolve import evolve
from progressive.domain.state.invariants import InvariantBrokenError, check
from progressive.domain.state.link_state import NEW_TABLE, LinkState, TableState
from progressive.domain.views import LinkView

log = logging.getLogger(__name__)

BATCH_MAX: Final = 1024
QUEUE_MAX: Final = 16_384
CHECKPOINT_EVERY: Final = 50_000
"""Records between two snapshots: what a start has to replay at the most."""

_STOPPING: Final = Refusal(Rejection.TRY_AGAIN, "the service stops: try again")


class LinkWorker:
    """The only one that moves a link's meters."""

    def __init__(
        self,
        rules: LinkRules,
        *,
        store: Store,
        clock: Clock,
        publisher: Publisher,
        telemetry: Telemetry,
    ) -> None:
        self.rules: Final = rules
        self._plain = PlainRounds(rules)
        self._store = store
        self._clock = clock
        self._standing = LinkStanding(rules, store=store, clock=clock, publisher=publisher)
        self._telemetry = telemetry
        self._zone = ZoneInfo(rules.time_zone)
        # What could not be decided on the spot: nothing is being kept, or the batch is full.
        self._queue: deque[Submission | ActSubmission] = deque()
        # The batch that gathers while another is kept, upon what that one leaves.
        self._gathering: Batch | None = None
        self._approval: _Approval | None = None
        self._wake = asyncio.Event()
        self._stopping = False
        self._task: asyncio.Task[None] | None = None
        self._old_answers = OldAnswers(store, rules.id)
        # Messages of a failed append, while the journal has not been read since: they may be kept.
        self._unsure: set[tuple[TableId, int]] = set()
        self._failures_in_a_row = 0
        # Why messages cannot be decided: the link stops once all that is under way is kept.
        self._undecidable: str | None = None

    # --- for sockets and pages ---------------------------------------------------------------

    @property
    def view(self) -> LinkView:
        """What others may see of the link: durable values only."""
        return self._standing.view

    @property
    def queue_depth(self) -> int:
        """Messages that wait for the next commit."""
        gathered = 0 if self._gathering is None else len(self._gathering)
        return len(self._queue) + gathered

    def table_state(self, table: TableId) -> TableState:
        """A table's durable state, as far as it is known."""
        return (
            NEW_TABLE
            if self._standing.known is None
            else self._standing.known.state.tables.get(table, NEW_TABLE)
        )

    def submit_nowait(self, table: TableId, command: TableCommand, reply: Reply) -> None:
        """Take a message; it is answered through `reply` once it is durable or refused."""
        batch = self._gathering
        if self._stopping or len(self._queue) >= QUEUE_MAX:
            refusal = Refusal(Rejection.TRY_AGAIN, "the link is busy: send it again")
            give(reply, command.seq, refusal, False)
        elif batch is not None and not self._queue and len(batch.decided) < BATCH_MAX:
            try:
                batch.decide_message(table, command, reply)
            except Exception as error:
                log.exception("message not decided", extra={"link": self.rules.id})
                self._not_decided(batch, error, (table, command, reply))
        else:
            self._queue.append((table, command, reply))
            self._wake.set()

    async def perform(self, act: PersonsAct) -> ActReceipt | Refusal:
        """Decide a person's act in its turn; the answer means durable.

        Raises FateUnknownError where the journal failed under it: whoever asked looks again.
        """
        if self._stopping or len(self._queue) >= QUEUE_MAX:
            return Refusal(Rejection.TRY_AGAIN, "the link is busy: try again")
        done: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._queue.append(
            ActSubmission(act, Calling(lambda _, answer, __: _resolve(done, answer)))
        )
        self._wake.set()
        answer = await done
        if isinstance(answer, ActReceipt | Refusal):
            return answer
        raise FateUnknownError(self.rules.id)

    async def approve_terms(self, by: Signature) -> Refusal | None:
        """Somebody approves the floor file, where it is not the journal's; None: it is kept.

        Raises FateUnknownError where the journal failed under it.
        """
        if self._stopping:
            return _STOPPING
        if not self._standing.terms_differ:
            return Refusal(Rejection.WRONG_STATUS, "the floor file is the journal's: all is well")
        if self._approval is not None:
            return Refusal(Rejection.TRY_AGAIN, "somebody approves it right now: look again")
        done: asyncio.Future[Refusal | None] = asyncio.get_running_loop().create_future()
        self._approval = _Approval(by, done)
        self._wake.set()
        return await done

    @property
    def state(self) -> LinkState | None:
        """The last state proved durable; None where nothing is known."""
        return None if self._standing.known is None else self._standing.known.state

    # --- life --------------------------------------------------------------------------------

    async def start(self) -> None:
        """Recover the link, then work. A link that cannot be recovered starts inoperable."""
        await self._recover()
        self._task = asyncio.create_task(self._run(), name=f"link {self.rules.id}")

    async def stop(self) -> None:
        """Answer all that waits, keep a snapshot, and stop."""
        self._stopping = True
        self._wake.set()
        if self._task is not None:
            await self._task
        await self._old_answers.finish()
        if self._approval is not None:
            _resolve(self._approval.done, _STOPPING)
        if (
            self._standing.link is not None
            and self._standing.link.state.seq > self._standing.link.checkpoint_seq
        ):
            await self._checkpoint(self._standing.link)

    async def _run(self) -> None:
        while self._queue or not self._stopping:
            try:
                if self._standing.link is None:
                    await self._stand_still()
                elif self._undecidable is not None:
                    self._fail(self._undecidable, may_retry=False)
                elif self._queue:
                    await self._work(self._standing.link)
                else:
                    await self._wait_for_work(timeout_seconds=None)
            except Exception:
                # A bug must stop this link only, and say so, rather than hang its tables.
                log.exception("link stopped", extra={"link": self.rules.id})
                self._fail(INTERNAL_ERROR, may_retry=False)

    async def _wait_for_work(self, *, timeout_seconds: float | None) -> None:
        self._wake.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout_seconds):
                await self._wake.wait()

    # --- a batch -----------------------------------------------------------------------------

    async def _work(self, link: RecoveredLink) -> None:
        """Keep batch after batch, as long as there is work.

        While one is on its way to the disk, what comes in is decided upon it; that is kept next,
        and decided anew if the one before it could not be kept.
        """
        batch = self._closed(self._batch_upon(link.state, link.head))
        keeping = None if batch is None else self._begin_to_keep(link, batch)
        while batch is not None:
            error = None if keeping is None else await self._fault_of(keeping)
            following = self._closed(self._gathering)
            self._gathering = None
            if error is not None:
                if following is not None:
                    self._queue.extendleft(reversed(following.submissions))
                await self._append_failed(batch.submissions, error)
                return
            if keeping is not None:
                self._enter(link, batch, keeping.result())
            # The disk has its next batch before anybody is told about this one.
            keeping = None if following is None else self._begin_to_keep(link, following)
            self._tell(link, batch)
            batch = following
        if self._wants_checkpoint(link):
            await self._checkpoint(link)

    def _batch_upon(self, state: LinkState, head: str) -> Batch | None:
        """A batch with what waits, decided; None where that went wrong."""
        when = moment(self._clock.now(), self._zone)
        batch = Batch(state, head, rules=self.rules, plain=self._plain, when=when)
        queue = self._queue
        while queue and len(batch.decided) < BATCH_MAX:
            submission = queue.popleft()
            try:
                batch.decide(submission)
            except Exception as error:
                log.exception("message not decided", extra={"link": self.rules.id})
                self._not_decided(batch, error, submission)
                return None
        return batch

    def _closed(self, batch: Batch | None) -> Batch | None:
        """A batch whose money adds up: only such a one is kept. None where there is none."""
        if batch is None or not batch.decided:
            return None
        try:
            batch.close()
            check(batch.draft)
        except Exception as error:
            log.exception("batch does not add up", extra={"link": self.rules.id})
            self._not_decided(batch, error)
            return None
        return batch

    def _not_decided(
        self, batch: Batch, error: Exception, *at_fault: Submission | ActSubmission
    ) -> None:
        """Nothing of it was kept, so nothing changed; and what is wrong will not go away."""
        known = isinstance(error, InvariantBrokenError)
        self._undecidable = str(error) if known else INTERNAL_ERROR
        self._queue.extendleft(reversed([*batch.submissions, *at_fault]))
        self._gathering = None

    def _begin_to_keep(self, link: RecoveredLink, batch: Batch) -> "asyncio.Task[float] | None":
        """Hand a batch to the disk; the next one gathers upon it."""
        if not batch.records:
            return None
        keeping = asyncio.create_task(self._append(link, batch.records, batch.head))
        if not self._wants_checkpoint(link):
            self._gathering = self._batch_upon(batch.draft, batch.head)
        return keeping

    async def _fault_of(self, keeping: "asyncio.Task[float]") -> StoreError | None:
        """Why a batch may not have been kept, or None."""
        try:
            await keeping
        except StoreError as error:
            return error
        except Exception as error:
            # Whatever else went wrong there, the fate of the batch is as unknown.
            log.exception("store misbehaved", extra={"link": self.rules.id})
            return StoreUnavailableError(repr(error))
        return None

    def _enter(self, link: RecoveredLink, batch: Batch, seconds: float) -> None:
        """A batch is durable: its draft is the link's state."""
        link.state, link.head, link.at = batch.draft, batch.head, batch.when.at
        self._failures_in_a_row = 0
        self._telemetry.committed(
            self.rules.id,
            records=len(batch.records),
            wagers=batch.wagers,
            rounds=batch.rounds,
            append_seconds=seconds,
        )

    def _tell(self, link: RecoveredLink, batch: Batch) -> None:
        """Answer the messages of a durable batch, and show what it changed."""
        for _, reply, ready in batch.decided:
            deliver(reply, ready)
        for code in batch.refused:
            self._telemetry.refused(self.rules.id, code)
        for submission in batch.long_ago:
            self._old_answers.look_for(submission, self.table_state(submission[0]))
        if batch.records:
            self._standing.show(link, won=wins_of(batch.settled, epoch=link.epoch))

    def _wants_checkpoint(self, link: RecoveredLink) -> bool:
        return link.state.seq - link.checkpoint_seq >= CHECKPOINT_EVERY

    async def _append(self, link: RecoveredLink, records: list[bytes], head: str) -> float:
        began = self._clock.monotonic()
        await self._store.append(
            self.rules.id,
            epoch=link.epoch,
            expected_seq=link.state.seq,
            records=records,
            head=head,
        )
        return self._clock.monotonic() - began

    async def _checkpoint(self, link: RecoveredLink) -> None:
        """Keep a snapshot, and its digest in the journal so that the chain vouches for it."""
        body = encode_state(link.state)
        seq = link.state.seq
        event = Checkpointed(state_digest=digest_of(body), meters=link.state.primaries)
        at = self._clock.now()
        record = encode_record(seq=seq + 1, at=at, prev=link.head, event=event)
        head = hash_record(record)
        try:
            await self._append(link, [record], head)
            link.state = evolve(link.state, event)
            link.head, link.at = head, at
            link.checkpoint_seq = link.state.seq
            await self._store.save_snapshot(self.rules.id, epoch=link.epoch, seq=seq, body=body)
        except StoreError as error:
            await self._append_failed([], error)

    # --- faults ------------------------------------------------------------------------------

    async def _append_failed(
        self, batch: list[Submission | ActSubmission], error: StoreError
    ) -> None:
        """The fate of a batch is unknown until the journal has been read again."""
        self._telemetry.append_failed(self.rules.id)
        log.error("append failed", extra={"link": self.rules.id, "reason": str(error)})
        if isinstance(error, StoreConflictError):
            # Nothing was kept, and whoever took the link is to have it.
            self._fail(f"another process has taken the link: {error}", may_retry=False)
            self._queue.extendleft(reversed(batch))
            return
        reason = f"the journal cannot be written: {error}"
        self._failures_in_a_row += 1
        # A table sends again what it was not answered; a person looks what became of an act.
        for submission in batch:
            if isinstance(submission, ActSubmission):
                give(submission.reply, 0, None, False)
        of_tables = _of_tables(batch)
        self._unsure |= {(table, command.seq) for table, command, _ in of_tables}
        before = 0 if self._standing.known is None else self._standing.known.state.seq
        self._fail(reason, may_retry=True)
        await self._recover()
        if self._standing.link is not None and self._standing.link.state.seq > before:
            self._failures_in_a_row = 0
        if self._standing.link is not None and self._failures_in_a_row > 1:
            self._fail(reason, may_retry=True)
        # What was kept after all is answered as a repeat; the rest is decided anew or refused.
        self._queue.extendleft(reversed(of_tables))

    async def _recover(self, *, approved_by: Signature | None = None) -> None:
        await self._standing.recover(approved_by=approved_by)
        if self._standing.link is not None:
            self._unsure.clear()

    async def _stand_still(self) -> None:
        """Inoperable: refuse what comes, and look now and then whether the store works again."""
        refusal = Refusal(Rejection.LINK_INOPERABLE, self.view.reason or "out of service")
        while self._queue:
            self._refuse(self._queue.popleft(), refusal)
        if self._stopping:
            return
        now = self._clock.monotonic()
        if self._approval is not None:
            await self._recover_approved(self._approval)
        elif not self._standing.may_retry:
            await self._wait_for_work(timeout_seconds=None)
        elif now < self._standing.retry_at:
            await self._wait_for_work(timeout_seconds=self._standing.retry_at - now)
        else:
            await self._recover()

    def _refuse(self, submission: Submission | ActSubmission, refusal: Refusal) -> None:
        """Refuse a message, unless it is known to have been kept or may have been."""
        if isinstance(submission, ActSubmission):
            give(submission.reply, 0, refusal, False)
            return
        table, command, reply = submission
        if self._standing.known is not None:
            when = moment(self._clock.now(), self._zone)
            decision = decide(self._standing.known.state, self.rules, table, command, when)
            if isinstance(decision, Repeat):
                if decision.receipt is None:
                    self._old_answers.look_for(submission, self.table_state(submission[0]))
                else:
                    give(reply, command.seq, decision.receipt, True)
                return
            if isinstance(decision, Refusal) and decision.code is Rejection.SEQ_REUSED:
                give(reply, command.seq, decision, False)
                return
        if (table, command.seq) in self._unsure:
            give(reply, command.seq, None, False)
            return
        self._telemetry.refused(self.rules.id, refusal.code)
        give(reply, command.seq, refusal, False)

    def _fail(self, reason: str, *, may_retry: bool) -> None:
        """Out of service; what was decided and not kept is refused like all that comes."""
        self._undecidable = None
        if self._gathering is not None:
            self._queue.extendleft(reversed(self._gathering.submissions))
            self._gathering = None
        self._standing.fail(reason, may_retry=may_retry)

    async def _recover_approved(self, approval: "_Approval") -> None:
        """Read the journal once more, with somebody's word for the floor file."""
        self._approval = None
        done = approval.done
        try:
            await self._recover(approved_by=approval.by)
        except TermsRefusedError as error:
            _resolve(done, error.refusal)
            return
        if self._standing.link is not None or self._standing.terms_differ:
            _resolve(done, None)
        elif not done.done():
            done.set_exception(FateUnknownError(self.rules.id))


class FateUnknownError(Exception):
    """The journal failed under a person's act: it may have been kept or not."""


class _Approval(Struct, frozen=True):
    """Somebody's word for the floor file, and whoever waits for what becomes of it."""

    by: Signature
    done: asyncio.Future[Refusal | None]


_Said = TypeVar("_Said")


def _resolve(done: "asyncio.Future[_Said]", answer: _Said) -> None:
    """Whoever asked may have gone away meanwhile."""
    if not done.done():
        done.set_result(answer)


def _of_tables(batch: Sequence[Submission | ActSubmission]) -> list[Submission]:
    return [each for each in batch if not isinstance(each, ActSubmission)]
