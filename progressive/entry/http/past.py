"""COLD. Questions about a link's past: ended when whoever asked leaves; damage is not passed over.

What is read here was verified when it was written. Where it cannot be read as such any more, the
link has to know: nobody may go on wagering on a journal that is damaged.
"""

import contextlib
import logging
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, Final, TypeVar

from aiohttp import web

from progressive.application.clock import Clock
from progressive.application.journal.history import TermsIndex
from progressive.application.journal.ports import (
    JournalReader,
    StoreCorruptError,
    StoreError,
    StorePurgedError,
)
from progressive.application.journal.record import JournalBrokenError
from progressive.application.link.worker import LinkWorker
from progressive.application.people.rate_limits import RateLimit
from progressive.domain.ids import LinkId
from progressive.domain.rulebook.rules import MeterRules
from progressive.entry.http.errors import RefusedError
from progressive.entry.http.leaving import while_connected

log = logging.getLogger(__name__)

T = TypeVar("T")

PAST_A_MINUTE: Final = 60
"""Questions about the past from one address."""
PAST_AT_ONCE: Final = 4
"""Questions about the past under way, of strangers and of staff each: a disk is read for them."""
_WAIT: Final = {"Retry_After": "5"}


class PastLimit:
    """How often one may ask about the past, and how many are answered at once."""

    def __init__(self, clock: Clock, *, per_minute: int) -> None:
        self._often = RateLimit(clock, per_minute=per_minute)
        self._now = 0

    @contextlib.contextmanager
    def question_of(self, asker: str) -> Iterator[None]:
        """For as long as it is answered; raises RefusedError."""
        if not self._often.take(asker) or self._now >= PAST_AT_ONCE:
            raise RefusedError(
                429, "TOO_MANY_QUESTIONS", "too many questions about the past: wait", **_WAIT
            )
        self._now += 1
        try:
            yield
        finally:
            self._now -= 1


async def read_past(
    request: web.Request, worker: LinkWorker, question: Callable[[], Coroutine[Any, Any, T]]
) -> T:
    """What the question finds. Raises RefusedError: 503 with the reason, 410 where it was purged.

    Damage stops the link, once a second look has found it too: a file may have been replaced by
    the very one that the first look was about to open.
    """
    try:
        try:
            return await while_connected(request, question())
        except (StoreCorruptError, JournalBrokenError):
            return await while_connected(request, question())
    except StorePurgedError as gone:
        raise RefusedError(410, "PURGED", str(gone)) from None
    except (StoreCorruptError, JournalBrokenError) as damage:
        log.error(
            "the journal's past is damaged",
            extra={"link": worker.rules.id, "reason": str(damage)},
        )
        worker.lose_soon(str(damage))
        raise RefusedError(503, "LINK_INOPERABLE", str(damage)) from None
    except StoreError as reason:
        raise RefusedError(503, "LINK_INOPERABLE", str(reason)) from None


def terms_of(
    worker: LinkWorker, journal: JournalReader, known: dict[LinkId, TermsIndex]
) -> TermsIndex:
    """The link's terms as far as they are known; what is learned of them stays in `known`."""
    link = worker.rules.id

    def meters_now() -> tuple[MeterRules, ...] | None:
        state = worker.state
        return None if state is None or state.terms is None else state.terms.meters

    if link not in known:
        known[link] = TermsIndex(journal, link, meters_now=meters_now)
    return known[link]
