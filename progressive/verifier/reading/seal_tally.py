"""What the seals of a link prove together: each is taken in by itself, one report comes out.

Only a seal whose root is that of records that are here proves anything about them. One of purged or
lost records counts as such, and so does what a witness has said of it.
"""

from collections.abc import Sequence

from progressive.verifier.proof.checkpoint import Checkpoint, Cosigned, Keyring
from progressive.verifier.reading.seals import KEPT, StoredSeal
from progressive.verifier.seals_report import LostSeal, SealsReport, WitnessReport


class SealTally:
    """The seals of one link, as far as they were looked at."""

    def __init__(self, keys: Keyring | None) -> None:
        self._keys = keys
        self._count = 0
        self._newest: Checkpoint | None = None
        self._origins: set[str] = set()
        self._of_purged = 0
        self._lost: list[LostSeal] = []
        self._witnessed: dict[str, WitnessReport] = {}

    def fits(self, checkpoint: Checkpoint, cosigned: Sequence[Cosigned]) -> None:
        """It is of the records that are here."""
        self._count += 1
        self._origins.add(checkpoint.origin)
        if self._newest is None or checkpoint.size >= self._newest.size:
            self._newest = checkpoint
        for each in cosigned:
            known = self._witnessed.get(each.witness)
            if known is None or (known.seq, known.at) <= (checkpoint.size, each.at):
                self._witnessed[each.witness] = WitnessReport(
                    each.witness, checkpoint.size, each.at
                )

    def of_purged(self) -> None:
        """It is of records that were purged since: its root cannot be computed any more."""
        self._of_purged += 1

    def of_lost(self, seal: StoredSeal, checkpoint: Checkpoint, *, left: int) -> None:
        """It is of records that are gone since, but for so many, as two people accepted."""
        brought = seal.name == KEPT
        self._lost.append(LostSeal(seal.file, checkpoint.origin, checkpoint.size, left, brought))

    @property
    def sealed_seq(self) -> int:
        """Up to which record those fit."""
        return 0 if self._newest is None else self._newest.size

    def not_cosigned(self) -> tuple[str, ...]:
        """The witnesses whose keys were given and who have confirmed none of these records."""
        return () if self._keys is None else self._keys.not_among(self._witnessed)

    def report(self) -> SealsReport:
        """All of it."""
        return SealsReport(
            count=self._count,
            origin="" if self._newest is None else self._newest.origin,
            earlier_logs=len(self._origins) > 1,
            sealed_seq=self.sealed_seq,
            signatures_checked=self._keys is not None and self._keys.can_check_logs,
            of_purged=self._of_purged,
            of_lost=len(self._lost),
            lost=tuple(self._lost),
            witnesses=tuple(self._witnessed.values()),
        )
