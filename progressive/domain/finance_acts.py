"""What finance asks for, once session and role have been looked at. Frozen, like commands."""

from msgspec import Struct

from progressive.domain.finance_events import DayCheck, DayTotals, FinanceEntry, LateItem
from progressive.domain.signatures import Signature


class EnterFinance(Struct, frozen=True, kw_only=True):
    """Something that only people know is entered for a day."""

    day: str
    entry: FinanceEntry
    by: Signature


class PrepareDay(Struct, frozen=True, kw_only=True):
    """A day is reconciled. Totals and checks are read from the journal, not given by anybody."""

    day: str
    totals: DayTotals
    checks: tuple[DayCheck, ...]
    late: tuple[LateItem, ...] = ()
    note: str = ""
    by: Signature


class CloseDay(Struct, frozen=True, kw_only=True):
    """A second person of finance has reviewed what was prepared."""

    day: str
    prepared_seq: int
    """Which preparation was reviewed: another one by now is another question."""
    by: Signature


FinanceAct = EnterFinance | PrepareDay | CloseDay
