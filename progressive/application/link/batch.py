"""HOT. A batch of messages decided one upon the other, before anything is kept or said.

A message is decided where it arrives, and its answer made ready then and there, while all that it
touches is at hand; sending it is all that is left to do once it is durable. What a message was is
not held on to: the event it led to tells it.
"""

import logging
from collections.abc import Callable
from typing import Final, Protocol

from msgspec import Struct

from progressive.application.journal.record import encode_record, hash_record
from progressive.domain.acts import PersonsAct
from progressive.domain.commands import RegisterWagers, SettleRound, TableCommand
from progressive.domain.decide.acts import decide_act
from progressive.domain.decide.decide import command_of, decide
from progressive.domain.decide.plain_round import PlainRounds, PlainRun
from progressive.domain.events import RoundSettled, RoundVoided, TableEvent, WagersRegistered
from progressive.domain.finance_events import FinanceEvent
from progressive.domain.guard_events import ClockStepped, SegmentsPurged
from progressive.domain.ids import TableId
from progressive.domain.person_events import ActEvent
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.rulebook.rules import LinkRules
from progressive.domain.state.evolve import apply
from progressive.domain.state.link_state import LinkState, Receipt
from progressive.domain.time_text import Moment

log = logging.getLogger(__name__)

BATCH_MAX: Final = 1024


class ActReceipt(Struct, frozen=True, gc=False):
    """What a person's act led to."""

    journal_seq: int
    event: ActEvent | FinanceEvent | RoundVoided | ClockStepped | SegmentsPurged


Answer = Receipt | ActReceipt | Refusal | None
"""None: the fate of the message is unknown and nothing may be said; let the table come back."""


class Reply(Protocol):
    """Who is told what became of a message."""

    def prepare(self, seq: int, answer: Answer, repeat: bool) -> object:
        """The answer in the form it will be sent in. Nothing may be said yet."""
        ...

    def deliver(self, ready: object) -> None:
        """Say what was prepared. Must not block."""
        ...


class Calling:
    """A `Reply` that calls with the message's seq, its answer, and whether it is a repeat."""

    def __init__(self, call: Callable[[int, Answer, bool], None]) -> None:
        self._call = call

    def prepare(self, seq: int, answer: Answer, repeat: bool) -> tuple[int, Answer, bool]:
        """Nothing needs to be made ready."""
        return seq, answer, repeat

    def deliver(self, ready: object) -> None:
        """Call."""
        if isinstance(ready, tuple):
            self._call(*ready)


NOBODY: Final = Calling(lambda *_: None)
"""For a message that is answered elsewhere."""

Submission = tuple[TableId, TableCommand, Reply]


class ActSubmission(Struct, frozen=True):
    """A person's act; it is decided in the same line as the tables' messages."""

    act: PersonsAct
    reply: Reply


Source = TableEvent | Submission | ActSubmission
"""A message, or the event it led to: that tells the message too."""


class Batch:
    """Messages between decision and commit: what to keep, and what to say once it is kept.

    It begins with what the batch before it leaves, kept or not yet; until it is kept itself, only
    its own draft moves.
    """

    def __init__(
        self, state: LinkState, head: str, *, rules: LinkRules, plain: PlainRounds, when: Moment
    ) -> None:
        self.draft = state.copy()
        self.head = head
        self.when = when
        self.limit = BATCH_MAX
        """How many messages it takes; the next ones wait."""
        self.records: list[bytes] = []
        self.decided: list[tuple[Source, Reply, object]] = []
        """Each message in its order, with its answer ready to be delivered."""
        self.long_ago: list[Submission] = []
        """Numbers older than the state remembers: their answers are in the journal."""
        self.refused: list[Rejection] = []
        self.settled: list[tuple[int, RoundSettled]] = []
        """Rounds with awards, each with its record's number."""
        self.wagers = 0
        self.rounds = 0
        self._rules = rules
        self._run = PlainRun(plain, self.draft)

    def __len__(self) -> int:
        return len(self.decided)

    @property
    def submissions(self) -> list[Submission | ActSubmission]:
        """All that was decided, as it was sent."""
        return [
            (source.table, command_of(source), reply) if isinstance(source, TableEvent) else source
            for source, reply, _ in self.decided
        ]

    def close(self) -> None:
        """No more messages: bring the books up to date."""
        self._run.post()

    def decide(self, submission: Submission | ActSubmission) -> None:
        """Decide a message upon what the ones before it left."""
        if isinstance(submission, ActSubmission):
            self._decide_act(submission)
        else:
            self.decide_message(*submission)

    def decide_message(self, table: TableId, command: TableCommand, reply: Reply) -> None:
        """HOT. Decide a table's message upon what the ones before it left."""
        event: TableEvent | None
        if type(command) is RegisterWagers:
            event = self._run.lock(table, command)
            if event is not None:
                self.rounds += 1
                self.wagers += command.chips_counted
        elif type(command) is SettleRound:
            event = self._run.settle(table, command)
        else:
            event = None
        if event is None:
            event = self._decide_at_length(table, command, reply)
            if event is None:
                return
        draft = self.draft
        record = encode_record(draft.seq, self.when.at, self.head, event)
        self.head = hash_record(record)
        self.records.append(record)
        receipt = draft.tables[table].receipts[-1]
        self.decided.append((event, reply, prepared(reply, command.seq, receipt, False)))

    def _decide_at_length(
        self, table: TableId, command: TableCommand, reply: Reply
    ) -> TableEvent | None:
        """Ask `decide`, and enter what it says; None where nothing has happened."""
        self._run.post()
        decision = decide(self.draft, self._rules, table, command, self.when)
        if isinstance(decision, TableEvent):
            apply(self.draft, decision)
            if isinstance(decision, WagersRegistered):
                self.rounds += 1
                self.wagers += len(decision.wagers)
            elif isinstance(decision, RoundSettled) and decision.awards:
                self.settled.append((self.draft.seq, decision))
            return decision
        submission = (table, command, reply)
        if isinstance(decision, Refusal):
            self.refused.append(decision.code)
            ready = prepared(reply, command.seq, decision, False)
            self.decided.append((submission, reply, ready))
        elif decision.receipt is None:
            self.long_ago.append(submission)
            self.decided.append((submission, NOBODY, None))
        else:
            ready = prepared(reply, command.seq, decision.receipt, True)
            self.decided.append((submission, reply, ready))
        return None

    def _decide_act(self, submission: ActSubmission) -> None:
        self._run.post()
        decision = decide_act(self.draft, self._rules, submission.act, self.when)
        answer: Answer
        if isinstance(decision, Refusal):
            self.refused.append(decision.code)
            answer = decision
        else:
            apply(self.draft, decision)
            record = encode_record(self.draft.seq, self.when.at, self.head, decision)
            self.head = hash_record(record)
            self.records.append(record)
            answer = ActReceipt(self.draft.seq, decision)
        self.decided.append(
            (submission, submission.reply, submission.reply.prepare(0, answer, False))
        )


def prepared(reply: Reply, seq: int, answer: Answer, repeat: bool) -> object:
    """A socket that fails while it is answered is that socket's trouble, never the link's."""
    try:
        return reply.prepare(seq, answer, repeat)
    except Exception:
        log.exception("preparing an answer failed")
        return None


def deliver(reply: Reply, ready: object) -> None:
    """A socket that fails while it is answered is that socket's trouble, never the link's."""
    try:
        reply.deliver(ready)
    except Exception:
        log.exception("answering failed")


def give(reply: Reply, seq: int, answer: Answer, repeat: bool) -> None:
    """Answer a message at once."""
    deliver(reply, prepared(reply, seq, answer, repeat))
