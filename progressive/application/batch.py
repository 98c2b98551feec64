"""HOT. A batch of messages decided one upon the other, before anything is kept or said."""

import logging
from collections.abc import Callable, Sequence

from msgspec import Struct

from progressive.application.journal import encode_record, hash_record
from progressive.domain.acts import PersonsAct
from progressive.domain.award_events import ActEvent
from progressive.domain.commands import RegisterWagers, TableCommand
from progressive.domain.decide import Repeat, decide
from progressive.domain.decide_acts import decide_act
from progressive.domain.events import Event, RoundSettled, TableEvent, WagersRegistered
from progressive.domain.evolve import apply
from progressive.domain.ids import TableId
from progressive.domain.plain_round import PlainRounds, PlainRun, reads_books
from progressive.domain.policy import Moment
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.rules import LinkRules
from progressive.domain.state import LinkState, Receipt

log = logging.getLogger(__name__)


class ActReceipt(Struct, frozen=True, gc=False):
    """What a person's act led to."""

    journal_seq: int
    event: ActEvent


Answer = Receipt | ActReceipt | Refusal | None
"""None: the fate of the message is unknown and nothing may be said; let the table come back."""
Reply = Callable[[int, Answer, bool], None]
"""Called with the message's seq, its answer, and whether it is a repeat. Must not block."""

Submission = tuple[TableId, TableCommand, Reply]


class ActSubmission(Struct, frozen=True):
    """A person's act; it is decided in the same line as the tables' messages."""

    act: PersonsAct
    reply: Callable[[Answer], None]


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
        self.submissions: list[Submission | ActSubmission] = []
        self.records: list[bytes] = []
        self.answers: list[tuple[Reply, int, Answer, bool]] = []
        self.acts: list[tuple[Callable[[Answer], None], Answer]] = []
        """What to say to people."""
        self.long_ago: list[Submission] = []
        """Numbers older than the state remembers: their answers are in the journal."""
        self.refused: list[Rejection] = []
        self.settled: list[tuple[int, RoundSettled]] = []
        """Rounds with awards, each with its record's number."""
        self.wagers = 0
        self.rounds = 0
        self._rules = rules
        self._run = PlainRun(plain, self.draft)

    def decide(self, submissions: Sequence[Submission | ActSubmission]) -> None:
        """Decide each message upon what the ones before it left."""
        self.submissions += submissions
        for submission in submissions:
            if isinstance(submission, ActSubmission):
                self._decide_act(submission)
            else:
                self._decide_message(submission)

    def close(self) -> None:
        """No more messages: bring the books up to date."""
        self._run.post()

    def _decide_message(self, submission: Submission) -> None:
        table, command, reply = submission
        draft = self.draft
        event: TableEvent | None = None
        if type(command) is RegisterWagers:
            event = self._run.lock(table, command)
        if event is None:
            if reads_books(command):
                self._run.post()
            decision = decide(draft, self._rules, table, command, self.when)
            if isinstance(decision, Refusal):
                self.answers.append((reply, command.seq, decision, False))
                self.refused.append(decision.code)
                return
            if isinstance(decision, Repeat):
                if decision.receipt is None:
                    self.long_ago.append(submission)
                else:
                    self.answers.append((reply, command.seq, decision.receipt, True))
                return
            event = decision
            apply(draft, event)
        self._record(event)
        self.answers.append((reply, command.seq, draft.tables[table].receipts[-1], False))
        if type(event) is WagersRegistered:
            self.rounds += 1
            self.wagers += len(event.wagers)
        elif type(event) is RoundSettled and event.awards:
            self.settled.append((draft.seq, event))

    def _decide_act(self, submission: ActSubmission) -> None:
        self._run.post()
        decision = decide_act(self.draft, self._rules, submission.act, self.when)
        if isinstance(decision, Refusal):
            self.acts.append((submission.reply, decision))
            self.refused.append(decision.code)
            return
        apply(self.draft, decision)
        self._record(decision)
        self.acts.append((submission.reply, ActReceipt(self.draft.seq, decision)))

    def _record(self, event: Event) -> None:
        record = encode_record(self.draft.seq, self.when.at, self.head, event)
        self.head = hash_record(record)
        self.records.append(record)


def give(reply: Reply, seq: int, answer: Answer, repeat: bool) -> None:
    """A socket that fails while it is answered is that socket's trouble, never the link's."""
    try:
        reply(seq, answer, repeat)
    except Exception:
        log.exception("answering failed")
