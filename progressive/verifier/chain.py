"""The hash chain alone: records in order, each naming the one before. No rule is applied here."""

from hashlib import sha256

from progressive.verifier.record import GENESIS, read_json
from progressive.verifier.recorded.decoder import UnreadableError, told


class JournalBrokenError(Exception):
    """A record does not follow the one before it."""


class ChainCheck:
    """Walks records in order and raises at the first that does not follow."""

    def __init__(self, *, seq: int = 0, head: str = GENESIS) -> None:
        self.seq = seq
        self.head = head

    def feed(self, stored: bytes) -> None:
        """The next record as stored."""
        expected = self.seq + 1
        try:
            seq, prev = place_of(stored)
        except UnreadableError as error:
            raise JournalBrokenError(f"record {expected} is unreadable: {error}") from None
        if seq != expected:
            raise JournalBrokenError(f"record {expected} is missing: {seq} stands there")
        if prev != self.head:
            raise JournalBrokenError(
                f"record {expected} does not follow record {self.seq}: "
                "one of the two has been changed"
            )
        self.seq = expected
        self.head = sha256(stored).hexdigest()


def place_of(stored: bytes) -> tuple[int, str]:
    """What a record says of its own number, and the hash it names."""
    plain = read_json(stored)
    if type(plain) is not dict:
        raise UnreadableError(f"{told(plain)} in place of an object")
    seq, prev = plain.get("seq"), plain.get("prev")
    if type(seq) is not int:
        raise UnreadableError(f"{told(seq)} in place of a whole number").inside(".seq")
    if type(prev) is not str:
        raise UnreadableError(f"{told(prev)} in place of a text").inside(".prev")
    return seq, prev
