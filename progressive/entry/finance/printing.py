"""A report as a file of any format, of ledger programs too: for the command and the service."""

from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Final, get_args

import msgspec
from msgspec import Struct

from progressive.adapters.config.files import rule_file, shipped_config
from progressive.adapters.config.games import load_jurisdiction
from progressive.adapters.config.problems import Report as Problems
from progressive.adapters.reports.ledgers.batch import Batch
from progressive.adapters.reports.ledgers.programs import PROGRAMS
from progressive.adapters.reports.render import FACTS, TABLE_WIDTH, Format, file_name, render
from progressive.application.finance.refusals import FinanceRefusedError
from progressive.application.finance.report import Report
from progressive.application.finance.reports.context import Context
from progressive.application.finance.reports.gl import ledger
from progressive.application.finance.reports.gl_accounts import GlAccounts
from progressive.domain.rulebook.jurisdiction import Jurisdiction

FORMATS: Final = (*get_args(Format), *PROGRAMS)
LEDGER_KIND: Final = "gl"
"""The only kind that the formats of ledger programs are for."""
_LEDGER_ENDINGS: Final = {"beancount": ".beancount", "hledger": ".journal"}
_PLAIN_TEXT: Final = "text/plain; charset=utf-8"


class Printed(Struct, frozen=True):
    """A file."""

    body: bytes
    media_type: str
    name: str


def formats_of(kind: str) -> tuple[str, ...]:
    """The formats that a kind of report can have."""
    return FORMATS if kind == LEDGER_KIND else get_args(Format)


def printed(
    context: Context,
    report: Report,
    form: str,
    printed_at: datetime,
    *,
    table_width: int = TABLE_WIDTH,
) -> Printed:
    """The file; raises FinanceRefusedError for a format that the kind does not have, and
    TooManyRowsError."""
    writer = PROGRAMS.get(form)
    if writer is None:
        known = msgspec.convert(form, Format)
        body = render(report, known, printed_at, table_width=table_width)
        return Printed(body, FACTS[known].media_type, file_name(report, known))
    if report.report != LEDGER_KIND:
        raise FinanceRefusedError(f"format {form} is for {LEDGER_KIND} only")
    batch = Batch(
        days=tuple(ledger(context)),
        accounts=context.accounts,
        currency=report.currency,
        created=printed_at.date().isoformat(),
        head=report.journal.head,
    )
    ending = _LEDGER_ENDINGS.get(form)
    name = file_name(report, "csv").removesuffix(FACTS["csv"].suffix)
    if ending is None:
        return Printed(writer(batch), FACTS["csv"].media_type, f"{name}_{form}.csv")
    return Printed(writer(batch), _PLAIN_TEXT, f"{name}{ending}")


@cache
def shipped_jurisdiction(name: str) -> Jurisdiction | None:
    """A jurisdiction file that comes with the program; None where there is none of that name."""
    path = rule_file("jurisdictions", name, beside=shipped_config())
    return None if path is None else load_jurisdiction(path, Problems())


def read_accounts(path: Path) -> GlAccounts:
    """The `[gl]` section of a file; whatever it does not name is as the program has it.

    Raises FinanceRefusedError, OSError.
    """

    class File(msgspec.Struct, forbid_unknown_fields=True):
        gl: GlAccounts = GlAccounts()

    try:
        accounts = msgspec.toml.decode(path.read_bytes(), type=File).gl
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise FinanceRefusedError(f"{path}: {error}") from None
    if empty := accounts.without_number:
        raise FinanceRefusedError(f"{path}: [gl] without an account's number: {', '.join(empty)}")
    return accounts
