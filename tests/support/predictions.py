"""Audits of lines in memory, with predicted records counted or forbidden."""

from collections import Counter
from collections.abc import Callable
from hashlib import sha256

import msgspec
import pytest

from progressive.verifier.findings import FindingError
from progressive.verifier.link_audit import LinkAudit
from progressive.verifier.record import Record
from progressive.verifier.report import LinkReport, StoredLink
from progressive.verifier.rules.plain_rounds import PlainRounds
from tests.support.journals import Row


class Counting:
    """Counts what is predicted, or forbids it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.predicted: Counter[str] = Counter()
        self.forbidden = False
        enter = PlainRounds.enter

        def counted(plain: PlainRounds, stored: bytes, seq: int, head: str) -> Record | None:
            record = None if self.forbidden else enter(plain, stored, seq, head)
            if record is not None:
                self.predicted[record.event.TYPE] += 1
            return record

        monkeypatch.setattr(PlainRounds, "enter", counted)


def audited(lines: list[bytes], watched: Callable[[Record], None] | None = None) -> LinkReport:
    """What the audit of these records finds."""
    audit = LinkAudit(StoredLink("main", 9, len(lines), sha256(lines[-1]).hexdigest()))
    audit.watch = watched
    try:
        for line in lines:
            audit.feed(line)
        audit.finish()
    except FindingError as finding:
        return audit.report(finding.problem)
    return audit.report(None)


def chained(records: list[Row], before: list[bytes]) -> list[bytes]:
    """More records behind these lines, each naming the one before it."""
    made = list(before)
    for record in records:
        record["prev"] = sha256(made[-1]).hexdigest()
        made.append(msgspec.json.encode(record))
    return made
