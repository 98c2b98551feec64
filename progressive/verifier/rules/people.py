"""Whether two signatures are far enough apart, as the verifier sees it."""

from unicodedata import normalize

from progressive.verifier.findings import DiscrepancyError, shown
from progressive.verifier.recorded.values import Signature


def one_person(one: Signature, other: Signature) -> bool:
    """Whether two signatures are one person's: spelling does not make two."""
    return _folded(one.name) == _folded(other.name)


def check_two_people(what: str, first: Signature, second: Signature) -> None:
    """Raise where one person did what takes two."""
    if one_person(first, second):
        raise DiscrepancyError(f"{what}: {shown(second.name)} signed twice, it takes two people")


def check_two_departments(what: str, first: Signature, second: Signature) -> None:
    """Raise where one person, or two of one department, did what takes two departments."""
    check_two_people(what, first, second)
    if _folded(first.department) == _folded(second.department):
        raise DiscrepancyError(
            f"{what}: {shown(first.name)} and {shown(second.name)} are both of "
            f"{shown(second.department)}, it takes two departments"
        )


def check_signed(what: str, by: Signature) -> None:
    """Raise where nobody signed."""
    if not _folded(by.name) or not _folded(by.department):
        raise DiscrepancyError(f"{what}: nobody signed, or for no department")


def _folded(text: str) -> str:
    """Compatibility forms, case and spaces put aside; folding can undo a form, so twice."""
    return " ".join(normalize("NFKC", normalize("NFKC", text).casefold()).split())
