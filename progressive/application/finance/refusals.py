"""What a report is refused for: the question itself, not the journal."""


class FinanceRefusedError(Exception):
    """The question cannot be answered; its text says why, and what can be asked instead."""


class DayRefusedError(FinanceRefusedError):
    """No such gaming day: before the first record, in the future, not a date."""


class PurgedDayError(DayRefusedError):
    """The day's records were removed, as two people decided."""


class NotThereError(FinanceRefusedError):
    """No such link, table or meter."""
