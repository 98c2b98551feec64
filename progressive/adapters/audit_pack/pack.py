"""One audit pack: everything of a gaming day that an auditor takes away, in one zip.

All parts are of one state of the journal, also beside a service that writes on. Reads only; may
take long and much memory, so it belongs into a process of its own.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import BinaryIO
from zoneinfo import ZoneInfo

from msgspec import Struct

from progressive.adapters.audit_pack.archive import PackArchive
from progressive.adapters.audit_pack.reports import report_files, reports_of
from progressive.adapters.audit_pack.samples import SampleHead, sample_files, sampled
from progressive.adapters.audit_pack.statement import (
    BESIDE,
    KEY,
    RECORDS,
    STATEMENT,
    VERIFIER,
    Figures,
    statement_text,
)
from progressive.adapters.audit_pack.statement_pdf import statement_pdf
from progressive.adapters.reports.figures.figures import moment_text
from progressive.adapters.reports.render import file_name
from progressive.adapters.seals.signing import signatures_by
from progressive.application.awards.sheet import NoSheetError
from progressive.application.finance.book.day_book import DayBook
from progressive.application.finance.pack.closing import day_stands
from progressive.application.finance.pack.documents import Document, document
from progressive.application.finance.pack.records import day_records, records_beside
from progressive.application.finance.pack.sample import SAMPLE_MAX, Chosen, InTheDraw
from progressive.application.finance.pack.seals import DaySeals, day_seals
from progressive.application.finance.questions.asking import (
    Asked,
    Question,
    Surroundings,
    asked_for,
)
from progressive.application.finance.questions.day_status import DayStatus, status_of
from progressive.application.finance.refusals import FinanceRefusedError
from progressive.application.finance.report import Report
from progressive.application.finance.reports import reconciliation
from progressive.application.journal.ports import JournalReader, StorePurgedError
from progressive.application.seals.note import (
    COSIGNATURE,
    NoteError,
    VerifierKey,
    read_key,
    read_note,
)
from progressive.application.seals.ports import SealFolder
from progressive.application.seals.proving import SealReading
from progressive.domain.ids import LinkId


class PackOrder(Struct, frozen=True, kw_only=True):
    """What is asked for."""

    link: str | None
    day: str
    sample: int = 5
    seed: int = 1
    printed: datetime
    verifier: bytes
    """The auditor's program: `entry/verifier_file.py` makes it."""
    keys: str = ""
    """Public lines, one a line, of the house and of witnesses; `#` begins a comment."""


async def make_pack(
    around: Surroundings, folder_of: Callable[[LinkId], SealFolder], order: PackOrder, out: BinaryIO
) -> str:
    """Write the pack into `out`, which must be seekable; the name of its file.

    Raises FinanceRefusedError where the question has no answer, StoreError and JournalBrokenError
    where the journal has none.
    """
    if not 0 <= order.sample <= SAMPLE_MAX:
        raise FinanceRefusedError(f"a sample has at most {SAMPLE_MAX:,} payments")
    keys = read_keys(order.keys)
    question = Question(kind=reconciliation.KIND, day=order.day, link=order.link)
    asked = await asked_for(question, around)
    seals = SealReading(around.reader, folder_of)
    pack = _Pack(
        around.reader,
        seals,
        folder_of(asked.context.link),
        asked,
        await reports_of(asked, around),
        await status_of(asked, around),
        order,
        keys,
    )
    return await pack.write(out)


def read_keys(text: str) -> list[VerifierKey]:
    """The public keys of a file; raises FinanceRefusedError."""
    lines = [line.strip() for line in text.splitlines()]
    try:
        return [read_key(line) for line in lines if line and not line.startswith("#")]
    except NoteError as error:
        raise FinanceRefusedError(f"the public key: {error}") from None


