"""What the handlers of people's acts share: finding the link, reading bodies, answering."""

import re
from typing import Final, TypeVar

import msgspec
from aiohttp import web

from progressive.application.link.batch import ActReceipt
from progressive.application.link.replies import FateUnknownError
from progressive.application.link.worker import LinkWorker
from progressive.domain.acts import PersonsAct
from progressive.domain.ids import LinkId
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.text import text_problem, tidied
from progressive.entry.http.errors import RefusedError
from progressive.wire.codec import encode

T = TypeVar("T")

_STATUS: Final[dict[Rejection, int]] = {
    Rejection.BAD_MESSAGE: 400,
    Rejection.WRONG_AMOUNT: 400,
    Rejection.SAME_PERSON: 403,
    Rejection.SAME_DEPARTMENT: 403,
    Rejection.DEALER_OF_TABLE: 403,
    Rejection.UNKNOWN_TABLE: 404,
    Rejection.UNKNOWN_AWARD: 404,
    Rejection.UNKNOWN_CORRECTION: 404,
    Rejection.UNKNOWN_METER: 404,
    Rejection.LINK_INOPERABLE: 503,
    Rejection.NOT_LEADER: 503,
    Rejection.TRY_AGAIN: 503,
}
_CONFLICT: Final = 409
_AWARD_ID: Final = re.compile(r"(?P<link>.+)\.(?P<record>[0-9]{1,18})\.[0-9]{1,9}", re.ASCII)

_UNDECODABLE: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def refused(refusal: Refusal) -> RefusedError:
    """A refusal with its fitting status."""
    return RefusedError(_STATUS.get(refusal.code, _CONFLICT), refusal.code.value, refusal.message)


def decoded(body: bytes, kind: type[T]) -> T:
    """A request's body; nothing at all is an object without fields.

    Its texts come back in the one form that is stored; one that may not be is refused.
    """
    try:
        return msgspec.convert(_storable(msgspec.json.decode(body or b"{}"), "$"), kind)
    except _UNDECODABLE as error:
        message = "the text is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
        raise RefusedError(400, "BAD_MESSAGE", message[:200]) from None


def _storable(value: object, where: str) -> object:
    """The same JSON value with its texts tidied; raises RefusedError."""
    match value:
        case str():
            text = tidied(value)
            if (why := text_problem(text)) is not None:
                raise RefusedError(400, "BAD_MESSAGE", f"{why} - at `{where}`"[:200])
            return text
        case dict():
            return {key: _storable(each, f"{where}.{key}") for key, each in value.items()}
        case list():
            return [_storable(each, f"{where}[...]") for each in value]
        case _:
            return value


def answered(body: object, status: int = 200) -> web.Response:
    """A JSON answer."""
    return web.json_response(body=encode(body), status=status)


class Links:
    """The links of this process, by what requests name."""

    def __init__(self, workers: dict[LinkId, LinkWorker]) -> None:
        self.workers = workers

    def link(self, request: web.Request) -> LinkWorker:
        """The link in the address."""
        worker = self.workers.get(LinkId(request.match_info["link"]))
        if worker is None:
            raise RefusedError(404, "UNKNOWN_LINK", f"no link {request.match_info['link']!r}")
        return worker

    def of_award(self, award: str) -> LinkWorker:
        """The link that made an award: its id begins with it."""
        return self.made(award)[0]

    def made(self, award: str) -> tuple[LinkWorker, int]:
        """The link that made an award, and the record that did: both stand in its id."""
        unknown = "UNKNOWN_AWARD", f"no award {award[:200]!r}"
        shape = _AWARD_ID.fullmatch(award)
        if shape is None:
            raise RefusedError(404, *unknown)
        return self._named(shape["link"], *unknown), int(shape["record"])

    def of_correction(self, correction: str) -> LinkWorker:
        """The link whose meters a correction is about."""
        link = correction.rpartition(".")[0]
        return self._named(link, "UNKNOWN_CORRECTION", f"no correction {correction!r}")

    def of_table(self, table: str) -> LinkWorker:
        """The link that a table is in."""
        for worker in self.workers.values():
            if table in worker.rules.seats:
                return worker
        raise RefusedError(404, "UNKNOWN_TABLE", f"no table {table!r}")

    def that_owes(self, table: str, round_id: str) -> LinkWorker:
        """The link whose awards of a round wait for a supervisor: its table may be in another link
        by now, or in none.
        """
        for worker in self.workers.values():
            awards = () if worker.state is None else worker.state.awards.values()
            if any(
                (award.table, award.round) == (table, round_id) and award.awaits_round
                for award in awards
            ):
                return worker
        return self.of_table(table)

    def _named(self, link: str, code: str, message: str) -> LinkWorker:
        worker = self.workers.get(LinkId(link))
        if worker is None:
            raise RefusedError(404, code, message)
        return worker


def fate_unknown() -> RefusedError:
    """Neither done nor refused, for all that is known."""
    return RefusedError(503, "FATE_UNKNOWN", "result unknown: storage failed; reload and check")


async def perform(worker: LinkWorker, act: PersonsAct) -> ActReceipt:
    """Have an act decided and kept; raises RefusedError."""
    try:
        answer = await worker.perform(act)
    except FateUnknownError:
        raise fate_unknown() from None
    if isinstance(answer, Refusal):
        raise refused(answer)
    return answer
