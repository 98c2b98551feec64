"""The witness itself: one request at a time, each from its check to its place on the disk.

What is given out as a cosignature lies on the disk before. Nothing here waits for a network, so
whoever calls has a thread for it; calls from two threads at once are not allowed.
"""

import base64
import logging
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Final

from msgspec import Struct

from progressive.application.clock import Clock
from progressive.application.seals.note import NoteError
from progressive.application.witness.judging import (
    BAD_REQUEST,
    CONFLICT,
    UNKNOWN_LOG,
    Refusal,
    judge,
)
from progressive.application.witness.logs import TrustedLogs
from progressive.application.witness.ports import (
    Cosigner,
    Evidence,
    Misbehaviour,
    Refused,
    Seen,
    SeenStore,
    SeenUnreadableError,
    SignedBy,
)
from progressive.application.witness.request import AddCheckpoint, read_request

log = logging.getLogger(__name__)

COSIGNED: Final = 200
UNAVAILABLE: Final = 503
STATUSES: Final = (COSIGNED, BAD_REQUEST, 403, UNKNOWN_LOG, CONFLICT, 422, UNAVAILABLE)
ORIGINS_MAX: Final = 1_000
"""Logs under one trusted name: whoever holds a key must not be able to fill the disk with them."""


class Answer(Struct, frozen=True):
    """What the asker is told."""

    status: int
    text: str
    """Cosignature lines, the size of a conflict, or a reason; with its newline."""


class Witness:
    """All that is known of the logs, and the one who may change it."""

    def __init__(
        self,
        logs: TrustedLogs,
        cosigner: Cosigner,
        *,
        signed_by: SignedBy,
        store: SeenStore,
        evidence: Evidence,
        clock: Clock,
        posix_time: Callable[[], int],
    ) -> None:
        """Reads what was cosigned; raises OSError or SeenUnreadableError."""
        self.logs = logs
        self._cosigner = cosigner
        self._signed_by = signed_by
        self._store = store
        self._evidence = evidence
        self._clock = clock
        self._posix_time = posix_time
        self.seen: Mapping[str, Seen] = dict(store.load())
        """By origin. Replaced as a whole: others may read it at any time."""
        self._unsure: set[str] = set()
        """Origins of which a write failed, and reading it back as well."""
        self.answers: Counter[int] = Counter(dict.fromkeys(STATUSES, 0))
        kinds: tuple[Misbehaviour, ...] = ("fork", "unproved", "smaller", "stranger")
        self.refused: Counter[Misbehaviour] = Counter(dict.fromkeys(kinds, 0))

    def add_checkpoint(self, body: bytes) -> Answer:
        """C2SP tlog-witness, `add-checkpoint`."""
        answer = self._answer(body)
        self.answers[answer.status] += 1
        return answer

    def _answer(self, body: bytes) -> Answer:
        try:
            asked = read_request(body)
        except NoteError as error:
            return Answer(BAD_REQUEST, f"{error}\n")
        origin = asked.checkpoint.origin
        if origin in self._unsure and not self._read_again(origin):
            return _unavailable("what was cosigned before cannot be read")
        seen = self.seen.get(origin)
        refusal = judge(asked, seen, self.logs.keys_of(origin), self._signed_by)
        if refusal is not None:
            return self._refuse(refusal, asked, seen)
        if seen is None and not self._has_room(origin):
            return _unavailable(f"{ORIGINS_MAX} logs of this name are followed already")
        return self._cosign(asked, seen)

    def _cosign(self, asked: AddCheckpoint, seen: Seen | None) -> Answer:
        # A cosignature says: as of this time, nothing larger was seen. So its time never goes back,
        # also where the clock does.
        time = max(self._posix_time(), 0 if seen is None else seen.time)
        cosignature = self._cosigner.cosign(asked.note.text, time)
        note = asked.note.with_signatures([cosignature])
        origin = asked.checkpoint.origin
        try:
            self._store.put(Seen(asked.checkpoint, time, note.encoded))
        except OSError as error:
            log.error("cannot store a checkpoint", extra={"origin": origin, "why": str(error)})
            # It may be there all the same: then it counts, though nobody was given it.
            self._read_again(origin)
            return _unavailable("the checkpoint cannot be stored: nothing was cosigned")
        self.seen = {**self.seen, origin: Seen(asked.checkpoint, time, note.encoded)}
        return Answer(COSIGNED, cosignature.line)

    def _read_again(self, origin: str) -> bool:
        """What lies on the disk decides; whether it can be read."""
        try:
            found = self._store.get(origin)
        except (OSError, SeenUnreadableError) as error:
            log.error("cannot read a checkpoint", extra={"origin": origin, "why": str(error)})
            self._unsure.add(origin)
            return False
        self._unsure.discard(origin)
        others = {each: seen for each, seen in self.seen.items() if each != origin}
        self.seen = others if found is None else {**others, origin: found}
        return True

    def _has_room(self, origin: str) -> bool:
        name = self.logs.name_of(origin)
        return sum([self.logs.name_of(each) == name for each in self.seen]) < ORIGINS_MAX

    def _refuse(self, refusal: Refusal, asked: AddCheckpoint, seen: Seen | None) -> Answer:
        if refusal.misbehaviour is not None:
            self._note(refusal.misbehaviour, refusal, asked, seen)
        if refusal.size is not None:
            # tlog-witness: the size of what was cosigned last, and nothing else.
            return Answer(refusal.status, f"{refusal.size}\n")
        return Answer(refusal.status, f"{refusal.reason}\n")

    def _note(
        self, kind: Misbehaviour, refusal: Refusal, asked: AddCheckpoint, seen: Seen | None
    ) -> None:
        """Somebody should look at it. What becomes of the evidence changes no answer."""
        self.refused[kind] += 1
        refused = Refused(
            at=self._clock.now(),
            kind=kind,
            origin=asked.checkpoint.origin,
            old_size=asked.old_size,
            proof=tuple([base64.b64encode(each).decode() for each in asked.proof]),
            note=asked.note.encoded,
            seen="" if seen is None else seen.note,
        )
        try:
            is_new = self._evidence.add(refused)
        except OSError as error:
            log.error("cannot store evidence", extra={"origin": refused.origin, "why": str(error)})
            is_new = True
        if is_new:
            log.error(
                "a checkpoint of a log that is followed was refused",
                extra={"kind": kind, "origin": refused.origin, "why": refusal.reason},
            )


def _unavailable(why: str) -> Answer:
    return Answer(UNAVAILABLE, f"{why}\n")
