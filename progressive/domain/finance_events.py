"""What finance states about gaming days: figures that only people know, and the close of a day.

Parts of the journal like `events`; the same promises hold. None of them moves a meter: a closed day
is a statement about records that stand before it, and nothing in those records changes.
"""

from msgspec import Struct

from progressive.domain.ids import AwardId, CorrectionId, MeterId, SignId
from progressive.domain.person_events import MeterPart
from progressive.domain.signatures import Signature


class SignReading(Struct, frozen=True, kw_only=True, gc=False, tag="reading", tag_field="type"):
    """Somebody stood before a sign and wrote down what it showed."""

    sign: SignId
    meter: MeterId
    shown_cents: int
    read_by: str
    read_at: str
    """RFC 3339 UTC."""


class CagePayment(Struct, frozen=True, array_like=True, gc=False):
    """One payment as the cage has it."""

    reference: str
    """The cage's own number of it."""
    document: str
    cents: int
    paid_at: str
    """RFC 3339 UTC; empty where the cage does not say."""


class CageFile(Struct, frozen=True, kw_only=True, gc=False, tag="cage", tag_field="type"):
    """The cage's payments of one gaming day, all of them: a later file of the day replaces it."""

    file: str
    sha256: str
    """Of the file as it was imported."""
    payments: tuple[CagePayment, ...]


class LedgerBalance(Struct, frozen=True, kw_only=True, gc=False, tag="ledger", tag_field="type"):
    """What the general ledger shows for one part of a meter at the end of a month."""

    month: str
    meter: MeterId
    part: MeterPart
    cents: int
    explanation: str = ""
    """Of a difference."""


class BankBalance(Struct, frozen=True, kw_only=True, gc=False, tag="bank", tag_field="type"):
    """What lies in the bank for the meters and for awards that are owed, at the end of a day."""

    cents: int


class FormFiled(Struct, frozen=True, kw_only=True, gc=False, tag="form", tag_field="type"):
    """A tax form of an award was filed. By its serial number only: no name stands here."""

    award: AwardId
    form: str
    serial: str


class AccountingNotified(
    Struct, frozen=True, kw_only=True, gc=False, tag="notified", tag_field="type"
):
    """Accounting was told of a change of parameters."""

    seq: int
    """The record of the change."""
    note: str = ""


class Explanation(Struct, frozen=True, kw_only=True, gc=False, tag="explained", tag_field="type"):
    """Why something of a day is as it is, where it would keep the day from closing."""

    check: str
    """Which check of the day it answers."""
    item: str
    """Which finding of it: a record, a document, a sign and meter; empty: the whole check."""
    text: str


class Returned(Struct, frozen=True, kw_only=True, gc=False, tag="returned", tag_field="type"):
    """The reviewer sends a prepared day back."""

    reason: str


FinanceEntry = (
    SignReading
    | CageFile
    | LedgerBalance
    | BankBalance
    | FormFiled
    | AccountingNotified
    | Explanation
    | Returned
)
OF_ITS_DAY = SignReading | CageFile | BankBalance | Explanation | Returned
"""Entries that a day is closed with: none of them comes after the close, and each takes a
preparation back that did not know of it."""


class FinanceEntered(
    Struct, frozen=True, kw_only=True, gc=False, tag="finance_entered", tag_field="type"
):
    """Finance entered what no record of play knows."""

    day: str
    """The gaming day that it belongs to."""
    entry: FinanceEntry
    by: Signature
    meters: tuple[int, ...]


class AccountBalance(Struct, frozen=True, array_like=True, gc=False):
    """Where an account of the link stood. What money came from is negative, so all sum to zero."""

    account: str
    """As `hold`, `wagers chip`, `primary mega`."""
    microcents: int


class DayTotals(Struct, frozen=True, kw_only=True, gc=False):
    """What a day came to: everything that its records moved, as two positions of all accounts."""

    begins: str
    ends: str
    """The first moment of the day, and the first one after it."""
    first_seq: int
    last_seq: int
    """The day's records; the last is one before the first where there are none."""
    head: str
    """Hash of record `last_seq`."""
    rounds: int
    wagers: int
    voided: int
    """Rounds."""
    opening: tuple[AccountBalance, ...]
    closing: tuple[AccountBalance, ...]


class DayCheck(Struct, frozen=True, array_like=True, gc=False):
    """One line of the checklist of a day."""

    check: str
    state: str
    """`agrees`, `explained`, `none` where nothing is to be checked, or `open`: never in a close."""
    detail: str


class LateItem(Struct, frozen=True, array_like=True, gc=False):
    """What was booked after the close of the day it belongs to."""

    seq: int
    """The record that booked it, on a later day."""
    what: str
    """`correction` or `void`."""
    about: CorrectionId | AwardId
    meter: MeterId | None
    part: MeterPart | None
    microcents: int


class DayPrepared(
    Struct, frozen=True, kw_only=True, gc=False, tag="day_prepared", tag_field="type"
):
    """One person of finance has reconciled the day, and says that it can be closed."""

    day: str
    number: int
    """0: the close; 1 and on: its restatements."""
    totals: DayTotals
    checks: tuple[DayCheck, ...]
    late: tuple[LateItem, ...]
    """Of a restatement: all that was booked late, also what an earlier one stated."""
    note: str
    by: Signature
    meters: tuple[int, ...]


class DayClosed(Struct, frozen=True, kw_only=True, gc=False, tag="day_closed", tag_field="type"):
    """A second person of finance has reviewed it: the day is closed, or stated again."""

    day: str
    number: int
    prepared_seq: int
    before_seq: int
    """The close of the day before it, 0 at the first; of a restatement, what it restates."""
    totals: DayTotals
    late: tuple[LateItem, ...]
    by: tuple[Signature, ...]
    meters: tuple[int, ...]


FinanceEvent = FinanceEntered | DayPrepared | DayClosed
