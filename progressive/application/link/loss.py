"""A loss that two people of two departments have accepted: what is recorded of it."""

from msgspec import Struct

from progressive.application.link.guard import Loss
from progressive.application.link.memory import FirstAcceptance
from progressive.domain.guard_events import LossAccepted
from progressive.domain.signatures import Signature
from progressive.domain.state.link_state import LinkState


class AcceptedLoss(Struct, frozen=True):
    """The first acceptance, and the second person who agreed."""

    first: FirstAcceptance
    second: Signature
    second_reason: str
    finding: str = ""
    """What is wrong, in words, where it is not a remembered record that is missing."""

    def covers(self, loss: Loss) -> bool:
        """Whether this is the loss that was accepted, and not another one since."""
        return is_of(self.first, loss)

    def event(self, state: LinkState) -> LossAccepted:
        """What the journal says of it."""
        first = self.first
        return LossAccepted(
            remembered=first.remembered,
            found_seq=first.found_seq,
            found_head=first.found_head,
            reason=first.reason,
            second_reason=self.second_reason,
            finding=self.finding,
            by=(first.by, self.second),
            meters=state.primaries,
        )


def is_of(first: FirstAcceptance, loss: Loss) -> bool:
    """Whether somebody accepted just this loss."""
    return (first.link, first.remembered, first.found_seq, first.found_head) == (
        loss.link,
        loss.remembered,
        loss.found_seq,
        loss.found_head,
    )
