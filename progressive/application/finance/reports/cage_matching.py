"""What the cage paid beside what the service paid, document by document. Pure: plain values in and
out, and each payment of either side stands in exactly one match.
"""

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from progressive.domain.finance_events import CagePayment
from progressive.domain.ids import AwardId

Status = Literal["matched", "ours only", "theirs only", "amount differs", "day differs", "twice"]


class Ours(Struct, frozen=True, kw_only=True):
    """An award that was paid against a document."""

    document: str
    award: AwardId
    table: str
    cents: int
    at: str
    day: str
    """The gaming day of the payment."""
    first_seq: int
    last_seq: int


class Theirs(Struct, frozen=True, kw_only=True):
    """A payment as the cage has it."""

    payment: CagePayment
    file_day: str
    """The gaming day that the file was entered for."""
    at: str
    """In the journal's form; empty where the cage does not say."""
    at_day: str
    """The gaming day of that time; empty as well."""
    seq: int
    """The record that entered it; 0: none did."""

    @property
    def day(self) -> str:
        """The gaming day that the cage paid on."""
        return self.at_day or self.file_day


class Match(Struct, frozen=True):
    """One row: the two sides of a payment, or the side there is."""

    status: Status
    ours: Ours | None
    theirs: Theirs | None

    @property
    def item(self) -> str:
        """What an explanation names it by: our document, or the cage's own number."""
        if self.ours is not None:
            return self.ours.document
        if self.theirs is None:
            return ""
        # Of a document that was paid twice, the payment is what has to be explained.
        return self.theirs.payment.reference


def matched(ours: Sequence[Ours], theirs: Sequence[Theirs]) -> list[Match]:
    """Every payment of both sides, ours first, in their order.

    A document counts whatever the size of its letters. Where the cage has it more than once, the
    payment of the right day and the right amount is taken for it; the others are there twice.
    """
    by_document: dict[str, list[Theirs]] = {}
    for each in theirs:
        by_document.setdefault(_key(each.payment.document), []).append(each)
    found: list[Match] = []
    again: list[Match] = []
    paid: set[int] = set()
    for our in ours:
        theirs_of_it = by_document.get(_key(our.document), [])
        if not theirs_of_it:
            found.append(Match("ours only", our, None))
            continue
        best = min(theirs_of_it, key=lambda each: _distance(our, each))
        found.append(Match(_status(our, best), our, best))
        paid |= {id(each) for each in theirs_of_it}
        again += [Match("twice", None, each) for each in theirs_of_it if each is not best]
    alone = [Match("theirs only", None, each) for each in theirs if id(each) not in paid]
    return [*found, *again, *alone]


def _key(document: str) -> str:
    return document.casefold()


def _distance(our: Ours, their: Theirs) -> tuple[bool, bool]:
    return (their.payment.cents != our.cents, _another_day(our, their))


def _status(our: Ours, their: Theirs) -> Status:
    if their.payment.cents != our.cents:
        return "amount differs"
    return "day differs" if _another_day(our, their) else "matched"


def _another_day(our: Ours, their: Theirs) -> bool:
    return their.file_day != our.day or their.day != our.day
