"""Which payments of a day an auditor looks at: chosen by a seed, the same on every machine.

Documents come first: a day has a few of them beside hundreds of wins that the rack paid. Nobody at
the house can steer the draw: the seed is the auditor's, and the order is that of hashes (SHA-256),
not of a random generator whose numbers another version would draw otherwise.
"""

from collections.abc import Iterable
from hashlib import sha256
from typing import Final, Literal

from msgspec import Struct

from progressive.application.journal.record import decode_record
from progressive.domain.award_events import AwardPaid, AwardVoided, RoundValidated
from progressive.domain.ids import LinkId

RULE: Final = (
    "First every payment document of the day, by the number of the record that paid it. Then every "
    "settlement with awards that was recorded on the day, and every older one of which an award "
    "was paid or voided on it, unless one of these documents is of it, by the number of its own "
    "record. Documents among themselves, then settlements among themselves, sorted by SHA-256 of "
    "the text 'progressive.sample/v2 SEED LINK DAY NUMBER'; the first are taken."
)
SAMPLE_MAX: Final = 1_000
"""Of one pack: each is some look-ups in the journal."""
_EVENT: Final = b'"event":{"type":"'
_SETTLED: Final = (b'round_settled"', b'settled_early"')
_DEALT_WITH: Final = (b'award_paid"', b'round_validated"', b'award_voided"')
_AWARDS: Final = b'"awards":[{'


class Chosen(Struct, frozen=True):
    """A settlement of the sample, and what brought it there."""

    seq: int
    hash: str
    what: Literal["document", "settlement"] = "settlement"
    number: int = 0
    """The record whose number was drawn: the payment's, or the settlement's own."""


class InTheDraw:
    """What a day has to draw from."""

    def __init__(self) -> None:
        self.documents: dict[int, int] = {}
        """By the record that paid: the one that settled."""
        self._settlements: set[int] = set()

    @property
    def others(self) -> set[int]:
        """Settlements without a document of the day."""
        return self._settlements - set(self.documents.values())

    def add(self, seq: int, stored: bytes) -> None:
        """HOT: every record of the day, once."""
        place = stored.find(_EVENT) + len(_EVENT)
        if stored.startswith(_SETTLED, place):
            if _AWARDS in stored:
                self._settlements.add(seq)
        elif stored.startswith(_DEALT_WITH, place):
            self._add_act(seq, stored)

    def _add_act(self, seq: int, stored: bytes) -> None:
        event = decode_record(stored, seq=seq).event
        match event:
            case AwardPaid():
                self.documents[seq] = settled_in(event.award)
            case AwardVoided():
                self._settlements.add(settled_in(event.award))
            case RoundValidated():
                self._settlements |= {settled_in(award) for award in event.awards}
            case _:
                pass

    def chosen(self, link: LinkId, day: str, *, seed: int, count: int) -> list[Chosen]:
        """The sample, in its order; fewer where there are no more."""
        paid = [
            Chosen(self.documents[seq], key, "document", seq)
            for key, seq in ordered(link, day, seed=seed, of=self.documents)
        ]
        others = [
            Chosen(seq, key, "settlement", seq)
            for key, seq in ordered(link, day, seed=seed, of=self.others)
        ]
        return [*paid, *others][:count]


def settled_in(award: str) -> int:
    """The record that made an award: an award bears its number."""
    return int(award.rsplit(".", 2)[-2])


def ordered(link: LinkId, day: str, *, seed: int, of: Iterable[int]) -> list[tuple[str, int]]:
    """Hash and number, as they are drawn."""
    return sorted(
        (sha256(f"progressive.sample/v2 {seed} {link} {day} {seq}".encode()).hexdigest(), seq)
        for seq in of
    )
