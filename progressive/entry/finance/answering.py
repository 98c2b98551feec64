"""COLD. Questions of finance to answers, in the bookkeeper's process. Writes no journal."""

import logging
from collections.abc import Callable, Coroutine
from contextlib import AbstractContextManager
from datetime import datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Final

import msgspec
from msgspec import Raw, structs

from progressive.adapters.audit_pack.pack import PackOrder, make_pack
from progressive.adapters.bookkeeping.messages import FILE_BYTES_MAX, PART_BYTES
from progressive.adapters.reports.render import TooManyRowsError
from progressive.adapters.seals.files import LinkSeals
from progressive.application.finance.days import LinkDays
from progressive.application.finance.desk import asked as codes
from progressive.application.finance.desk.asked import (
    Answer,
    Asked,
    CageAsked,
    DayAsked,
    DaysAsked,
    ExplainAsked,
    KindsAsked,
    LookAsked,
    PackAsked,
    RecordsAsked,
    ReportAsked,
)
from progressive.application.finance.desk.looking import Looking
from progressive.application.finance.desk.ready_days import ReadyDays
from progressive.application.finance.desk.warm import WarmBooks
from progressive.application.finance.questions.asking import (
    Question,
    Surroundings,
    checked_day,
    context_for,
    known_link,
)
from progressive.application.finance.questions.books import Books
from progressive.application.finance.questions.day_status import day_status, days_of
from progressive.application.finance.questions.explain import explain
from progressive.application.finance.questions.moments import BadMomentError, record_asked
from progressive.application.finance.refusals import (
    DayRefusedError,
    FinanceRefusedError,
    NotThereError,
    PurgedDayError,
)
from progressive.application.finance.reports.kinds import KINDS
from progressive.application.journal.finding import finding
from progressive.application.journal.ports import (
    StoreCorruptError,
    StoreError,
    StorePurgedError,
)
from progressive.application.journal.reading import reading
from progressive.application.journal.record import JournalBrokenError
from progressive.domain.ids import LinkId
from progressive.entry.finance.cage_answers import cage_answer
from progressive.entry.finance.printing import formats_of, printed

log = logging.getLogger(__name__)

_encode: Final = msgspec.json.Encoder().encode


