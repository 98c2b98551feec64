"""Walk the act log's hash chain and name the first record that does not follow."""

from collections.abc import Iterable
from dataclasses import dataclass

from progressive.verifier.chain import ChainCheck, JournalBrokenError


@dataclass(frozen=True, slots=True)
class ActsReport:
    """What was found in the act log."""

    records: int
    head: str
    problem: str | None = None


def audit_acts(records: Iterable[object], *, last_seq: object, head: object) -> ActsReport:
    """Walk the chain; `last_seq` and `head` are what was kept beside it before the walk.

    The log may grow while it is read: it must reach that place, with that hash, and may go on.
    """
    check = ChainCheck()
    reached = last_seq == 0 and head == check.head
    try:
        for record in records:
            if not isinstance(record, bytes):
                raise JournalBrokenError(f"record {check.seq + 1} is not bytes")
            check.feed(record)
            reached = reached or (check.seq == last_seq and check.head == head)
    except JournalBrokenError as broken:
        return ActsReport(check.seq, check.head, str(broken))
    if not reached:
        # Its last record has been changed, or those after it were removed.
        return ActsReport(
            check.seq, check.head, f"record {check.seq} is not the last that was kept"
        )
    return ActsReport(check.seq, check.head)
