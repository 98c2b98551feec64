"""What finance does to a gaming day over HTTP: enter what it knows, prepare the day, close it.

What a day comes to is asked of the bookkeeper, never taken from a request; the act goes to the
link's writer, which decides.
"""

from typing import Annotated, Final, Literal

import msgspec
from aiohttp import web
from msgspec import Meta, Struct, structs

from progressive.application.clock import Clock
from progressive.application.finance.desk.asked import (
    BAD_DAY,
    BAD_TIME,
    BUSY,
    DayAsked,
)
from progressive.application.journal.gaming_day import GamingDays
from progressive.application.journal.times import as_journal_time
from progressive.application.link.owned_link import gaming_days
from progressive.application.link.worker import LinkWorker
from progressive.application.people.act_log import Details
from progressive.domain.acts import ActReason
from progressive.domain.finance_acts import CloseDay, EnterFinance, PrepareDay
from progressive.domain.finance_events import (
    AccountingNotified,
    BankBalance,
    DayCheck,
    DayClosed,
    DayPrepared,
    DayTotals,
    Explanation,
    FinanceEntry,
    FormFiled,
    LateItem,
    LedgerBalance,
    Returned,
    SignReading,
)
from progressive.domain.people.roles import Act, Person
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.state.days import Prepared
from progressive.domain.time_text import later
from progressive.entry.finance.answers import Answers
from progressive.entry.http.errors import RefusedError
from progressive.entry.http.links import Links, answered, decoded, perform, refused
from progressive.entry.people.changes import Changes
from progressive.wire.codec import encode

STAYS_OPEN: Final = "DAY_STAYS_OPEN"
LEAVES_BEHIND: Final = "DAYS_STAY_BEHIND"
SETTLING_SECONDS: Final = 5
"""After its end, before a day can be prepared: its last records may be on their way to the disk."""
NOTE_CHARACTERS_MAX: Final = 500

Entry = SignReading | LedgerBalance | BankBalance | FormFiled | AccountingNotified | Explanation
"""What may be entered one by one. A cage file and a preparation sent back have routes of their
own."""


class _Prepare(Struct, frozen=True, forbid_unknown_fields=True):
    note: Annotated[str, Meta(max_length=NOTE_CHARACTERS_MAX)] = ""
    first: bool = False
    """Whoever prepares it knows that earlier days stay outside the closes."""


class _Close(Struct, frozen=True, forbid_unknown_fields=True):
    prepared_seq: Annotated[int, Meta(ge=1)] | None = None
    """What was reviewed; None: what waits."""


class _Return(Struct, frozen=True, forbid_unknown_fields=True):
    reason: ActReason


class _Entry(Struct, frozen=True, forbid_unknown_fields=True):
    entry: Entry


class _Check(Struct, frozen=True):
    check: str
    state: Literal["agrees", "explained", "none", "open"]
    detail: str


class _LeftBehind(Struct, frozen=True):
    first_day: str
    days: int


class _Status(Struct, frozen=True):
    """What preparing a day takes of the answer about it."""

    over: bool
    keeps_open: tuple[str, ...]
    left_behind: _LeftBehind | None
    checks: tuple[_Check, ...]
    totals: DayTotals
    late: tuple[LateItem, ...]


_status: Final = msgspec.json.Decoder(_Status)