class Answering:
    """Everything that the process can be asked."""

    def __init__(
        self,
        around: Surroundings,
        books: WarmBooks,
        *,
        data: Path,
        mappings: Path | None,
        verifier: Callable[[], bytes],
        close_within_hours: int,
        resting: Callable[[], AbstractContextManager[None]],
    ) -> None:
        """`around`: but for the time. `books`: its cache. `mappings`: a folder of cage mappings.
        `verifier`: the auditor's program. `resting`: a block whose work gives way to others."""
        self._base = around
        self._reader = around.reader
        self._books = books
        self._data = data
        self._mappings = mappings
        self._verifier = verifier
        self._resting = resting
        self._ready = ReadyDays(self._reader)
        self._looking = Looking(
            self._reader,
            books,
            self._around,
            ready=self._ready,
            close_within_hours=close_within_hours,
        )

    async def answer(self, asked: Asked) -> Answer:
        """The file, or why there is none. Raises MemoryError; every other error is an answer."""
        try:
            return await self._of(asked)(asked)
        except NotThereError as error:
            code = codes.UNKNOWN_METER if isinstance(asked, ExplainAsked) else codes.UNKNOWN_TABLE
            return Answer(code=code, message=str(error))
        except PurgedDayError as error:
            return Answer(code=codes.PURGED, message=str(error))
        except DayRefusedError as error:
            return Answer(code=codes.BAD_DAY, message=str(error))
        except TooManyRowsError as error:
            return Answer(code=codes.TOO_LARGE, message=str(error))
        except BadMomentError as error:
            return Answer(code=codes.BAD_TIME, message=str(error))
        except FinanceRefusedError as error:
            return Answer(code=codes.BAD_QUESTION, message=str(error))
        except StorePurgedError as error:
            return Answer(code=codes.PURGED, message=str(error))
        except (StoreCorruptError, JournalBrokenError) as error:
            log.error("a question met damage in the journal", extra={"why": str(error)})
            return Answer(code=codes.DAMAGED, message=str(error))
        except StoreError as error:
            log.warning("a question could not be answered", extra={"why": str(error)})
            return Answer(code=codes.UNAVAILABLE, message=str(error))
        except _UnknownLinkError as error:
            return Answer(code=codes.UNKNOWN_LINK, message=str(error))
        except MemoryError:
            raise
        except Exception:
            log.exception("unexpected error while answering a question of finance")
            return Answer(code=codes.FAILED, message="this could not be worked out: see the log")

    def _of(self, asked: Asked) -> Callable[[Any], Coroutine[Any, Any, Answer]]:
        match asked:
            case KindsAsked():
                return self._kinds
            case ReportAsked():
                return self._report
            case ExplainAsked():
                return self._explain
            case RecordsAsked():
                return self._records
            case DaysAsked():
                return self._days
            case DayAsked():
                return self._day
            case CageAsked():
                return self._cage
            case PackAsked():
                return self._pack
            case LookAsked():
                return self._look

    def _around(self, now: str) -> Surroundings:
        return structs.replace(self._base, now=now)

    async def _link(self, name: str | None) -> LinkId:
        try:
            return await known_link(self._reader, name)
        except NotThereError as error:
            raise _UnknownLinkError(str(error)) from None

    # --- one method a question -------------------------------------------------------------------

    async def _kinds(self, asked: KindsAsked) -> Answer:
        return _json(
            {
                "reports": [
                    {
                        "kind": kind.kind,
                        "title": kind.title,
                        "clauses": kind.clauses,
                        "by_table": kind.by_table,
                        "formats": formats_of(kind.kind),
                        "columns": kind.columns,
                    }
                    for kind in KINDS.values()
                ]
            }
        )

    async def _report(self, asked: ReportAsked) -> Answer:
        if asked.kind not in KINDS:
            message = f"no report {asked.kind!r} (there are: {', '.join(KINDS)})"
            return Answer(code=codes.UNKNOWN_REPORT, message=message)
        if asked.form not in (able := formats_of(asked.kind)):
            message = f"{asked.kind} has no format {asked.form!r} (it has: {', '.join(able)})"
            return Answer(code=codes.UNKNOWN_FORMAT, message=message)
        question = Question(
            kind=asked.kind,
            day=asked.day,
            from_day=asked.from_day,
            to_day=asked.to_day,
            month=asked.month,
            link=await self._link(asked.link),
            table=asked.table,
        )
        context = await context_for(question, self._around(asked.now))
        for each in context.set_aside:
            log.warning("a stored day book is not as its day was closed", extra={"what": each})
        report = KINDS[asked.kind].report(context)
        file = printed(context, report, asked.form, datetime.fromisoformat(asked.printed_at))
        return Answer(media_type=file.media_type, file_name=file.name, parts=(file.body,))

    async def _explain(self, asked: ExplainAsked) -> Answer:
        link = await self._link(asked.link)
        days = await LinkDays.load(self._reader, link)
        at = await record_asked(self._reader, link, days, asked.at, now=asked.now)
        books = Books(self._reader, link, days, cache=self._books)
        return _json(await explain(self._reader, link, asked.meter, books, seq=at.seq))

    async def _records(self, asked: RecordsAsked) -> Answer:
        link = await self._link(asked.link)
        end = (await self._reader.journal_end(link)).seq
        if asked.only:
            return await self._only(link, asked.only, end)
        if asked.from_seq > end:
            message = f"{link} has the records 1 to {end:,}: there is no {asked.from_seq:,}"
            return Answer(code=codes.BAD_QUESTION, message=message)
        last = min(asked.to_seq, end, asked.from_seq + asked.limit - 1)
        found: list[bytes] = []
        read = self._reader.read(link, after_seq=asked.from_seq - 1, until_seq=last)
        async with reading(read) as chunks:
            async for chunk in chunks:
                found += chunk
        if found and (first := finding(found[0]).seq) > asked.from_seq:
            message = f"the records up to {first - 1:,} were purged"
            return Answer(code=codes.PURGED, message=message)
        more = last + 1 if last < min(asked.to_seq, end) else None
        return _json({"link": link, "records": [Raw(each) for each in found], "next": more})

    async def _only(self, link: LinkId, only: tuple[int, ...], end: int) -> Answer:
        found = []
        for seq in only:
            stored = await self._reader.record(link, seq) if seq <= end else None
            if stored is None:
                message = f"{link} has the records 1 to {end:,}: there is no {seq:,}"
                return Answer(code=codes.BAD_QUESTION, message=message)
            found.append(Raw(stored))
        return _json({"link": link, "records": found, "next": None})

    async def _days(self, asked: DaysAsked) -> Answer:
        link = await self._link(asked.link)
        known = await self._ready.days(link, asked.now)
        ready = [day for day, is_ready in known.items() if is_ready]
        return _json(await days_of(self._around(asked.now), link, ready=ready))

    async def _day(self, asked: DayAsked) -> Answer:
        link, day = await self._link(asked.link), checked_day(asked.day)
        around = structs.replace(self._around(asked.now), refold=asked.refold)
        status = await day_status(around, link, day)
        self._ready.note(status, asked.now)
        return _json(status)

    async def _cage(self, asked: CageAsked) -> Answer:
        return await cage_answer(asked, await self._link(asked.link), self._reader, self._mappings)

    async def _pack(self, asked: PackAsked) -> Answer:
        link, day = await self._link(asked.link), checked_day(asked.day)
        order = PackOrder(
            link=link,
            day=day,
            sample=asked.sample,
            seed=asked.seed,
            printed=datetime.fromisoformat(asked.printed_at),
            verifier=self._verifier(),
            keys=asked.keys,
        )
        with TemporaryFile() as file:
            folders = partial(LinkSeals, self._data)
            around = structs.replace(self._around(asked.now), refold=True)
            name = await make_pack(around, folders, order, file)
            if file.tell() > FILE_BYTES_MAX:
                message = "the pack is too large for this way: `progressive audit-pack` makes it"
                return Answer(code=codes.TOO_LARGE, message=message)
            file.seek(0)
            parts = tuple(iter(partial(file.read, PART_BYTES), b""))
        return Answer(media_type="application/zip", file_name=name, parts=parts)

    async def _look(self, asked: LookAsked) -> Answer:
        sights = []
        for link in await self._reader.links():
            with self._resting():
                sights.append(await self._looking.look(link, asked.now))
        return _json(sights)


class _UnknownLinkError(Exception):
    """No such link in the journal."""


def _json(value: object) -> Answer:
    return Answer(parts=(_encode(value),))
