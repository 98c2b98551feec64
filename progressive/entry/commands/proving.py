"""What `backup`, `restore` and the service itself ask of the verifier."""

from collections.abc import Iterator
from pathlib import Path

from progressive.adapters.backup.check import Proved
from progressive.application.journal.ports import StoreUnavailableError
from progressive.domain.ids import LinkId
from progressive.verifier.program.text import told
from progressive.verifier.reading import errors
from progressive.verifier.reading.data_directory import How, data_place, verify_data
from progressive.verifier.reading.found import VerifyResult


def verify(data: Path, how: How = How()) -> VerifyResult:  # noqa: B008 - never changes
    """Everything that can be found out about the journal in a data directory.

    Changes nothing there: no byte of a file, and no file more or less. Raises
    StoreUnavailableError where something cannot be read.
    """
    try:
        return verify_data(data_place(data), how)
    except errors.StoreUnavailableError as error:
        raise StoreUnavailableError(str(error)) from None


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
