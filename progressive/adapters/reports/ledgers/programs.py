"""The registry of ledger formats: by which name each is asked for."""

from typing import Final

from progressive.adapters.reports.ledgers.batch import Writer
from progressive.adapters.reports.ledgers.plain_text import beancount, hledger
from progressive.adapters.reports.ledgers.templates import intacct, oracle, quickbooks, sap

PROGRAMS: Final[dict[str, Writer]] = {
    "oracle": oracle,
    "intacct": intacct,
    "quickbooks": quickbooks,
    "sap": sap,
    "beancount": beancount,
    "hledger": hledger,
}
