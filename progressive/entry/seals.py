"""Wires sealing: the process, the check before a link opens, what is said of it."""

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from progressive.adapters.seals import process
from progressive.adapters.seals.files import LinkSeals
from progressive.adapters.seals.key_file import KeyFileError, new_signer, write_key
from progressive.adapters.seals.messages import Orders
from progressive.adapters.seals.process import BadSealKeyError, ProcessSealer
from progressive.adapters.seals.signing import signatures_by
from progressive.application.clock import Clock
from progressive.application.journal.ports import JournalReader
from progressive.application.link.batch import ActReceipt
from progressive.application.link.worker import LinkWorker
from progressive.application.seals.checking import SealCheck
from progressive.application.seals.note import Note, VerifierKey, read_key
from progressive.application.seals.proving import SealReading
from progressive.application.seals.sealing import (
    ASK_SECONDS,
    SEAL_SECONDS,
    SEALED_AT_ONCE,
    SealedLink,
    Sealing,
    WitnessNews,
    ask_witnesses,
)
from progressive.application.seals.witnessing import Witness
from progressive.domain.guard_events import JournalPlace
from progressive.domain.ids import LinkId
from progressive.entry.http.seal_series import seal_series
from progressive.runtime.series import Series

NOT_SEALED: Final = "journals are not sealed: no key is given (progressive seal-key, --seal-key)"


class SealSettings(Struct, frozen=True, kw_only=True):
    """With which key, before whom, and how often."""

    key: Path | None = None
    for_show: bool = False
    """A demo: the key is made where there is none."""
    before: tuple[VerifierKey, ...] = ()
    """Keys that sealed before this one, and count for what they sealed."""
    witnesses: tuple[Witness, ...] = ()
    period_seconds: float = SEAL_SECONDS
    rest: int = process.REST
    witness_seconds: float = ASK_SECONDS
    command: tuple[str, ...] = ("-m", process.MODULE)


