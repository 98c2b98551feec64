"""COLD. Texts that people gave, as the audit sees them: nothing that cannot be seen.

Journals of versions before may hold such texts: they are looked at from the record on that says
what the floor is (`link_opened` with its floor, `floor_recorded`).
"""

from unicodedata import is_normalized

from progressive.application.audit.findings import DiscrepancyError, shown
from progressive.domain.award_events import VoidProposed
from progressive.domain.events import Event, RoundVoided, WagersRegistered
from progressive.domain.guard_events import LossAccepted, SegmentsPurged
from progressive.domain.person_events import (
    AlarmAcknowledged,
    CorrectionProposed,
    CorrectionRefused,
    TermsProposed,
)


def check_texts(event: Event) -> None:
    """Raise where a text that was first given with this event may not be stored."""
    match event:
        case WagersRegistered():
            _check("round", event.round)
        case (
            RoundVoided()
            | VoidProposed()
            | CorrectionProposed()
            | CorrectionRefused()
            | TermsProposed()
            | LossAccepted()
            | SegmentsPurged()
        ):
            _check("reason", event.reason)
        case AlarmAcknowledged():
            _check("note", event.note)
        case _:
            pass


def _check(what: str, text: str) -> None:
    if not text.strip():
        # Whether there must be one is for others to say.
        return
    if not text.isprintable() or text != text.strip():
        raise DiscrepancyError(f"{what} {shown(text)}: characters that cannot be seen")
    if not text.isascii() and not is_normalized("NFC", text):
        raise DiscrepancyError(f"{what} {shown(text)}: not in Unicode's form NFC")
