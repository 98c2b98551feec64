"""One document of the sample: the sheet of a settlement, and every record behind it."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from progressive.application.awards.proof import HoldsNamesError, award_proof
from progressive.application.awards.round_records import records_before
from progressive.application.awards.sheet import Sheet, settlement_sheet
from progressive.application.finance.pack.sample import Chosen
from progressive.application.finance.report import Report, Row
from progressive.application.journal.ports import JournalReader, StorePurgedError
from progressive.application.journal.record import JournalBrokenError, decode_record
from progressive.application.seals.proving import (
    NotSealedError,
    NotYetSealedError,
    SealReading,
)
from progressive.domain.events import RoundSettled, SettledEarly
from progressive.domain.ids import LinkId

NO_PROOF: Final = (NotSealedError, NotYetSealedError, HoldsNamesError, StorePurgedError)


class Document(Struct, frozen=True, kw_only=True):
    """A settlement of the sample."""

    chosen: Chosen
    sheet: Sheet
    register: tuple[Row, ...]
    """Its lines in the report `awards` of the day; awards that the rack paid have none of their
    own."""
    records: tuple[bytes, ...]
    """From the lock-out to the last signature, as they are stored."""
    proofs: tuple[tuple[str, str], ...]
    """Award proofs by award, where the records are sealed and name nobody."""


async def document(
    reader: JournalReader,
    seals: SealReading | None,
    link: LinkId,
    sampled: Chosen,
    register: Report,
    *,
    last_seq: int,
) -> Document:
    """What stands behind a settlement, up to a record. Raises StoreError, JournalBrokenError."""
    sheet = await settlement_sheet(reader, link, sampled.seq, last_seq=last_seq)
    stored = await _stored(reader, link, sampled.seq)
    event = decode_record(stored, seq=sampled.seq).event
    if not isinstance(event, RoundSettled | SettledEarly):
        raise JournalBrokenError(f"record {sampled.seq} settles no awards")
    record = decode_record(stored)
    before = [each for _, each in await records_before(reader, link, record, event)]
    acts = sorted({entry.journal_seq for entry in sheet.history} - {sampled.seq})
    after = [await _stored(reader, link, seq) for seq in acts]
    awards = [made.made.award for made in sheet.awards]
    return Document(
        chosen=sampled,
        sheet=sheet,
        register=tuple(row for row in register.rows if row["award"] in awards),
        records=(*before, stored, *after),
        proofs=tuple(await _proofs(reader, seals, link, awards, sampled.seq, last_seq)),
    )


async def _proofs(
    reader: JournalReader,
    seals: SealReading | None,
    link: LinkId,
    awards: Sequence[str],
    seq: int,
    last_seq: int,
) -> list[tuple[str, str]]:
    if seals is None:
        return []
    found = []
    for award in awards:
        try:
            proof = await award_proof(reader, seals, link, award, seq, last_seq=last_seq)
        except NO_PROOF:
            continue
        found.append((award, proof.text))
    return found


async def _stored(reader: JournalReader, link: LinkId, seq: int) -> bytes:
    stored = await reader.record(link, seq)
    if stored is None:
        raise JournalBrokenError(f"record {seq} is missing")
    return stored
