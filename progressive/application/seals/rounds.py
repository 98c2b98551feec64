"""Which witness is asked what next: one question at a time for each witness and link.

Works in the process that seals. Questions are sent by whoever is given; answers come back through
`answered`. What a witness has cosigned is remembered on the disk: it is asked from there on.
"""

import random
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

from msgspec import Struct, structs

from progressive.application.seals.link_log import LinkLog
from progressive.application.seals.merkle import (
    EMPTY_ROOT,
    PROOF_HASHES_MAX,
    consistency_proof,
    extends,
)
from progressive.application.seals.note import Checkpoint, Note, read_checkpoint, read_note
from progressive.application.seals.ports import WitnessMemory
from progressive.application.seals.sealing import WitnessNews
from progressive.application.seals.tree import TreeIncompleteError
from progressive.application.seals.witnessing import (
    Answer,
    Checked,
    Standing,
    Verdict,
    Witness,
    request_body,
    verdict,
)
from progressive.domain.ids import LinkId

RETRY_SECONDS: Final = 5.0
RETRY_SECONDS_MAX: Final = 300.0
ASK_AGAIN_SECONDS: Final = 60.0
"""A witness that has agreed is asked again about the same seal, where no newer one comes: otherwise
nobody could tell a night without play from a witness that is gone, neither here nor there."""
BEHIND_MAX: Final = 3
"""How often a witness may say, in one round, that it is somewhere else."""

Send = Callable[[Witness, LinkId, bytes], None]


class _Round(Struct):
    """One question under way, or the next one."""

    note: Note | None = None
    checkpoint: Checkpoint | None = None
    old_size: int = 0
    behind: int = 0
    failures: int = 0
    retry_at: float = 0.0
    """Not before: after a failure."""
    again_at: float | None = None
    """When it is due though nothing is new: after it has agreed."""
    asked_at: int = -1
    """The size that was asked about last."""


