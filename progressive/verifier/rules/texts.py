"""Texts that people gave, as the verifier sees them: nothing that cannot be seen.

Journals of versions before may hold such texts: they are looked at from the record on that says
what the floor is (`link_opened` with its floor, `floor_recorded`).
"""

from unicodedata import is_normalized

from progressive.verifier.findings import DiscrepancyError, shown
from progressive.verifier.recorded.award_events import VoidProposed
from progressive.verifier.recorded.events import Event
from progressive.verifier.recorded.guard_events import LossAccepted, SegmentsPurged
from progressive.verifier.recorded.person_events import (
    AlarmAcknowledged,
    CorrectionProposed,
    CorrectionRefused,
    TermsProposed,
)
from progressive.verifier.recorded.table_events import RoundVoided, WagersRegistered


def check_texts(event: Event) -> None:
    """Raise where a text that was first given with this event may not be stored."""
    match event:
        case WagersRegistered():
            check_text("round", event.round)
        case (
            RoundVoided()
            | VoidProposed()
            | CorrectionProposed()
            | CorrectionRefused()
            | TermsProposed()
            | SegmentsPurged()
        ):
            check_text("reason", event.reason)
        case LossAccepted():
            check_text("reason", event.reason)
            check_text("finding", event.finding)
        case AlarmAcknowledged():
            check_text("note", event.note)
        case _:
            pass


def check_text(what: str, text: str) -> None:
    """Raise where a text holds what cannot be seen."""
    if not text.strip():
        # Whether there must be one is for others to say.
        return
    if not text.isprintable() or text != text.strip():
        raise DiscrepancyError(f"{what} {shown(text)}: characters that cannot be seen")
    if not text.isascii() and not is_normalized("NFC", text):
        raise DiscrepancyError(f"{what} {shown(text)}: not in Unicode's form NFC")
