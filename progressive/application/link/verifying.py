"""COLD. The whole past of the journals is verified in the background, again and again.

A start confirms closed segments by their lengths and the newest by their bytes. Here a process at
idle priority reads all the rest: first the bytes of every segment, then each record, as `verify`
does. It goes on where the last one has come to; every few weeks it begins at record 1, which takes
days where there are hundreds of millions: the bytes are read again every day meanwhile. What it
finds stops the link it is about, and keeps it closed over restarts. A process that fails has found
nothing: it is an alarm, and a healthy link goes on.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Collection, Mapping
from typing import Final, Protocol

from msgspec import Struct

from progressive.application.clock import Clock
from progressive.application.link.worker import LinkWorker
from progressive.domain.ids import LinkId

log = logging.getLogger(__name__)

FIRST_SECONDS: Final = 2.0
"""After a start, before the first look: tables come back then, all at once."""
VERIFY_SECONDS: Final = 24 * 3600.0
"""Between the end of one look and the next: damage is found within a day, and a disk that is never
read until its backup is gone is no evidence."""
AGAIN_SECONDS: Final = 3600.0
"""After a look that could not be finished, or found what people can mend beside a live link."""

REOPENS: Final = "the link opens when its whole past has been verified"


class CannotVerifyError(Exception):
    """Nothing was found out: the process could not run, or broke off."""


class PastFindings(Struct, frozen=True, kw_only=True):
    """What is wrong with the journals of a data directory."""

    links: dict[LinkId, str] = {}
    """By the link that must stop."""
    file: str | None = None
    """What is wrong with the file that holds all of them."""
    others: tuple[str, ...] = ()
    """What people must see and what stops no link: the act log."""

    def __len__(self) -> int:
        return len(self.links) + (self.file is not None) + len(self.others)


class Found(Struct, frozen=True):
    """Damage of a link's past."""

    at: str
    """When it was found; empty where that is not known."""
    reason: str


class KeptFindings(Protocol):
    """Damage that was found, over restarts: a link stays closed while its past is in doubt."""

    async def recall(self) -> Mapping[LinkId, Found]:
        """What was found, and not yet found to be whole again. Raises OSError."""
        ...

    async def keep(self, link: LinkId, found: Found) -> None:
        """Raises OSError."""
        ...

    async def drop(self, link: LinkId) -> None:
        """Raises OSError."""
        ...


class Verifier(Protocol):
    """Reads the whole past in another process. Raises CannotVerifyError."""

    async def hashes(self) -> PastFindings:
        """Whether every segment file is the one that was written."""
        ...

    async def audit(self) -> PastFindings:
        """What `verify` finds, in what no audit has found good before."""
        ...


class Verified(Struct, frozen=True):
    """The last look at the whole past."""

    at: str
    """When it ended."""
    seconds: float
    findings: int


