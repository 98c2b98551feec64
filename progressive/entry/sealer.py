"""The process that seals journals beside the service, as long as the service runs.

Orders and questions are lines on its standard input, what it says are lines on its standard output.
It alone reads the private key. It reads the journal and never writes it; it writes `seals/`. It
ends at once when the service does: that closes its standard input. It imports little, so that it
starts quickly.
"""

import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Final

from msgspec import Struct, structs

from progressive.adapters.seals.files import LinkSeals
from progressive.adapters.seals.key_file import KeyFileError, read_signer
from progressive.adapters.seals.messages import (
    Orders,
    Question,
    Said,
    decode_orders,
    decode_question,
    encode,
)
from progressive.adapters.seals.signing import Signer, signatures_by
from progressive.adapters.seals.witness_client import add_checkpoint
from progressive.adapters.sqlite.sealed_journal import SqliteSealedJournal
from progressive.application.journal.ports import StoreError
from progressive.application.journal.record import JournalBrokenError
from progressive.application.seals.link_log import LinkLog, SealFindingError, Target
from progressive.application.seals.link_tree import CannotSealError
from progressive.application.seals.note import Note, VerifierKey, read_key
from progressive.application.seals.rounds import Rounds
from progressive.application.seals.sealing import SealAnswer, WitnessNews
from progressive.application.seals.witnessing import Answer, Witness
from progressive.domain.ids import LinkId
from progressive.runtime import json_log
from progressive.runtime.idle_process import ENDED_WITH_THE_SERVICE, idle

PART_RECORDS: Final = 2_048
"""Hashed at a time, before another question has its turn."""


class _Answered(Struct, frozen=True):
    """What a witness has answered, on its way from the thread that asked it."""

    witness: Witness
    link: LinkId
    answer: Answer


class _Asking(Struct):
    """The service waits for what witnesses say of a link."""

    id: int
    until: float
    news: list[WitnessNews]
    answer: SealAnswer = SealAnswer()
    """What else is to be said."""


