"""What a start records of the floor file without anybody's approval, and what it never may."""

from msgspec import structs

from progressive.domain.events import FloorRecorded
from progressive.domain.rulebook.floor_record import FloorRecord
from progressive.domain.rulebook.rules import LinkTerms
from progressive.domain.state.link_state import LinkState


def completed_terms(recorded: LinkTerms, configured: LinkTerms) -> LinkTerms:
    """The recorded terms, with the floor file's for what an older program did not record."""
    if recorded.house is not None:
        return recorded
    return structs.replace(recorded, house=configured.house)


def record_floor(
    state: LinkState, configured: LinkTerms, floor: FloorRecord
) -> FloorRecorded | None:
    """The record of a start, or None where the journal says all of it already."""
    if state.terms is None:
        return None
    completed = completed_terms(state.terms, configured)
    added = None if completed == state.terms else completed
    if added is None and floor == state.floor:
        return None
    return FloorRecorded(floor=floor, terms=added, meters=state.primaries)
