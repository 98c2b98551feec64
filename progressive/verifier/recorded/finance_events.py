"""What finance states about gaming days: figures that only people know, and the close of a day.

None of them moves a meter.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

from progressive.verifier.recorded.values import Signature


@dataclass(frozen=True, slots=True, kw_only=True)
class SignReading:
    """Somebody stood before a sign and wrote down what it showed."""

    TYPE: ClassVar = "reading"

    sign: str
    meter: str
    shown_cents: int
    read_by: str
    read_at: str
    """RFC 3339 UTC."""


class CagePayment(NamedTuple):
    """One payment as the cage has it."""

    reference: str
    """The cage's own number of it."""
    document: str
    cents: int
    paid_at: str
    """RFC 3339 UTC; empty where the cage does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CageFile:
    """The cage's payments of one gaming day, all of them: a later file of the day replaces it."""

    TYPE: ClassVar = "cage"

    file: str
    sha256: str
    """Of the file as it was imported."""
    payments: tuple[CagePayment, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerBalance:
    """What the general ledger shows for one part of a meter at the end of a month."""

    TYPE: ClassVar = "ledger"

    month: str
    meter: str
    part: Literal["primary", "reset", "overflow"]
    cents: int
    explanation: str = ""
    """Of a difference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BankBalance:
    """What lies in the bank for the meters and for awards that are owed, at the end of a day."""

    TYPE: ClassVar = "bank"

    cents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FormFiled:
    """A tax form of an award was filed. By its serial number only: no name stands here."""

    TYPE: ClassVar = "form"

    award: str
    form: str
    serial: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountingNotified:
    """Accounting was told of a change of parameters."""

    TYPE: ClassVar = "notified"

    seq: int
    """The record of the change."""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why something of a day is as it is, where it would keep the day from closing."""

    TYPE: ClassVar = "explained"

    check: str
    """Which check of the day it answers."""
    item: str
    """Which finding of it: a record, a document, a sign and meter; empty: the whole check."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned:
    """The reviewer sends a prepared day back."""

    TYPE: ClassVar = "returned"

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


@dataclass(frozen=True, slots=True, kw_only=True)
class FinanceEntered:
    """Finance entered what no record of play knows."""

    TYPE: ClassVar = "finance_entered"

    day: str
    """The gaming day that it belongs to."""
    entry: FinanceEntry
    by: Signature
    meters: tuple[int, ...]


class AccountBalance(NamedTuple):
    """Where an account of the link stood. What money came from is negative, so all sum to zero."""

    account: str
    """As `hold`, `wagers chip`, `primary mega`."""
    microcents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DayTotals:
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


class DayCheck(NamedTuple):
    """One line of the checklist of a day."""

    check: str
    state: str
    """`agrees`, `explained`, `none` where nothing is to be checked, or `open`: never in a close."""
    detail: str


class LateItem(NamedTuple):
    """What was booked after the close of the day it belongs to."""

    seq: int
    """The record that booked it, on a later day."""
    what: str
    """`correction` or `void`."""
    about: str
    meter: str | None
    part: Literal["primary", "reset", "overflow"] | None
    microcents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DayPrepared:
    """One person of finance has reconciled the day, and says that it can be closed."""

    TYPE: ClassVar = "day_prepared"

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


@dataclass(frozen=True, slots=True, kw_only=True)
class DayClosed:
    """A second person of finance has reviewed it: the day is closed, or stated again."""

    TYPE: ClassVar = "day_closed"

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
