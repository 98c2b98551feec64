"""The states that the journal's own file holds: each must be confirmed by the record behind it.

A state is taken for the audit shortly before its record comes. Those of a closed segment lie in its
files, and are compared by whoever walks it.
"""

from collections import deque
from collections.abc import Sequence
from typing import Final

from progressive.verifier.findings import FindingError, Problem, shown
from progressive.verifier.link_audit import LinkAudit
from progressive.verifier.reading.ports import LiveJournal


class SavedStates:
    """Those of one link, from one look at the file to the next."""

    def __init__(self, live: LiveJournal) -> None:
        self._live: Final = live
        self._listed: Sequence[object] = ()
        self._ahead: deque[int] = deque()
        """The records ahead after which a state was saved."""

    @property
    def ahead(self) -> tuple[int, ...]:
        """For whoever walks beside this one."""
        return tuple(self._ahead)

    def look(self, listed: Sequence[object], seq: int) -> None:
        """Those that the file lists now; the audit has come to the record `seq`."""
        self._listed = listed
        self._ahead.clear()
        for each in listed:
            if not isinstance(each, int) or each < 1:
                raise FindingError(
                    Problem(seq + 1, None, None, f"the stored snapshot, at {shown(each)}, is none")
                )
            if each >= seq:
                self._ahead.append(each)

    def begin_behind(self, seq: int) -> None:
        """The walk goes on behind this record: others confirm what was before."""
        self._ahead = deque([each for each in self._ahead if each >= seq])

    def load(self, audit: LinkAudit, last_seq: int) -> None:
        """The saved states that the records up to this one must confirm."""
        while self._ahead and self._ahead[0] < last_seq:
            seq = self._ahead.popleft()
            body = self._live.snapshot(seq)
            # Those that lie in a segment are removed, like its records.
            if body is not None:
                audit.expect_snapshot(seq, body)

    def finish(self, audit: LinkAudit) -> None:
        """No record is left that could confirm one."""
        for seq in self._listed:
            if isinstance(seq, int) and seq >= audit.seq:
                audit.expect_snapshot(seq, b"")
