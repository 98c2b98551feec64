"""An amount and a time as a cage writes them, to whole cents and to the journal's form.

Nothing is guessed and nothing rounded: a text either has one meaning, or none.
"""

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final, Literal
from zoneinfo import ZoneInfo

from progressive.application.journal.times import as_journal_time
from progressive.domain.money import CENTS_MAX

YEAR_MIN: Final = 1970
"""A format that has no year gives 1900."""
_MARK: Final = r"(?:[$€£]|[A-Z]{3})"
_SPACES: Final = "\u00a0\u202f '’"
_AMOUNT: Final = {
    sign: re.compile(
        rf"(?P<before>{_MARK} ?)?"
        rf"(?P<whole>[0-9]{{1,3}}(?P<by>[{other}{_SPACES}])[0-9]{{3}}(?:(?P=by)[0-9]{{3}}){{0,4}}"
        rf"|[0-9]{{1,15}})"
        rf"(?:{re.escape(sign)}(?P<part>[0-9]{{2}}))?"
        rf"(?P<after> ?{_MARK})?"
    )
    for sign, other in ((".", ","), (",", "."))
}
_ISO: Final = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[T ]([0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?)"
    r" ?(Z|[+-][0-9]{2}:?[0-9]{2})?"
)


def decimal_sign(texts: Iterable[str]) -> Literal["", ".", ","]:
    """The decimal sign that all amounts of a file share; empty where they contradict each other."""
    signs = {found[1] for text in texts if (found := re.search(r"([.,])[0-9]{2}\D*$", text))}
    if len(signs) > 1:
        return ""
    return "," if signs == {","} else "."


def cents_of(text: str, decimal: str, *, unit: str) -> tuple[int, str] | None:
    """Whole cents and the currency mark that stands with them; None: not an amount.

    Above zero: what was not paid is left out of a file of payments.
    """
    found = _AMOUNT[decimal].fullmatch(text.strip())
    if found is None or (found["before"] and found["after"]):
        return None
    whole = int(re.sub(r"\D", "", found["whole"]))
    if unit == "cents":
        if found["part"]:
            return None
        cents = whole
    else:
        cents = whole * 100 + int(found["part"] or 0)
    mark = (found["before"] or found["after"] or "").strip()
    return (cents, mark) if 0 < cents <= CENTS_MAX else None


def moment_of(text: str, form: str, zone: ZoneInfo | None) -> str | None:
    """A time in the journal's form; None: not a time, or one that the clocks skipped.

    Without an offset it is local in the zone; an hour that comes twice is taken at its first time.
    """
    text = text.strip()
    if not form:
        found = _ISO.fullmatch(text)
        if found is None:
            return None
        day, clock, offset = found.groups()
        if offset is not None:
            return as_journal_time(f"{day}T{clock}{offset}")
        text = f"{day}T{clock}"
    try:
        time = (
            datetime.strptime(text, form)  # noqa: DTZ007 - local, if it has no offset
            if form
            else datetime.fromisoformat(text)
        )
        if time.year < YEAR_MIN or (time.tzinfo is None and zone is None):
            return None
        if time.tzinfo is None:
            local, time = time, time.replace(tzinfo=zone)
            if time.astimezone(UTC).astimezone(zone).replace(tzinfo=None) != local:
                return None
        return as_journal_time(time.isoformat())
    except (ValueError, OverflowError):
        return None
