"""PURE. Where a table stands by its own count, held against what the service says of it."""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from msgspec import structs

from progressive.client.answers import Answer, ServerMessage
from progressive.domain.commands import (
    RegisterWagers,
    SettleRound,
    TableCommand,
    VoidRound,
    Wager,
)
from progressive.domain.ids import RoundId
from progressive.simulator.award_notes import takes_of, wins_of
from progressive.simulator.bookkeeping import Entry
from progressive.simulator.expected import expected_awards
from progressive.simulator.meter_track import MeterTerms
from progressive.simulator.plan import Spoiled, closing
from progressive.simulator.terms import TableTerms
from progressive.simulator.wins import Won
from progressive.wire.codec import encode
from progressive.wire.table_messages import (
    AwardMessage,
    ErrorMessage,
    Locked,
    OpenRoundMessage,
    Settled,
    Voided,
    Welcome,
)

SHOWN_CHARS_MAX: Final = 300

_ANSWERS: Final[dict[type, tuple[type[Answer], Literal["lock", "settle", "void"]]]] = {
    RegisterWagers: (Locked, "lock"),
    SettleRound: (Settled, "settle"),
    VoidRound: (Voided, "void"),
}


class WrongAnswerError(Exception):
    """An answer that cannot be: from here on nobody knows where the table stands."""

    def __init__(self, seq: int | None, expected: str, came: str) -> None:
        super().__init__(f"expected {expected}, came {came}")
        self.seq = seq
        self.expected = expected
        self.came = came


class Accepted(NamedTuple):
    """An answer that can be: for the book, for the signs, for the totals."""

    entry: Entry
    won: Sequence[Won]
    awards: Sequence[AwardMessage]