class _Pack:
    """One pack while it is written."""

    def __init__(
        self,
        reader: JournalReader,
        seals: SealReading,
        folder: SealFolder,
        asked: Asked,
        reports: dict[str, Report],
        status: DayStatus,
        order: PackOrder,
        keys: Sequence[VerifierKey],
    ) -> None:
        self._reader = reader
        self._seals = seals
        self._folder = folder
        self._context = asked.context
        self._end_seq = asked.context.end_seq
        self._status = status
        self._order = order
        self._keys = keys
        self._reports = reports
        self._left_out: list[str] = []

    @property
    def _book(self) -> DayBook:
        return self._context.last

    @property
    def _a_report(self) -> Report:
        return self._reports["reconciliation"]

    async def write(self, out: BinaryIO) -> str:
        """All of it; the statement and the manifest last, as they name the rest."""
        stem = file_name(self._a_report, "json").removesuffix(".json")
        name = stem.replace("reconciliation", "audit-pack", 1)
        with PackArchive(out, name) as pack:
            await self._write(pack)
        return f"{name}.zip"

    async def _write(self, pack: PackArchive) -> None:
        order, context = self._order, self._context
        draw = await self._write_records(pack)
        for path, body in report_files(context, self._reports, order.printed, self._left_out):
            pack.add(path, body)
        sealed = await self._write_seals(pack)
        documents = await self._write_sample(pack, draw)
        pack.add(VERIFIER, order.verifier)
        if self._keys:
            pack.add(KEY, "".join([f"{each.text}\n" for each in self._keys]).encode())
        figures = await self._figures(pack, sealed, sampled(documents, draw))
        pack.add(f"{STATEMENT}.txt", statement_text(figures).encode())
        zone = self._book.time_zone
        pack.add(f"{STATEMENT}.pdf", statement_pdf(figures, zone, order.printed))
        pack.finish()

    async def _write_records(self, pack: PackArchive) -> InTheDraw:
        """The day's records, and what among them can be drawn."""
        draw = InTheDraw()
        seq = self._book.opening.seq
        with pack.adding(RECORDS) as to:
            async for piece in day_records(self._reader, self._context.link, self._book):
                for number, each in enumerate(piece, seq + 1):
                    draw.add(number, each)
                seq += len(piece)
                to.write(b"\n".join(piece) + b"\n")
        return draw

    async def _write_seals(self, pack: PackArchive) -> DaySeals | None:
        link = self._context.link
        beside = await records_beside(self._reader, link, self._book, until_seq=self._end_seq)
        pack.add(BESIDE, b"".join([stored + b"\n" for stored in beside.values()]))
        sealed = await day_seals(
            self._reader, self._seals, self._folder, link, self._book, list(beside)
        )
        if sealed is None:
            return None
        self._refuse_other_key(sealed)
        pack.add("seals/newest.note", sealed.newest)
        for name, note in sealed.segments:
            pack.add(f"seals/{name}.note", note)
        for name, text in sealed.extends:
            pack.add(f"seals/{name}.consistency", text)
        for seq, proof in sealed.proofs:
            pack.add(f"seals/record-{seq}.tlog-proof", proof)
        return sealed

    def _refuse_other_key(self, sealed: DaySeals) -> None:
        """A key that the seal is not made with would make a pack that looks forged."""
        note = read_note(sealed.newest)
        origin = note.text.partition("\n")[0]
        houses = [key.named(origin) for key in self._keys if origin.startswith(f"{key.name}/")]
        try:
            if self._keys and not signatures_by(note, houses):
                raise FinanceRefusedError(f"the newest seal ({origin}) is by another key")
            self._refuse_other_witness(sealed)
        except NoteError as error:
            raise FinanceRefusedError(f"the newest seal: {error}") from None

    def _refuse_other_witness(self, sealed: DaySeals) -> None:
        """Whoever gives the key of a witness asks for its word, of the verifier too."""
        proved = {name for name, _ in sealed.extends}
        notes = [sealed.newest, *[note for name, note in sealed.segments if name in proved]]
        due = [key for key in self._keys if key.kind == COSIGNATURE]
        said = {each.name for note in notes for each in signatures_by(read_note(note), due)}
        if missing := [key.name for key in due if key.name not in said]:
            raise FinanceRefusedError(
                f"{missing[0]} has cosigned no seal of this pack: try again in a minute, or leave "
                "its line out of --key"
            )

    async def _write_sample(self, pack: PackArchive, draw: InTheDraw) -> list[Document]:
        order = self._order
        drawn = draw.chosen(self._context.link, self._book.day, seed=order.seed, count=order.sample)
        documents = [each for chosen in drawn if (each := await self._document(chosen))]
        head = SampleHead(
            what=sampled(documents, draw),
            seed=order.seed,
            asked=order.sample,
            currency=self._a_report.currency,
            time_zone=self._book.time_zone,
        )
        for path, body in sample_files(documents, head):
            pack.add(path, body)
        return documents

    async def _document(self, drawn: Chosen) -> Document | None:
        try:
            return await document(
                self._reader,
                self._seals,
                self._context.link,
                drawn,
                self._reports["awards"],
                last_seq=self._end_seq,
            )
        except (NoSheetError, StorePurgedError) as error:
            self._left_out.append(f"sample, record {drawn.seq}: {error}")
            return None

    async def _figures(self, pack: PackArchive, sealed: DaySeals | None, sample: str) -> Figures:
        context, book, order, report = self._context, self._book, self._order, self._a_report
        stands = await day_stands(self._reader, context.link, context.days, book.day)
        zone = ZoneInfo(book.time_zone)
        begins, ends = (
            moment_text(datetime.fromisoformat(at).astimezone(zone))
            for at in (book.begins, book.ends)
        )
        signatures = () if sealed is None else read_note(sealed.newest).signatures
        witnesses = {(key.name, key.id) for key in self._keys if key.kind == COSIGNATURE}
        return Figures(
            floor=report.floor,
            link=context.link,
            link_name=report.link_name,
            day=book.day,
            begins=begins,
            ends=ends,
            time_zone=book.time_zone,
            day_rule=report.day_rule,
            currency=report.currency,
            closed=context.closed,
            over=context.over,
            first_seq=book.first_seq,
            last_seq=book.closing.seq,
            head=book.closing.head,
            records=book.records,
            prepared=stands.prepared,
            close=stands.closed,
            restated=stands.restated,
            checks=self._status.checks,
            sealed_seq=None if sealed is None else sealed.size,
            witnesses=sum((each.name, each.key_id) in witnesses for each in signatures),
            key=", ".join(each.text for each in self._keys),
            sampled=sample,
            seed=order.seed,
            left_out=tuple(self._left_out),
            program=f"progressive {context.program}",
            printed=moment_text(order.printed.astimezone(zone)),
            hashes=dict(pack.hashes),
        )
