"""The lock-outs of which a meter's limit kept something out: they are looked for when it is asked.

A meter that stands at its limit may do so for days, with every lock-out among them: no day book
lists them. Only stretches in which the overflow meter took something are read.
"""

from collections.abc import Sequence

from progressive.application.finance.book import narrow
from progressive.application.finance.book.day_book import DayBook
from progressive.application.journal.ports import JournalReader
from progressive.application.journal.reading import reading
from progressive.domain.ids import LinkId, MeterId
from progressive.domain.rulebook.rules import LinkTerms

_LOCK_OUT = b'"type":"wagers_registered"'


async def limited_by(
    reader: JournalReader, link: LinkId, books: Sequence[DayBook], meter: MeterId
) -> dict[int, int]:
    """By record, what a displayed meter took less than wagers times rate: below zero.

    Raises StoreError and JournalBrokenError.
    """
    found: dict[int, int] = {}
    for book in books:
        overflow = book.flows.get(meter, {}).get("overflow")
        if overflow is None or not overflow.contributions:
            continue
        known: dict[tuple[int, bytes, bytes], int] = {}
        read = reader.read(link, after_seq=overflow.first_seq - 1, until_seq=overflow.last_seq)
        async with reading(read) as chunks:
            async for chunk in chunks:
                for stored in chunk:
                    if _LOCK_OUT not in stored:
                        continue
                    record = narrow.short(stored)
                    event = record.event
                    shape = (event.terms_version, bytes(event.stakes), bytes(event.flows))
                    off = known.get(shape)
                    if off is None:
                        terms = book.closing.terms.get(event.terms_version)
                        off = known[shape] = _off(shape, terms, meter)
                    if off:
                        found[record.seq] = off
    return found


def _off(shape: tuple[int, bytes, bytes], terms: LinkTerms | None, meter: MeterId) -> int:
    _, stakes, flows = shape
    due = 0
    for stake in narrow.stakes_in(stakes):
        rules = None if terms is None else terms.bet_by_id.get(stake.bet)
        cents = stake.chip_cents + stake.coupon_cents
        due += sum(
            cents * each.rate_ppm for each in (rules.meters if rules else ()) if each.id == meter
        )
    return sum(each.primary for each in narrow.flows_in(flows) if each.meter == meter) - due