class DayActPages:
    """`/v1/days/{link}/{day}/…`."""

    def __init__(self, answers: Answers, links: Links, changes: Changes, clock: Clock) -> None:
        self._answers = answers
        self._links = links
        self._changes = changes
        self._clock = clock

    def routes(self) -> list[web.AbstractRouteDef]:
        """The addresses these live at."""
        return [
            web.post("/v1/days/{link}/{day}/prepare", self.prepare),
            web.post("/v1/days/{link}/{day}/close", self.close),
            web.post("/v1/days/{link}/{day}/return", self.send_back),
            web.post("/v1/days/{link}/{day}/entries", self.enter),
        ]

    async def prepare(self, request: web.Request) -> web.Response:
        """POST …/prepare {"note"?,"first"?}: the first of two people says that it can be closed."""

        async def change(person: Person, body: bytes) -> web.Response:
            asked = decoded(body, _Prepare)
            worker, day = self._links.link(request), request.match_info["day"]
            status = await self._status(request, worker, day)
            if status.keeps_open:
                raise _stays_open(status.keeps_open)
            if status.left_behind is not None and not asked.first:
                raise _leaves_behind(day, status.left_behind)
            act = PrepareDay(
                day=day,
                totals=status.totals,
                checks=tuple(
                    DayCheck(each.check, each.state, each.detail) for each in status.checks
                ),
                late=status.late,
                note=asked.note,
                by=person.signature,
            )
            receipt = await perform(worker, act)
            event = receipt.event
            if not isinstance(event, DayPrepared):
                raise TypeError("a preparation leads to a preparation")
            answer = {
                "day": day,
                "prepared_seq": receipt.journal_seq,
                "number": event.number,
                "journal_seq": receipt.journal_seq,
            }
            return answered(answer, status=202)

        return await self._changes.run(request, Act.PREPARE_DAY, change, about=about_day(request))

    async def close(self, request: web.Request) -> web.Response:
        """POST …/close {"prepared_seq"?}: a second person has reviewed it."""

        async def change(person: Person, body: bytes) -> web.Response:
            reviewed = decoded(body, _Close).prepared_seq
            worker, day = self._links.link(request), request.match_info["day"]
            if reviewed is None:
                reviewed = _waiting(worker, day).seq
            await self._refuse_changed(request, worker, day)
            act = CloseDay(day=day, prepared_seq=reviewed, by=person.signature)
            receipt = await perform(worker, act)
            event = receipt.event
            if not isinstance(event, DayClosed):
                raise TypeError("a close leads to a close")
            answer = {"day": day, "number": event.number, "journal_seq": receipt.journal_seq}
            return answered(answer)

        return await self._changes.run(request, Act.CLOSE_DAY, change, about=about_day(request))

    async def send_back(self, request: web.Request) -> web.Response:
        """POST …/return {"reason"}: a prepared day is not ready."""

        async def change(person: Person, body: bytes) -> web.Response:
            reason = decoded(body, _Return).reason
            worker, day = self._links.link(request), request.match_info["day"]
            _waiting(worker, day)
            return await self._entered(worker, day, Returned(reason=reason), person)

        return await self._changes.run(request, Act.CLOSE_DAY, change, about=about_day(request))

    async def enter(self, request: web.Request) -> web.Response:
        """POST …/entries {"entry":{"type",…}}: a figure that only people know."""

        async def change(person: Person, body: bytes) -> web.Response:
            entry = decoded(body, _Entry).entry
            worker, day = self._links.link(request), request.match_info["day"]
            days, now = gaming_days(worker.rules), self._clock.now()
            refuse_future(days, day, now)
            return await self._entered(worker, day, _checked(entry, days, now), person)

        return await self._changes.run(request, Act.ENTER_FIGURES, change, about=about_day(request))

    # --- parts -----------------------------------------------------------------------------------

    async def _refuse_changed(self, request: web.Request, worker: LinkWorker, day: str) -> None:
        """What is about to be closed is what the records come to; raises RefusedError.

        A preparation stands for hours: what was true of the journal then is looked at again.
        """
        state = worker.state
        prepared = None if state is None else state.days.preparation(day)
        if prepared is None:
            # The link's writer says what the day is instead.
            return
        status = await self._status(request, worker, day)
        if status.totals != prepared.event.totals:
            why = f"The records of {day} do not come to what was prepared: prepare it again."
            raise _stays_open((why,))

    async def _status(self, request: web.Request, worker: LinkWorker, day: str) -> _Status:
        now = self._clock.now()
        question = DayAsked(now=now, link=worker.rules.id, day=day, refold=True)
        status = _status.decode((await self._answers.ask(request, question)).body)
        settled = later(status.totals.ends, seconds=SETTLING_SECONDS)
        if status.over and now < settled:
            message = f"{day} has just ended: prepare it in a few seconds"
            raise RefusedError(503, BUSY, message, Retry_After=str(SETTLING_SECONDS))
        return status

    async def _entered(
        self, worker: LinkWorker, day: str, entry: FinanceEntry, person: Person
    ) -> web.Response:
        receipt = await perform(worker, EnterFinance(day=day, entry=entry, by=person.signature))
        answer = {
            "day": day,
            "type": entry.__struct_config__.tag,
            "journal_seq": receipt.journal_seq,
        }
        return answered(answer, status=201)


def about_day(request: web.Request) -> Details:
    """What the act log says of an act on a day."""
    return {
        "link": request.match_info["link"][:200],
        "day": request.match_info["day"][:64],
        "what": request.path.rpartition("/")[2],
    }


def _waiting(worker: LinkWorker, day: str) -> Prepared:
    """The preparation that waits for its reviewer; raises RefusedError."""
    state = worker.state
    prepared = None if state is None else state.days.preparation(day)
    if prepared is None:
        raise refused(Refusal(Rejection.WRONG_STATUS, f"{day} is not prepared"))
    return prepared


def _stays_open(reasons: tuple[str, ...]) -> RefusedError:
    """409, with every reason by itself beside the one message."""
    stays = RefusedError(409, STAYS_OPEN, " ".join(reasons)[:2_000])
    error = {"code": STAYS_OPEN, "message": stays.response.message}
    stays.response.body = encode({"error": error, "keeps_open": reasons})
    return stays


def _leaves_behind(day: str, behind: _LeftBehind) -> RefusedError:
    """409: the first close is the one act that decides about days before it."""
    days = "1 day" if behind.days == 1 else f"{behind.days} days"
    message = (
        f"{days} before {day} were never closed and stay outside the closes for ever; the oldest "
        f'with play is {behind.first_day}: close that one first, or send "first": true'
    )
    return RefusedError(409, LEAVES_BEHIND, message)


def refuse_future(days: GamingDays, day: str, now: str) -> None:
    """Nothing is known of a day to come; raises RefusedError."""
    today = days.day_of(now)
    if day > today:
        raise RefusedError(400, BAD_DAY, f"{day[:64]} has not begun: today is gaming day {today}")


def _checked(entry: Entry, days: GamingDays, now: str) -> Entry:
    """With its times in the journal's form; raises RefusedError for what cannot be."""
    if isinstance(entry, BankBalance | SignReading):
        cents = entry.cents if isinstance(entry, BankBalance) else entry.shown_cents
        if cents < 0:
            raise RefusedError(400, "WRONG_AMOUNT", "an amount below zero")
    if not isinstance(entry, SignReading):
        return entry
    at = as_journal_time(entry.read_at) or as_journal_time(entry.read_at, days.zone)
    if at is None:
        raise RefusedError(400, BAD_TIME, f"read_at: {entry.read_at[:64]!r} is not a time")
    if at > now:
        raise RefusedError(400, BAD_TIME, f"read_at: {entry.read_at} is still to come")
    return structs.replace(entry, read_at=at)