class Seals:
    """The seals of a floor's journals, as long as the service runs."""

    def __init__(
        self, links: Sequence[LinkId], *, data: Path, settings: SealSettings, keeps_nothing: bool
    ) -> None:
        """`keeps_nothing`: a store that ends with the process has nothing to seal."""
        self._data = data
        self._settings = settings
        self._sealer: ProcessSealer | None = None
        if settings.key is not None and not keeps_nothing:
            self._sealer = ProcessSealer(
                _orders(data, settings.key, settings), command=settings.command
            )
        self._checks = {} if keeps_nothing else {link: self._check(link) for link in links}
        self._asked: Mapping[LinkId, Sequence[WitnessNews]] = {}
        self._sealing: Sealing | None = None
        self._left: list[LinkId] = []
        """Links that were sealed once, where there is no key any more."""
        self.key: VerifierKey | None = None
        """What seals are checked with; None where nothing is sealed."""

    def check_of(self, link: LinkId) -> SealCheck | None:
        """What is to be found out before a link opens."""
        return self._checks.get(link)

    def reading(self, journal: JournalReader) -> SealReading:
        """For whoever asks for seals and proofs."""
        return SealReading(journal, lambda link: LinkSeals(self._data, link))

    # --- life ------------------------------------------------------------------------------------

    async def begin(self, journal: JournalReader, *, alone: bool = True) -> None:
        """Before any link is recovered: whose key it is, and what the witnesses say.

        `alone`: no other node writes these journals. Otherwise a witness may well have seen more
        than the newest seal here; it is asked as soon as this node leads, with the first seal.

        Raises BadSealKeyError, SealerUnavailableError.
        """
        if self._sealer is None:
            self._left = await asyncio.to_thread(self._sealed_before)
            return
        if self._settings.for_show and self._settings.key is not None:
            await asyncio.to_thread(_make_key, self._settings.key)
        await self._sealer.start()
        self.key = read_key(self._sealer.key)
        for check in self._checks.values():
            check.keys = (self.key, *self._settings.before)
        if self._settings.witnesses and alone:
            self._asked = await ask_witnesses(self._sealer, journal, list(self._checks))

    def start(
        self, workers: Mapping[LinkId, LinkWorker], *, journal: JournalReader, clock: Clock
    ) -> None:
        """Once every link has been recovered."""
        if self._sealer is None:
            return
        self._sealing = Sealing(
            [_sealed(worker) for worker in workers.values()],
            sealer=self._sealer,
            journal=journal,
            clock=clock,
            witnesses=[each.name for each in self._settings.witnesses],
            period_seconds=self._settings.period_seconds,
        )
        self._sealer.on_news = self._sealing.hear
        for worker in workers.values():
            worker.on_performed = self._performed
        for news in self._asked.values():
            for each in news:
                self._sealing.hear(each)
        self._sealing.start()

    def seal_soon(self) -> None:
        """Seal what is durable now, in the background; nobody waits for it."""
        if self._sealing is not None:
            self._sealing.stir()

    async def seal_now(self, link: LinkId) -> int:
        """Seal what is durable now; how many records are sealed then. See `Sealing.seal_now`."""
        return 0 if self._sealing is None else await self._sealing.seal_now(link)

    async def stop(self) -> None:
        """Once the links have written their last: that is sealed too, within a limit."""
        if self._sealing is not None:
            await self._sealing.stop()
        if self._sealer is not None:
            await self._sealer.stop()

    # --- what is said of it ----------------------------------------------------------------------

    @property
    def problem(self) -> str | None:
        """Why journals are not sealed; None while they are, or never were."""
        if self._sealing is not None:
            return self._sealing.problem
        if self._left:
            return f"{', '.join(self._left)}: sealed before, and no key is given now: --seal-key"
        return None

    @property
    def witness_problem(self) -> str | None:
        """Which witnesses disagree, or are silent."""
        return None if self._sealing is None else self._sealing.witness_problem

    @property
    def public_keys(self) -> str:
        """Of everything that may have signed a seal here, one a line, the witnesses' too."""
        house = () if self.key is None else (self.key, *self._settings.before)
        keys = (*house, *[each.key for each in self._settings.witnesses])
        return "".join([f"{each.text}\n" for each in keys])

    def size_of(self, link: LinkId) -> int:
        """Records that the newest seal covers."""
        of = None if self._sealing is None else self._sealing.links.get(link)
        return 0 if of is None else of.size

    def series(self, clock: Clock) -> list[Series]:
        """Read when somebody asks."""
        return seal_series(lambda: self._sealing, clock)

    # --- parts -----------------------------------------------------------------------------------

    def _performed(self, receipt: ActReceipt) -> None:
        if isinstance(receipt.event, SEALED_AT_ONCE):
            self.seal_soon()

    def _sealed_before(self) -> list[LinkId]:
        with contextlib.suppress(OSError):
            return [each for each in self._checks if LinkSeals(self._data, each).newest()]
        return []

    def _check(self, link: LinkId) -> SealCheck:
        return SealCheck(
            link=link,
            folder=LinkSeals(self._data, link),
            signed_by=_signed_by,
            disagreement=lambda name: self._disagreement(link, name),
        )

    def _disagreement(self, link: LinkId, name: str) -> str | None:
        """What a witness holds against the log that was asked about; another one is not meant."""
        for each in self._asked.get(link, ()):
            if each.standing == "disagrees" and each.log == name:
                return each.why
        return None


def _make_key(path: Path) -> None:
    if not path.exists():
        try:
            write_key(path, new_signer())
        except KeyFileError as error:
            raise BadSealKeyError(str(error)) from None


def _orders(data: Path, key: Path, settings: SealSettings) -> Orders:
    return Orders(
        data=str(data.resolve()),
        key=str(key.absolute()),
        before=tuple([each.text for each in settings.before]),
        witnesses=tuple([(each.url, each.key.text) for each in settings.witnesses]),
        rest=settings.rest,
        witness_seconds=settings.witness_seconds,
    )


def _sealed(worker: LinkWorker) -> SealedLink:
    def place() -> JournalPlace | None:
        link = worker.archivable
        return None if link is None else link.place

    def stop(reason: str) -> None:
        # One that lacks records says so already, and people may accept that.
        if not worker.lacks_records:
            worker.stop_for_good_soon(reason)

    return SealedLink(link=worker.rules.id, place=place, sealed=worker.sealed, stop=stop)


def _signed_by(note: Note, keys: Sequence[VerifierKey]) -> bool:
    return bool(signatures_by(note, keys))