class SealerLoop:
    """One thing after the other, in the main thread."""

    def __init__(self, orders: Orders, signer: Signer) -> None:
        self._data = Path(orders.data)
        self._orders = orders
        self._signer = signer
        self._keys = [signer.key(), *[read_key(line) for line in orders.before]]
        self._came: queue.SimpleQueue[Question | _Answered] = queue.SimpleQueue()
        self._asking: dict[LinkId, _Asking] = {}
        self._logs: dict[LinkId, LinkLog] = {}
        witnesses = [Witness(url, read_key(line)) for url, line in orders.witnesses]
        self._rounds = Rounds(
            witnesses, send=self._send, checked=signatures_by, monotonic=time.monotonic
        )

    def take(self, question: Question) -> None:
        """From the thread that listens."""
        self._came.put(question)

    def run(self) -> None:
        """Until the process ends."""
        while True:
            came = self._next()
            if isinstance(came, _Answered):
                self._hear(came)
            elif came is None:
                for log in list(self._logs.values()):
                    self._begin_rounds(log)
            elif came.do == "ask":
                self._ask(came)
            else:
                self._seal_and_say(came)
            self._end_asking()

    def _next(self) -> Question | _Answered | None:
        """None: it is time to ask a witness again, or to wait no longer for one."""
        times = [each.until for each in self._asking.values()]
        if (at := self._rounds.next_at(self._logs.values())) is not None:
            times.append(at)
        wait = max(0.0, min(times) - time.monotonic()) if times else None
        try:
            return self._came.get(timeout=wait)
        except queue.Empty:
            return None

    # --- sealing -------------------------------------------------------------------------------

    def _seal_and_say(self, question: Question) -> None:
        answer = self._seal(question)
        log = self._logs.get(question.target.link)
        if question.hurry and answer.done and log is not None and self._rounds.waits_for(log):
            # The service stops: its witnesses have their say first.
            until = time.monotonic() + self._orders.witness_seconds
            self._asking[log.link] = _Asking(question.id, until, [], answer)
        else:
            _say(Said("answer", id=question.id, answer=answer))

    def _seal(self, question: Question) -> SealAnswer:
        target = question.target
        try:
            log = self._log(target)
            until = time.monotonic() + self._orders.part_seconds
            with nullcontext() if question.hurry else idle(self._orders.rest):
                done = log.advance(target, records_max=PART_RECORDS)
                while not done and self._came.empty() and time.monotonic() < until:
                    done = log.advance(target, records_max=PART_RECORDS)
        except SealFindingError as error:
            self._logs.pop(target.link, None)
            return SealAnswer(done=False, finding=str(error))
        except (CannotSealError, StoreError, JournalBrokenError, OSError) as error:
            # What is on the disk decides where it goes on.
            self._logs.pop(target.link, None)
            return SealAnswer(done=False, problem=_in_words(error))
        if done:
            self._begin_rounds(log)
        return SealAnswer(log.size, log.hashed, done)

    def _log(self, target: Target) -> LinkLog:
        log = self._logs.get(target.link)
        if log is None or log.log != target.log:
            log = self._logs[target.link] = LinkLog(
                target.link,
                target.log,
                LinkSeals(self._data, target.link),
                SqliteSealedJournal(self._data, target.link),
                self._signer,
                keys=self._keys,
                signed_by=_signed_by,
            )
        return log

    # --- witnesses -----------------------------------------------------------------------------

    def _ask(self, question: Question) -> None:
        """At a start: what every witness says of what is sealed."""
        target = question.target
        try:
            news = self._rounds.begin(self._log(target), probe=True)
        except (SealFindingError, CannotSealError):
            # The service finds the same, or hears of it when it has the journal sealed.
            _say(Said("answer", id=question.id, answer=SealAnswer()))
        except (StoreError, JournalBrokenError, OSError) as error:
            self._logs.pop(target.link, None)
            _say(Said("answer", id=question.id, answer=SealAnswer(problem=_in_words(error))))
        else:
            until = time.monotonic() + self._orders.witness_seconds
            self._asking[target.link] = _Asking(question.id, until, news)

    def _end_asking(self) -> None:
        """Where all have answered, or it has lasted long enough."""
        for link, asking in list(self._asking.items()):
            log = self._logs.get(link)
            waits = log is not None and self._rounds.waits_for(log)
            if waits and time.monotonic() < asking.until:
                continue
            del self._asking[link]
            heard = {each.witness for each in asking.news}
            disagreed = [] if log is None else self._rounds.disagreed(log)
            news = (*asking.news, *[each for each in disagreed if each.witness not in heard])
            answer = structs.replace(asking.answer, witnesses=news)
            _say(Said("answer", id=asking.id, answer=answer))

    def _begin_rounds(self, log: LinkLog) -> None:
        try:
            said = self._rounds.begin(log)
        except (StoreError, JournalBrokenError, OSError) as error:
            self._logs.pop(log.link, None)
            sys.stderr.write(f"witnesses of {log.link} not asked: {_in_words(error)}\n")
            return
        for each in said:
            # The stored tree may be damaged: it is looked at when the log is opened again.
            self._logs.pop(log.link, None)
            _say(Said("news", news=each))

    def _hear(self, came: _Answered) -> None:
        asking = self._asking.get(came.link)
        for each in self._heard(came):
            if asking is not None:
                asking.news.append(each)
            else:
                _say(Said("news", news=each))

    def _heard(self, came: _Answered) -> list[WitnessNews]:
        log = self._logs.get(came.link)
        if log is None:
            return []
        try:
            return self._rounds.answered(came.witness, log, came.answer)
        except (StoreError, JournalBrokenError, OSError) as error:
            self._logs.pop(came.link, None)
            return [WitnessNews(came.link, came.witness.name, "silent", why=_in_words(error))]

    def _send(self, witness: Witness, link: LinkId, body: bytes) -> None:
        def ask() -> None:
            self._came.put(_Answered(witness, link, add_checkpoint(witness.url, body)))

        threading.Thread(target=ask, daemon=True, name=f"witness {witness.name}").start()


def _signed_by(note: Note, keys: Sequence[VerifierKey]) -> bool:
    return bool(signatures_by(note, keys))


def _in_words(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        name = "" if error.filename is None else f"{Path(str(error.filename)).name}: "
        return f"{name}{error.strerror}"
    return str(error)


def _say(said: Said) -> None:
    sys.stdout.buffer.write(encode(said) + b"\n")
    sys.stdout.buffer.flush()


def _listen(loop: SealerLoop) -> None:
    """In a thread. The end of standard input is the end of the service."""
    for line in sys.stdin.buffer:
        loop.take(decode_question(line))
    os._exit(ENDED_WITH_THE_SERVICE)


def run() -> None:
    """Take the orders, say whose key this is, and work."""
    # Ctrl-C in the service's terminal is for the service: this ends with it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    orders = decode_orders(sys.stdin.buffer.readline())
    json_log.configure("warning")
    try:
        signer = read_signer(Path(orders.key))
    except KeyFileError as error:
        _say(Said("hello", problem=str(error)))
        return
    loop = SealerLoop(orders, signer)
    _say(Said("hello", key=signer.key().text))
    threading.Thread(target=_listen, args=(loop,), daemon=True, name="questions").start()
    loop.run()


if __name__ == "__main__":
    run()
