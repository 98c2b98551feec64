"""HOT. A batch of messages decided one upon the other, before anything is kept or said."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from msgspec import Struct

from progressive.application.journal import encode_record, hash_record
from progressive.application.recovery import RecoveredLink
from progressive.domain.acts import PersonsAct
from progressive.domain.award_events import ActEvent
from progressive.domain.commands import RegisterWagers, TableCommand
from progressive.domain.decide import Repeat, decide
from progressive.domain.decide_acts import decide_act
from progressive.domain.events import RoundSettled, TableEvent, WagersRegistered
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


@dataclass(slots=True)
class Decided:
    """A batch between decision and commit: what to keep, and what to say once it is kept."""

    draft: LinkState
    head: str
    at: str
    records: list[bytes] = field(default_factory=list)
    answers: list[tuple[Reply, int, Answer, bool]] = field(default_factory=list)
    long_ago: list[Submission] = field(default_factory=list)
    """Numbers older than the state remembers: their answers are in the journal."""
    refused: list[Rejection] = field(default_factory=list)
    acts: list[tuple[Callable[[Answer], None], Answer]] = field(default_factory=list)
    """What to say to people."""
    settled: list[tuple[int, RoundSettled]] = field(default_factory=list)
    """Rounds with awards, each with its record's number."""
    wagers: int = 0
    rounds: int = 0


def decide_batch(
    link: RecoveredLink,
    rules: LinkRules,
    plain: PlainRounds,
    batch: Sequence[Submission | ActSubmission],
    *,
    when: Moment,
) -> Decided:
    """Decide each message upon what the ones before it left. The link itself does not move."""
    draft, head, at = link.state.copy(), link.head, when.at
    decided = Decided(draft, head, at)
    records, answers = decided.records, decided.answers
    run = PlainRun(plain, draft)
    for submission in batch:
        if isinstance(submission, ActSubmission):
            run.post()
            head = _decide_act(decided, rules, submission, head, when)
            continue
        table, command, reply = submission
        event: TableEvent | None = None
        if type(command) is RegisterWagers:
            event = run.lock(table, command)
        if event is None:
            if reads_books(command):
                run.post()
            decision = decide(draft, rules, table, command, when)
            if isinstance(decision, Refusal):
                answers.append((reply, command.seq, decision, False))
                decided.refused.append(decision.code)
                continue
            if isinstance(decision, Repeat):
                if decision.receipt is None:
                    decided.long_ago.append(submission)
                else:
                    answers.append((reply, command.seq, decision.receipt, True))
                continue
            event = decision
            apply(draft, event)
        record = encode_record(draft.seq, at, head, event)
        head = hash_record(record)
        records.append(record)
        answers.append((reply, command.seq, draft.tables[table].receipts[-1], False))
        if type(event) is WagersRegistered:
            decided.rounds += 1
            decided.wagers += len(event.wagers)
        elif type(event) is RoundSettled and event.awards:
            decided.settled.append((draft.seq, event))
    run.post()
    decided.head = head
    return decided


def _decide_act(
    decided: Decided, rules: LinkRules, submission: ActSubmission, head: str, when: Moment
) -> str:
    """A person's act upon what came before it; the hash of the last record afterwards."""
    draft = decided.draft
    decision = decide_act(draft, rules, submission.act, when)
    if isinstance(decision, Refusal):
        decided.acts.append((submission.reply, decision))
        decided.refused.append(decision.code)
        return head
    apply(draft, decision)
    record = encode_record(draft.seq, when.at, head, decision)
    decided.records.append(record)
    decided.acts.append((submission.reply, ActReceipt(draft.seq, decision)))
    return hash_record(record)


def give(reply: Reply, seq: int, answer: Answer, repeat: bool) -> None:
    """A socket that fails while it is answered is that socket's trouble, never the link's."""
    try:
        reply(seq, answer, repeat)
    except Exception:
        log.exception("answering failed")
