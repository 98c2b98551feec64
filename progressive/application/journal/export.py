"""COLD. A stretch of a journal for somebody else: which records it is, and reading them proved.

Whatever the length, one piece is held at a time, and no view of the store stays open while a piece
is being written: a reader who takes hours must not keep the store from tidying up.
"""

from collections.abc import AsyncGenerator, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Final

from progressive.application.journal.export_lines import NO_DEALERS
from progressive.application.journal.gaming_day import GamingDays
from progressive.application.journal.ports import (
    JournalEnd,
    JournalReader,
    StoreError,
    StorePurgedError,
    StoreUnavailableError,
)
from progressive.application.journal.purged import gone
from progressive.application.journal.record import (
    ChainCheck,
    JournalBrokenError,
    decode_record,
    hash_record,
)
from progressive.application.journal.segments import LANDMARKS, Segment
from progressive.domain.events import (
    FloorRecorded,
    LinkOpened,
    LinkReopened,
    RoundSettled,
    SettledEarly,
)
from progressive.domain.ids import LinkId
from progressive.domain.person_events import DealerSignedOn, TermsChanged
from progressive.domain.signatures import Signature

PIECE_RECORDS: Final = 4_096
"""Records held at a time: about a mebibyte."""
TRIES: Final = 3
"""A service that is started or stopped meanwhile moves the file under its reader: look again."""


async def proved(
    reader: JournalReader, link: LinkId, *, first_seq: int, end: JournalEnd, last_seq: int
) -> AsyncGenerator[list[bytes], None]:
    """The records between two numbers, in pieces; each follows the one before by its hash.

    What is good before the first broken record is given; then JournalBrokenError or the store's
    own error says what is wrong.
    """
    chain = await _chain_before(reader, link, first_seq)
    while chain.seq < last_seq:
        records, failure = await _piece(reader, link, chain.seq, last_seq)
        good: list[bytes] = []
        try:
            for stored in records:
                chain.feed(stored)
                good.append(stored)
        except JournalBrokenError as error:
            failure = error
        if good:
            yield good
        if failure is not None:
            raise failure
        if not good:
            raise JournalBrokenError(f"record {chain.seq + 1} is missing")
    if chain.seq == end.seq and chain.head != end.head:
        raise JournalBrokenError(f"record {end.seq} is not the one that the journal ends with")


async def _piece(
    reader: JournalReader, link: LinkId, after_seq: int, last_seq: int
) -> tuple[list[bytes], Exception | None]:
    """The next records, and what stopped them."""
    until_seq = min(last_seq, after_seq + PIECE_RECORDS)
    records: list[bytes] = []
    for tried in range(1, TRIES + 1):
        records.clear()
        try:
            async for chunk in reader.read(link, after_seq=after_seq, until_seq=until_seq):
                records += chunk
        except StoreUnavailableError as error:
            if tried == TRIES:
                return records, error
            continue
        except StoreError as error:
            return records, error
        break
    return records, None


async def _chain_before(reader: JournalReader, link: LinkId, first_seq: int) -> ChainCheck:
    """What the first record must follow."""
    before = first_seq - 1
    if before < 1:
        return ChainCheck()
    for segment in await reader.segments(link):
        # Where the record before was purged, the chain's place is still known.
        if segment.last_seq == before:
            return ChainCheck(seq=before, head=segment.head)
    stored = await reader.record(link, before)
    if stored is None:
        raise JournalBrokenError(f"record {before} is missing")
    return ChainCheck(seq=before, head=hash_record(stored))


async def dealers_in(
    reader: JournalReader,
    link: LinkId,
    records: Iterable[bytes],
    known: Mapping[int, Signature] = NO_DEALERS,
) -> dict[int, Signature]:
    """Who dealt the settlements among these records, by the record that each of them names.

    `known` are those of the piece before. Sign-ons that were purged are left out.
    """
    dealers: dict[int, Signature] = {}
    for seq in sorted({each for stored in records if (each := _dealt_seq(stored))}):
        if (dealer := known.get(seq) or await _signed_on(reader, link, seq)) is not None:
            dealers[seq] = dealer
    return dealers


def _dealt_seq(stored: bytes) -> int:
    # Few records have it: only settlements with awards.
    if b'"dealt_seq":' not in stored:
        return 0
    event = decode_record(stored).event
    return event.dealt_seq if isinstance(event, RoundSettled | SettledEarly) else 0


async def _signed_on(reader: JournalReader, link: LinkId, seq: int) -> Signature | None:
    try:
        stored = await reader.record(link, seq)
    except StorePurgedError:
        return None
    event = None if stored is None else decode_record(stored).event
    return event.dealer if isinstance(event, DealerSignedOn) else None


async def oldest_seq(reader: JournalReader, link: LinkId) -> int:
    """The oldest record that was not purged."""
    purged = await _last_purged(reader, link)
    return 1 if purged is None else purged.last_seq + 1


async def refuse_purged(reader: JournalReader, link: LinkId, first_seq: int) -> None:
    """Raise StorePurgedError where a record is one of those that were removed."""
    purged = await _last_purged(reader, link)
    if purged is not None and first_seq <= purged.last_seq:
        raise gone(purged)


async def _last_purged(reader: JournalReader, link: LinkId) -> Segment | None:
    purged = [each for each in await reader.segments(link) if each.purged is not None]
    return purged[-1] if purged else None


async def last_before(reader: JournalReader, link: LinkId, at: str, end: JournalEnd) -> int:
    """The number of the last record before a time; 0 where all are later."""
    just_before = (datetime.fromisoformat(at) - timedelta(microseconds=1)).strftime(
        "%Y-%m-%dT%H:%M:%S.%fZ"
    )
    stored = await reader.last_record_until(link, just_before, last_seq=end.seq)
    return 0 if stored is None else decode_record(stored).seq


async def days_at(
    reader: JournalReader, link: LinkId, end: JournalEnd, day: str | None = None
) -> GamingDays | None:
    """How the link counted its days on a gaming day, or counts them now, by its recorded terms.

    None where an older program recorded no house terms.
    """
    landmarks = await reader.acts(link, after_seq=0, until_seq=end.seq, types=LANDMARKS)
    counted: GamingDays | None = None
    for stored in landmarks:
        record = decode_record(stored)
        event = record.event
        if not isinstance(event, LinkOpened | LinkReopened | FloorRecorded | TermsChanged):
            continue
        terms = event.terms
        if terms is None or terms.house is None:
            continue
        days = GamingDays.of(terms.house.time_zone, terms.house.gaming_day_starts)
        if counted is None or day is None or record.at < days.ends(day):
            counted = days
    return counted