class Rounds:
    """All witnesses, for all links."""

    def __init__(
        self,
        witnesses: Sequence[Witness],
        *,
        send: Send,
        checked: Checked,
        monotonic: Callable[[], float],
    ) -> None:
        self._witnesses = witnesses
        self._send = send
        self._checked = checked
        self._monotonic = monotonic
        self._rounds: dict[tuple[str, str], _Round] = {}
        """By the witness's key and the log's origin: what was said of a log that ended is past."""

    def waits_for(self, log: LinkLog) -> bool:
        """Whether an answer about a log is awaited."""
        rounds = [each for (_, origin), each in self._rounds.items() if origin == log.origin]
        return any(each.note is not None for each in rounds)

    def next_at(self, logs: Collection[LinkLog]) -> float | None:
        """When a witness is to be asked again about one of these logs."""
        origins = {log.origin for log in logs}
        times = [
            each.retry_at if each.failures else each.again_at
            for (_, origin), each in self._rounds.items()
            if each.note is None and origin in origins
        ]
        return min([each for each in times if each is not None], default=None)

    def disagreed(self, log: LinkLog) -> list[WitnessNews]:
        """Those that disagreed before and have not agreed since: silence takes nothing back."""
        memories = [(each, self._remembered(each, log)) for each in self._witnesses]
        return [
            _news(log, witness, "disagrees", memory.size, memory.disagrees)
            for witness, memory in memories
            if memory.disagrees
        ]

    def begin(self, log: LinkLog, *, probe: bool = False) -> list[WitnessNews]:
        """Ask every witness that has not cosigned the newest seal of late, and may be asked now.

        `probe`: at a start: all of them, also where nothing is sealed yet. Returns what can be said
        at once.
        """
        said = []
        for witness in self._witnesses:
            begun = self._rounds.setdefault((witness.key.text, log.origin), _Round())
            if begun.note is not None:
                continue
            now = self._monotonic()
            again = begun.again_at is not None and now >= begun.again_at
            due = begun.asked_at != log.size or begun.failures or again
            if probe or (due and now >= begun.retry_at):
                begun.behind = 0
                said += self._ask(witness, begun, log, self._remembered(witness, log).size)
        return said

    def answered(self, witness: Witness, log: LinkLog, answer: Answer) -> list[WitnessNews]:
        """An answer has come."""
        begun = self._rounds.get((witness.key.text, log.origin), _Round())
        note, checkpoint = begun.note, begun.checkpoint
        begun.note = begun.checkpoint = None
        if note is None or checkpoint is None:
            return []
        found = verdict(answer, witness, note, checkpoint, begun.old_size, self._checked)
        if found.standing == "behind":
            begun.behind += 1
            if begun.behind <= BEHIND_MAX:
                return self._ask(witness, begun, log, found.size)
            found = Verdict("silent", why=f"witness {witness.name} says another size each time")
        news = [self._entered(witness, begun, log, note, found)]
        if found.standing == "agrees" and checkpoint.size < log.size:
            # A newer seal was made meanwhile: it waits for nothing.
            begun.behind = 0
            news += self._ask(witness, begun, log, found.size)
        return news

    # --- one witness, one link -----------------------------------------------------------------

    def _ask(
        self, witness: Witness, begun: _Round, log: LinkLog, old_size: int
    ) -> list[WitnessNews]:
        note = _newest(log)
        checkpoint = read_checkpoint(note.text)
        old_size = min(old_size, checkpoint.size)
        try:
            proof = _proof(log, old_size, checkpoint)
        except TreeIncompleteError as error:
            why = f"witness {witness.name} is not asked: {error}"
            return [self._entered(witness, begun, log, note, Verdict("silent", why=why))]
        begun.note, begun.checkpoint, begun.old_size = note, checkpoint, old_size
        begun.asked_at = checkpoint.size
        own = Note(note.text, note.signatures[:1])
        self._send(witness, log.link, request_body(old_size, proof, own.encoded.encode()))
        return []

    def _entered(
        self, witness: Witness, begun: _Round, log: LinkLog, note: Note, found: Verdict
    ) -> WitnessNews:
        if found.standing == "agrees":
            begun.failures = 0
            begun.again_at = self._monotonic() + ASK_AGAIN_SECONDS
            if found.size:
                log.cosigned(witness.key, found.signatures, note)
            self._remember(witness, log, WitnessMemory(log.origin, found.size))
            return _news(log, witness, "agrees", found.size)
        begun.failures += 1
        pause = min(RETRY_SECONDS * 2 ** min(begun.failures - 1, 10), RETRY_SECONDS_MAX)
        # Not all at once, where many links lost the same witness.
        begun.retry_at = self._monotonic() + pause * random.uniform(0.5, 1.0)  # noqa: S311
        memory = self._remembered(witness, log)
        if found.standing == "disagrees":
            self._remember(witness, log, structs.replace(memory, disagrees=found.why))
            return _news(log, witness, "disagrees", memory.size, found.why)
        if memory.disagrees:
            # Silence takes nothing back.
            return _news(log, witness, "disagrees", memory.size, memory.disagrees)
        standing: Standing = "refuses" if found.standing == "refuses" else "silent"
        return _news(log, witness, standing, memory.size, found.why)

    def _remembered(self, witness: Witness, log: LinkLog) -> WitnessMemory:
        memory = log.folder.witnesses().get(witness.key.text)
        if memory is None or memory.origin != log.origin:
            return WitnessMemory(log.origin, 0)
        return memory

    def _remember(self, witness: Witness, log: LinkLog, memory: WitnessMemory) -> None:
        known: Mapping[str, WitnessMemory] = log.folder.witnesses()
        if known.get(witness.key.text) != memory:
            log.folder.write_witnesses({**known, witness.key.text: memory})


def _news(
    log: LinkLog, witness: Witness, standing: Standing, size: int, why: str = ""
) -> WitnessNews:
    return WitnessNews(log.link, witness.name, standing, size, why, log.log)


def _newest(log: LinkLog) -> Note:
    """The newest seal of this log. Where there is none yet, that of no record at all: a witness
    that has seen some says so."""
    if log.size:
        return read_note(log.newest.note)
    return log.signed(Checkpoint(log.origin, 0, EMPTY_ROOT))


def _proof(log: LinkLog, old_size: int, checkpoint: Checkpoint) -> list[bytes]:
    """Held against the signed root first: a witness would take a damaged cache for a forgery."""
    tree = log.tree()
    proof = consistency_proof(old_size, checkpoint.size, tree.subtree)
    old_root = tree.range_at(old_size).root()
    holds = extends(old_size, old_root, checkpoint.size, checkpoint.root, proof)
    if not holds or len(proof) > PROOF_HASHES_MAX:
        raise TreeIncompleteError("the stored tree is damaged: it is built again")
    return proof
