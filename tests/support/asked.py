"""Reports asked for as the command line does, from its pieces, on a journal in a folder."""

import asyncio
from pathlib import Path

from progressive.adapters.sqlite.journal_reader import SqliteJournalReader
from progressive.application.finance.questions.asking import Question, Surroundings, answer
from progressive.application.finance.questions.ports import BookCache, HappeningsReader
from progressive.application.finance.report import Report, Row
from progressive.application.finance.reports.gl_accounts import GlAccounts
from progressive.domain.rulebook.jurisdiction import Jurisdiction, Progression

FIFTH = Progression(combined_min_ppm=200_000, clause="N.J.A.C. 13:69F-2.28(i)")
NEW_JERSEY = Jurisdiction(
    id="us-nj", name="New Jersey", regulator="DGE", games=("nj-blazing-7s",), progression=FIFTH
)


def around(
    directory: Path,
    *,
    now: str,
    cache: BookCache | None = None,
    accounts: GlAccounts | None = None,
    happenings: HappeningsReader | None = None,
    new_jersey: Jurisdiction = NEW_JERSEY,
) -> Surroundings:
    """What a question is answered from."""
    return Surroundings(
        reader=SqliteJournalReader(directory, unchanged=True),
        now=now,
        program="test",
        cache=cache,
        jurisdiction=lambda name: new_jersey if name == "us-nj" else None,
        accounts=accounts or GlAccounts(),
        happenings=happenings,
    )


def asked(
    directory: Path,
    kind: str,
    *days: str,
    now: str,
    cache: BookCache | None = None,
    accounts: GlAccounts | None = None,
    happenings: HappeningsReader | None = None,
    new_jersey: Jurisdiction = NEW_JERSEY,
    **more: str,
) -> Report:
    """A report over one day, or from one to another."""
    question = Question(kind=kind, from_day=days[0], to_day=days[-1], **more)
    surroundings = around(
        directory,
        now=now,
        cache=cache,
        accounts=accounts,
        happenings=happenings,
        new_jersey=new_jersey,
    )
    return asyncio.run(answer(question, surroundings))


def row(report: Report, **cells: str | int) -> Row:
    """The one row with these cells."""
    (found,) = rows(report, **cells)
    return found


def rows(report: Report, **cells: str | int) -> list[Row]:
    """All rows with these cells."""
    return [each for each in report.rows if all(each[name] == cell for name, cell in cells.items())]
