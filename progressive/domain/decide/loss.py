"""Who may second the acceptance of a loss: another person, of another department."""

from progressive.domain.people.names import same_department, same_person
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.signatures import Signature


def too_near_to_second(first: Signature, second: Signature) -> Refusal | None:
    """Why the second person cannot complete what the first began; None where all is well."""
    if same_person(second, first):
        return Refusal(
            Rejection.SAME_PERSON, f"{second.name} accepted it: it takes a second person"
        )
    if same_department(second, first):
        return Refusal(
            Rejection.SAME_DEPARTMENT, f"{second.name} and {first.name} are of one department"
        )
    return None