class Standing:
    """A table's numbering and its open round, moved by answers only."""

    def __init__(self, table: str, meters: Sequence[MeterTerms]) -> None:
        self.table: Final = table
        self._meters = meters
        self._meter_ids = [meter.id for meter in meters]
        self.terms: TableTerms | None = None
        """None until the first welcome."""
        self.next_seq = 0
        self.open_lock: RegisterWagers | None = None
        self._up_card: str | None = None
        """Of a round that an earlier run left open after it was paid before the peek."""
        self.last: tuple[TableCommand, Answer] | None = None
        self.early: SettleRound | None = None
        """What was settled before the peek, in the open round."""
        self._paid_early: dict[tuple[int, str], AwardMessage] = {}
        self._epoch = 0
        self._journal_seq = 0
        self._under_way: TableCommand | None = None
        self._sends = 0
        self._was_kept = False

    def begins(self, command: TableCommand) -> None:
        """From now on this message is under way."""
        self._under_way = command
        self._sends = 0
        self._was_kept = False

    def sends(self) -> None:
        """What is under way goes out, for the first time or once more."""
        self._sends += 1

    # --- welcomes ------------------------------------------------------------------------------

    def welcomed(self, welcome: Welcome) -> None:
        """The service speaks first. Raises WrongAnswerError where it has forgotten something."""
        if welcome.table != self.table:
            raise WrongAnswerError(None, f"a welcome for {self.table}", f"one for {welcome.table}")
        if welcome.epoch < self._epoch:
            came = f"epoch {welcome.epoch}"
            raise WrongAnswerError(self.next_seq, f"epoch {self._epoch} or later", came)
        self._epoch = welcome.epoch
        if welcome.dealing is None:
            raise WrongAnswerError(None, "a welcome that says how the table deals", shown(welcome))
        terms = TableTerms(
            welcome.bets, welcome.dealing, welcome.base_min_cents, welcome.base_max_cents
        )
        if self.terms is not None:
            if terms != self.terms:
                raise WrongAnswerError(self.next_seq, "the terms of before", shown(terms))
            self._check_return(welcome)
            return
        self.terms = terms
        self.next_seq = welcome.next_seq
        if welcome.round is not None:
            self.open_lock = _lock_of(welcome.round, welcome.next_seq - 1)
            self._up_card = welcome.round.early_up_card or None

    def closing(self) -> SettleRound | None:
        """What ends a round that an earlier run left open; None where there is none."""
        if self.open_lock is None or self.terms is None:
            return None
        return closing(self.next_seq, self.open_lock, self.terms, self._up_card)

    def _check_return(self, welcome: Welcome) -> None:
        """All that was answered is kept; what was not is kept whole or not at all."""
        command, ours = self._under_way, self.next_seq
        possible = [ours, ours + 1] if command is not None and self._sends else [ours]
        if welcome.next_seq not in possible:
            expected = " or ".join(str(seq) for seq in possible)
            raise WrongAnswerError(ours, f"next_seq {expected}", f"next_seq {welcome.next_seq}")
        self._was_kept = welcome.next_seq > ours
        expected_lock = self.open_lock
        if self._was_kept and command is not None:
            expected_lock = self._open_after(command)
        came = None if welcome.round is None else _lock_of(welcome.round, ours)
        if _round_of(came) != _round_of(expected_lock):
            raise WrongAnswerError(
                ours,
                f"open round {shown(_round_of(expected_lock))}",
                f"open round {shown(_round_of(came))}",
            )

    # --- answers -------------------------------------------------------------------------------

    def accepted(self, message: ServerMessage) -> Accepted:
        """The answer to what is under way; raises WrongAnswerError."""
        command = self._under_way
        if command is None:
            raise WrongAnswerError(None, "nothing", shown(message))
        wanted, kind = _ANSWERS[type(command)]
        if not isinstance(message, wanted):
            raise WrongAnswerError(command.seq, wanted.__name__.lower(), shown(message))
        answer: Answer = message
        self._check_place(command, answer)
        awards: Sequence[AwardMessage] = ()
        if isinstance(command, SettleRound) and isinstance(answer, Settled):
            awards = self._checked_awards(command, answer)
        self._journal_seq = answer.journal_seq
        self.next_seq = command.seq + 1
        self.open_lock = self._open_after(command)
        self.early = command if isinstance(command, SettleRound) and command.early else None
        early = self.early is not None
        self._paid_early = {(a.seat, a.bet): a for a in awards} if early else {}
        self._under_way = None
        self.last = command, answer
        puts, put_by = self._puts(command)
        entry = Entry(
            answer.journal_seq,
            self.table,
            command.seq,
            "early" if early else kind,
            puts,
            tuple([meter.cents for meter in answer.meters]),
            put_by,
            takes_of(awards, self.terms, self._meter_ids) if awards and self.terms else (),
        )
        return Accepted(entry, wins_of(self.table, answer.journal_seq, awards), awards)

    def _open_after(self, command: TableCommand) -> RegisterWagers | None:
        """The open round once a message is accepted."""
        if isinstance(command, RegisterWagers):
            return command
        return self.open_lock if isinstance(command, SettleRound) and command.early else None

    # --- awards --------------------------------------------------------------------------------

    def _checked_awards(self, command: SettleRound, answer: Settled) -> Sequence[AwardMessage]:
        """The awards, if they are those that the cards make."""
        if self.terms is None or self.open_lock is None:
            raise WrongAnswerError(command.seq, "a round to settle", shown(answer))
        dealing = self.terms.dealing
        expected = expected_awards(
            command, self.open_lock.wagers, self.terms.bets, dealing, self._paid_early
        )
        wrong: str | None = None
        if answer.early is not command.early:
            wrong = f"early {command.early}"
        elif len(answer.awards) != len(expected):
            lines = ", ".join(f"{each.line.id} at seat {each.seat}" for each in expected)
            wrong = f"{len(expected)} awards ({lines or 'nobody won'})"
        else:
            differences = [
                ours.difference(theirs, dealing)
                for ours, theirs in zip(expected, answer.awards, strict=True)
            ]
            wrong = next(filter(None, differences), None)
        if wrong is not None:
            raise WrongAnswerError(command.seq, wrong, shown(answer))
        return answer.awards

    # --- numbers -------------------------------------------------------------------------------

    def _check_place(self, command: TableCommand, answer: Answer) -> None:
        wrong: str | None = None
        if answer.seq != command.seq or answer.round != command.round:
            wrong = f"the answer to seq {command.seq}, round {command.round}"
        elif answer.journal_seq <= self._journal_seq:
            wrong = f"a journal_seq above {self._journal_seq}"
        elif [meter.id for meter in answer.meters] != self._meter_ids:
            wrong = f"the meters {', '.join(self._meter_ids)}"
        elif answer.repeat and self._sends == 1:
            wrong = "a first answer to what was sent once"
        elif self._was_kept and not answer.repeat:
            wrong = "a repeat, as the welcome counted the message as accepted"
        if wrong is not None:
            raise WrongAnswerError(command.seq, wrong, shown(answer))

    def _puts(self, command: TableCommand) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """What the message puts on each meter and by for its reset: wagers x rate, exactly."""
        if not isinstance(command, RegisterWagers) or self.terms is None:
            return (), ()
        cents: dict[str, int] = {}
        for wager in command.wagers:
            cents[wager.bet] = cents.get(wager.bet, 0) + wager.amount_cents
        by = {each.meter: each.rate_ppm for bet in self.terms.bets for each in bet.resets}
        return (
            tuple([cents.get(meter.bet, 0) * meter.rate_ppm for meter in self._meters]),
            tuple([cents.get(meter.bet, 0) * by.get(meter.id, 0) for meter in self._meters]),
        )

    def repeated(self, message: ServerMessage) -> None:
        """The last message was sent once more: the same answer, marked as a repeat."""
        if self.last is None:
            raise WrongAnswerError(None, "nothing", shown(message))
        command, answer = self.last
        expected = structs.replace(answer, repeat=True)
        if message != expected:
            raise WrongAnswerError(command.seq, shown(expected), shown(message))

    def refused(self, spoiled: Spoiled, message: ServerMessage) -> None:
        """A spoiled message: refused, and for just that reason."""
        if (
            isinstance(message, ErrorMessage)
            and (message.seq, message.code) == (spoiled.seq, spoiled.code)
            and spoiled.expected in (None, message.expected)
        ):
            return
        beside = "" if spoiled.expected is None else f" with expected {spoiled.expected}"
        raise WrongAnswerError(spoiled.seq, f"{spoiled.code}{beside}", shown(message))


def shown(message: object) -> str:
    """A message as it is on the wire, or the beginning of it."""
    text = encode(message).decode()
    return text if len(text) <= SHOWN_CHARS_MAX else text[: SHOWN_CHARS_MAX - 1] + "…"


def _lock_of(opened: OpenRoundMessage, seq: int) -> RegisterWagers:
    """An open round as the lock-out it came from; the count of chips is not told."""
    return RegisterWagers(
        seq=seq, round=RoundId(opened.round), wagers=opened.wagers, chips_counted=0
    )


def _round_of(lock: RegisterWagers | None) -> tuple[str, tuple[Wager, ...]] | None:
    return None if lock is None else (lock.round, lock.wagers)
