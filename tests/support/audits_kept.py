"""What an audit remembers, in memory; and how many records one reads."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from progressive.verifier.link_audit import LinkAudit
from progressive.verifier.reading.audited import Audited


class AuditsInMemory:
    """Implements `KeptAudits`."""

    def __init__(self, *known: Audited) -> None:
        self.all: list[Audited] = list(known)
        self.began_again = 0

    def recall(self, link: str) -> Audited | None:
        return next((each for each in reversed(self.all) if each.link == link), None)

    def begins_again(self, link: str) -> None:
        self.began_again += 1

    def keep(self, audited: Audited) -> None:
        self.all.append(audited)


@contextmanager
def records_read() -> Iterator[list[int]]:
    """The numbers of all records that audits in this process read meanwhile."""
    read: list[int] = []
    feed = LinkAudit.feed

    def counted(self: LinkAudit, stored: bytes) -> None:
        feed(self, stored)
        read.append(self.seq)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LinkAudit, "feed", counted)
        yield read
