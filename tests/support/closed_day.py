"""The first of the finance days closed, with a file of the cage, as two people close one."""

from pathlib import Path

from progressive.application.finance.questions.asking import Question, context_for
from progressive.application.finance.questions.day_status import day_status
from progressive.domain.finance_acts import CloseDay, EnterFinance, PrepareDay
from progressive.domain.finance_events import CageFile, CagePayment, DayCheck, Explanation
from tests.support.asked import around
from tests.support.award_journals import FAY, FIN, Pit
from tests.support.finance_days import NOT_OVER_AT, Story, finance_link


async def close_day(directory: Path, day: str, *, cage_cents: int) -> None:
    """By Fay and Fin. `cage_cents`: what the cage says it paid for the document of the day."""
    story = Story(directory)
    story.pit = Pit(finance_link(rate_ppm=210_000), story.store, story.clock)
    story.at(NOT_OVER_AT)
    worker = story.pit.desk.worker
    await worker.start()
    payments = (CagePayment("C-1", await _document(directory, day), cage_cents, ""),)
    cage = CageFile(file="cage.csv", sha256="0" * 64, payments=payments)
    why = Explanation(check="cage", item="", text="counted again: a slip of the cage")
    await story.pit.act(
        EnterFinance(day=day, entry=cage, by=FAY), EnterFinance(day=day, entry=why, by=FAY)
    )
    status = await day_status(around(directory, now=NOT_OVER_AT), None, day)
    await story.pit.act(
        PrepareDay(
            day=day,
            totals=status.totals,
            checks=tuple(DayCheck(each.check, each.state, each.detail) for each in status.checks),
            by=FAY,
        )
    )
    prepared_seq = await story.seq()
    await story.pit.act(CloseDay(day=day, prepared_seq=prepared_seq, by=FIN))
    await worker.stop()
    await story.store.close()


async def _document(directory: Path, day: str) -> str:
    asked = await context_for(Question(kind="wagers", day=day), around(directory, now=NOT_OVER_AT))
    entries = asked.last.awards.values()
    return next(entry.document for entry in entries if entry.document)