class Verifying:
    """The links of one store."""

    def __init__(
        self,
        workers: Mapping[LinkId, LinkWorker],
        *,
        verifier: Verifier | None,
        clock: Clock,
        kept: KeptFindings | None = None,
        first_seconds: float = FIRST_SECONDS,
        hash_seconds: float = VERIFY_SECONDS,
    ) -> None:
        """`verifier` and `kept`: None where nothing is stored that could be damaged."""
        self._workers = workers
        self._verifier = verifier
        self._clock = clock
        self._kept = kept
        self._closed: set[LinkId] = set()
        """Links that are closed by what was found before this start, and not yet since."""
        self._first_seconds = first_seconds
        self._hash_seconds = hash_seconds
        self._task: asyncio.Task[None] | None = None
        self._again = asyncio.Event()
        for worker in workers.values():
            worker.on_loss_accepted = self._again.set
        self.last: Verified | None = None
        self.problem: str | None = None
        """Why the past is not proved, where no link says so; None while all is well."""

    async def recall(self) -> None:
        """Close the links that damage was found in before; to be called before they start."""
        if self._kept is None:
            return
        try:
            kept = await self._kept.recall()
        except OSError as error:
            # The look that follows the start finds it again.
            log.error("findings not read", extra={"reason": str(error)})
            return
        for link, found in kept.items():
            if (worker := self._workers.get(link)) is not None:
                since = f"found at {found.at}" if found.at else "found before this start"
                worker.stop_for_good_soon(f"{found.reason} ({since}; {REOPENS})")
                self._closed.add(link)

    def start(self) -> None:
        """Begin to look."""
        if self._verifier is not None:
            self._task = asyncio.create_task(self._run(self._verifier), name="verifying")

    async def stop(self) -> None:
        """End a process that runs."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def look(self, verifier: Verifier) -> bool:
        """One look at the whole past; False where it could not be finished."""
        began = self._clock.monotonic()
        found = 0
        others: tuple[str, ...] = ()
        damaged: set[LinkId] = set()
        # What is found in a journal that lacks records is that they are missing: people know that,
        # and may accept it while this runs. It is looked at again as soon as they have.
        lacking = {link for link, worker in self._workers.items() if worker.lacks_records}
        try:
            # The bytes first: that is soon done, and nearly all damage shows there.
            async with contextlib.aclosing(self._parts(verifier)) as parts:
                async for findings in parts:
                    found = max(found, len(findings))
                    others += await self._enter(findings, damaged, lacking)
        except CannotVerifyError as error:
            self.problem = f"the past of the journal could not be verified: {error}"
            log.error("past not verified", extra={"reason": str(error)})
            return False
        await self._reopen(damaged)
        seconds = self._clock.monotonic() - began
        self.last = Verified(self._clock.now(), seconds, found)
        self.problem = "; ".join(dict.fromkeys(others)) or None
        log.info("past verified", extra={"seconds": round(seconds, 1), "findings": found})
        return True

    async def _parts(self, verifier: Verifier) -> AsyncGenerator[PastFindings, None]:
        """The bytes, then the records; the bytes again whenever a day of that has passed."""
        yield await verifier.hashes()
        audit = asyncio.create_task(verifier.audit(), name="auditing")
        try:
            while not (await asyncio.wait((audit,), timeout=self._hash_seconds))[0]:
                yield await verifier.hashes()
            yield audit.result()
        finally:
            audit.cancel()
            with contextlib.suppress(asyncio.CancelledError, CannotVerifyError):
                await audit

    async def damaged(self, link: LinkId, why: str) -> None:
        """Other work in the background met damage in a link's past: as if it was found here."""
        worker = self._workers[link]
        if worker.lacks_records:
            log.warning("not compared: it lacks records", extra={"link": link, "reason": why})
        else:
            await self._stop(worker, why)

    async def _stop(self, worker: LinkWorker, why: str) -> None:
        reason = f"the journal's past is damaged: {why}"
        worker.stop_for_good_soon(reason)
        await self._keep(worker.rules.id, reason)

    async def _enter(
        self, findings: PastFindings, damaged: set[LinkId], lacking: Collection[LinkId]
    ) -> tuple[str, ...]:
        """Stop the links that something is wrong with; what concerns none of them.

        `damaged`: they are entered there. `lacking`: those that lack records, as people know.
        """
        others = list(findings.others)
        reasons = dict(findings.links)
        if findings.file is not None:
            reasons = dict.fromkeys(self._workers, findings.file) | reasons
        for link, why in reasons.items():
            worker = self._workers.get(link)
            if worker is None:
                others.append(f"the journal of {link}, which is not in the floor file: {why}")
            elif link in lacking or worker.lacks_records:
                log.warning("not verified: it lacks records", extra={"link": link, "reason": why})
            else:
                damaged.add(link)
                await self._stop(worker, why)
        for each in others:
            log.error("damage found", extra={"reason": each})
        return tuple(others)

    async def _keep(self, link: LinkId, reason: str) -> None:
        if self._kept is None:
            return
        try:
            await self._kept.keep(link, Found(self._clock.now(), reason))
        except OSError as error:
            # A full disk, say: the link is stopped all the same, and after a restart in a while.
            log.error("finding not kept", extra={"link": link, "reason": str(error)})

    async def _reopen(self, damaged: set[LinkId]) -> None:
        """The whole past was verified: open the links that only an older finding keeps closed.

        One that was stopped since this start stays so: only a person's restart says that something
        was done about it.
        """
        self._closed -= damaged
        while self._kept is not None and self._closed:
            link = self._closed.pop()
            try:
                await self._kept.drop(link)
            except OSError as error:
                log.error("finding not removed", extra={"link": link, "reason": str(error)})
            log.warning("past whole again", extra={"link": link})
            self._workers[link].open_again_soon()

    async def _run(self, verifier: Verifier) -> None:
        await asyncio.sleep(self._first_seconds)
        while True:
            self._again.clear()
            try:
                finished = await self.look(verifier)
            except Exception:
                # A bug in what only watches must not end the watching.
                log.exception("verifying failed")
                finished = False
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self.pause_seconds(finished=finished)):
                    await self._again.wait()

    def pause_seconds(self, *, finished: bool) -> float:
        """Until the next look. An alarm is not to stay for a day after its cause was mended."""
        return VERIFY_SECONDS if finished and self.problem is None else AGAIN_SECONDS
