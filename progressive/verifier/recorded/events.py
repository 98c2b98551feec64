"""All kinds of events, together."""

from progressive.verifier.recorded.award_events import (
    AwardPaid,
    AwardValidated,
    AwardVoided,
    PaymentApproved,
    RoundValidated,
    VoidProposed,
    VoidWithdrawn,
)
from progressive.verifier.recorded.finance_events import DayClosed, DayPrepared, FinanceEntered
from progressive.verifier.recorded.guard_events import ClockStepped, LossAccepted, SegmentsPurged
from progressive.verifier.recorded.person_events import (
    AlarmAcknowledged,
    CorrectionApproved,
    CorrectionProposed,
    CorrectionRefused,
    DealerSignedOn,
    LinkRetired,
    RetirementProposed,
    RetirementWithdrawn,
    TermsChanged,
    TermsProposed,
)
from progressive.verifier.recorded.table_events import (
    Checkpointed,
    FloorRecorded,
    LinkOpened,
    LinkReopened,
    RoundSettled,
    RoundVoided,
    SettledEarly,
    WagersRegistered,
)

TableEvent = WagersRegistered | RoundSettled | SettledEarly | RoundVoided
"""What a table's message led to."""
AwardEvent = (
    AwardValidated
    | PaymentApproved
    | RoundValidated
    | AwardPaid
    | VoidProposed
    | VoidWithdrawn
    | AwardVoided
)
ActEvent = (
    DealerSignedOn
    | AwardEvent
    | CorrectionProposed
    | CorrectionRefused
    | CorrectionApproved
    | TermsProposed
    | TermsChanged
    | RetirementProposed
    | RetirementWithdrawn
    | LinkRetired
    | AlarmAcknowledged
)
"""What a person caused."""
FinanceEvent = FinanceEntered | DayPrepared | DayClosed
GuardEvent = LossAccepted | ClockStepped | SegmentsPurged
Event = (
    LinkOpened
    | LinkReopened
    | FloorRecorded
    | TableEvent
    | ActEvent
    | FinanceEvent
    | Checkpointed
    | GuardEvent
)
