"""What a look at a journal found, whatever it lies in: for the one-page report, and for JSON."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from progressive.verifier.report import LinkReport
from progressive.verifier.rules.act_log import ActsReport


@dataclass(frozen=True, slots=True)
class FileProblem:
    """What is wrong with a file as a whole."""

    about: Literal["journal", "link", "people"]
    """The file of all journals, what is remembered of one link, or accounts and act log."""
    message: str
    link: str | None = None


@dataclass(frozen=True, slots=True)
class VerifyResult:
    """All that was found in one place."""

    ok: bool
    links: tuple[LinkReport, ...]
    file_problems: tuple[str, ...]
    """What is wrong with the store itself rather than with one link's records."""
    acts: ActsReport | None = None
    """The act log, where there is one."""
    strays: tuple[str, ...] = ()
    """Files among the segments that belong to none of them."""
    warnings: tuple[str, ...] = ()
    """What was left behind there, and does no harm."""
    files: tuple[FileProblem, ...] = ()
    """`file_problems` again, with what each is about."""


class Progress(Protocol):
    """Whoever watches; a verification can take minutes."""

    def begin(self, what: str, total: int | None) -> Callable[[int], None]:
        """Something begins; what is returned hears how far it has got."""
        ...


class Unwatched:
    """Nobody watches."""

    def begin(self, what: str, total: int | None) -> Callable[[int], None]:
        """Says nothing."""
        del what, total
        return lambda _: None
