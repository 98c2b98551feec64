"""What `backup` and `restore` ask of `verify`."""

from collections.abc import Iterator
from pathlib import Path

from progressive.adapters.backup.check import Proved
from progressive.domain.ids import LinkId
from progressive.entry.commands.verify import verify
from progressive.entry.commands.verify_result import VerifyResult, told


def prove(folder: Path) -> Proved:
    """The whole audit of a data directory that nobody uses."""
    result = verify(folder)
    return Proved(
        problems=() if result.ok else tuple(_problems(result)) or tuple(told(result)),
        heads={LinkId(report.link): report.head or "" for report in result.links},
    )


def _problems(result: VerifyResult) -> Iterator[str]:
    yield from result.file_problems
    for report in result.links:
        if report.problem is not None:
            yield f"link {report.link}, record {report.problem.seq}: {report.problem.message}"
    if result.acts is not None and result.acts.problem is not None:
        yield f"act log: {result.acts.problem}"
