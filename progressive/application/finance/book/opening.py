"""COLD. Where a link stood before a record, from the nearest thing that is known of it.

A saved state confirmed by the chain holds the amounts, an earlier book or the records themselves
whose money lies on the meters. From there on the records are folded like any others.
"""

import contextlib
from collections.abc import Iterable
from typing import Final

from progressive.application.finance.book.day_book import copied, new_book
from progressive.application.finance.book.fold import Fold
from progressive.application.finance.book.house_money import follow_house
from progressive.application.finance.book.reading import fold_until
from progressive.application.finance.book.register import entry_of, take_step
from progressive.application.finance.book.standing import (
    AwardEntry,
    MeterPast,
    OpenRound,
    Parts,
    Standing,
)
from progressive.application.journal.export import oldest_seq
from progressive.application.journal.finding import finding
from progressive.application.journal.gaming_day import GamingDays
from progressive.application.journal.history import amounts_after
from progressive.application.journal.ports import JournalReader, StoredSnapshot, StorePurgedError
from progressive.application.journal.reading import reading
from progressive.application.journal.record import JournalBrokenError, decode_record
from progressive.application.link.snapshot import decode_state, digest_of
from progressive.domain.award_events import AwardMade
from progressive.domain.events import Checkpointed, RoundSettled, SettledEarly, WagersRegistered
from progressive.domain.ids import AwardId, LinkId, MeterId
from progressive.domain.money import MICROCENTS_PER_CENT
from progressive.domain.rulebook.rules import CLOSE_WITHIN_HOURS, LinkTerms
from progressive.domain.state.award_state import Award
from progressive.domain.state.link_state import LinkState

_EVENT: Final = b'"event":{"type":"'
_SKIPPED: Final = (b'wagers_registered"', b'checkpointed"', b'dealer_signed_on"')
_SETTLED: Final = b'round_settled"'
_FROM_METER: Final = b'"kind":"meter"'


async def standing_before(
    reader: JournalReader, link: LinkId, seq: int, *, known: Standing | None = None
) -> Standing:
    """Where the link stood just before a record. `known`: an earlier standing, which is believed.

    Raises StoreError and JournalBrokenError.
    """
    last = seq - 1
    standing = Standing() if known is None else copied(known)
    if standing.seq == last:
        return standing
    saved = await reader.load_snapshot(link, until_seq=last)
    if saved is not None and saved.seq > standing.seq:
        standing = await _from_state(reader, link, saved, standing)
    return await _folded(reader, link, standing, last)


_ANY_DAY: Final = GamingDays.of("UTC", "00:00")


async def amounts_before(
    reader: JournalReader, link: LinkId, seq: int, *, known: Standing | None
) -> Standing:
    """The same, its amounts from a saved state that the chain confirms and the records since.

    Of `known` is taken whose money lies on the meters, nothing else: to work that out again would
    take every record from the first one on.
    """
    last = seq - 1
    saved = await reader.load_snapshot(link, until_seq=last)
    if saved is None:
        return await standing_before(reader, link, seq)
    if known is None or known.seq < saved.seq:
        standing = await _from_state(reader, link, saved, copied(known or Standing()))
    else:
        standing = await _from_state(reader, link, saved, None)
        standing = await _folded(reader, link, standing, known.seq)
        _take_past(standing, copied(known))
    return await _folded(reader, link, standing, last)


async def _folded(
    reader: JournalReader, link: LinkId, standing: Standing, until_seq: int
) -> Standing:
    # The day does not matter: only where it ends is used.
    book = new_book(link, "1970-01-01", _ANY_DAY.begins("1970-01-01"), _ANY_DAY, standing)
    await fold_until(reader, link, Fold(book), until_seq)
    return book.closing


def _take_past(standing: Standing, of: Standing) -> None:
    """Whose money lies on the meters, as a book of the same record has it."""
    standing.pasts, standing.takings = of.pasts, of.takings
    for award, entry in standing.awards.items():
        if (known := of.awards.get(award)) is not None:
            entry.house_part, entry.hit_before_at = known.house_part, known.hit_before_at


async def _from_state(
    reader: JournalReader, link: LinkId, saved: StoredSnapshot, before: Standing | None
) -> Standing:
    """`before`: from where on it is looked whose money lies on the meters; None: not at all."""
    confirming = await reader.record(link, saved.seq + 1)
    record = None if confirming is None else decode_record(confirming, seq=saved.seq + 1)
    event = None if record is None else record.event
    if record is None or not isinstance(event, Checkpointed):
        raise JournalBrokenError(f"no record confirms the saved state after record {saved.seq}")
    if event.state_digest != digest_of(saved.body):
        raise JournalBrokenError(
            f"the saved state after record {saved.seq} is not the one the journal speaks of"
        )
    standing = _standing_of(decode_state(saved.body), head=record.prev, at=record.at)
    with contextlib.suppress(StorePurgedError):
        if (last := await reader.record(link, saved.seq)) is not None:
            standing.at = finding(last).at
    past = Standing() if before is None else await _past(reader, link, before, standing)
    standing.pasts, standing.takings = past.pasts, past.takings
    for award in list(standing.awards):
        entry = await _followed(reader, link, standing.awards[award], until_seq=saved.seq)
        standing.awards[award] = entry
        for takings in past.takings.values():
            for taking in takings:
                if taking.award == award:
                    entry.house_part, entry.hit_before_at = taking.house_part, taking.hit_before_at
    return standing


async def _past(reader: JournalReader, link: LinkId, before: Standing, until: Standing) -> Standing:
    """Whose money lies on the meters, by the few records that tell it."""
    past = Standing(seq=before.seq, pasts=before.pasts, takings=before.takings)
    oldest = await oldest_seq(reader, link)
    if past.seq + 1 < oldest:
        past = await _after_purge(reader, link, oldest - 1)
    terms = {**before.terms, **until.terms}
    order = [meter.id for meter in (before.present_terms or _no_terms).meters]
    async with reading(reader.read(link, after_seq=past.seq, until_seq=until.seq)) as chunks:
        async for chunk in chunks:
            for stored in _telling(chunk):
                record = decode_record(stored)
                event = record.event
                if (brought := getattr(event, "terms", None)) is not None:
                    terms[getattr(event, "terms_version", 0)] = brought
                    order = [meter.id for meter in brought.meters]
                follow_house(
                    past, record, dict(zip(order, amounts_after(stored).microcents, strict=False))
                )
    return past


_no_terms: Final = LinkTerms(decks=1, dealer_procedure="no_peek", soft17="stand", bets=())


def _telling(records: Iterable[bytes]) -> list[bytes]:
    """Records that move meters otherwise than by a wager, or may."""
    found = []
    for stored in records:
        place = stored.find(_EVENT) + len(_EVENT)
        if stored.startswith(_SKIPPED, place):
            continue
        if stored.startswith(_SETTLED, place) and _FROM_METER not in stored:
            continue
        found.append(stored)
    return found


async def _after_purge(reader: JournalReader, link: LinkId, seq: int) -> Standing:
    """The records that tell are gone: the house's money is taken to be what a reset puts there."""
    saved = await reader.load_snapshot(link, until_seq=seq)
    if saved is None or saved.seq != seq:
        raise JournalBrokenError(
            f"no saved state is left of record {seq}, before which all is gone"
        )
    state = decode_state(saved.body)
    pasts = {}
    for meter in state.terms.meters if state.terms else ():
        put = max(meter.initial_cents, meter.reset_cents) * MICROCENTS_PER_CENT
        house = min(put, state.balances["primary", meter.id])
        pasts[meter.id] = MeterPast(house=house, emptied_seq=seq + 1)
    return Standing(seq=seq, pasts=pasts)


def _standing_of(state: LinkState, *, head: str, at: str) -> Standing:
    meters: dict[MeterId, Parts] = {}
    accounts: dict[str, int] = {}
    for (kind, of), amount in state.balances.items():
        if kind in ("primary", "reset", "overflow"):
            setattr(meters.setdefault(MeterId(of), Parts()), kind, amount)
        else:
            accounts[f"{kind} {of}".strip()] = amount
    floor = state.floor
    present = {} if state.terms is None else {state.terms_version: state.terms}
    return Standing(
        seq=state.seq,
        head=head,
        at=at,
        terms_version=state.terms_version,
        terms=state.former_terms | present,
        program="" if floor is None else floor.program,
        floor="" if floor is None else floor.floor,
        tables=() if floor is None else tuple([table.id for table in floor.tables]),
        close_within_hours=CLOSE_WITHIN_HOURS if floor is None else floor.close_within_hours,
        meters=meters,
        accounts=accounts,
        rounds={
            table: _open_round(at_table.round)
            for table, at_table in state.tables.items()
            if at_table.round is not None
        },
        awards={name: _entry(each) for name, each in state.awards.items() if not each.final},
        corrections=dict(state.corrections),
        terms_proposed=state.terms_proposed,
        dealers={table: dealer.name for table, dealer in state.dealers.items()},
        documents=state.documents,
    )


def _open_round(opened: WagersRegistered) -> OpenRound:
    counted: dict[tuple[str, str, int], int] = {}
    for wager in opened.wagers:
        kind = (wager.bet, wager.tender, wager.amount_cents)
        counted[kind] = counted.get(kind, 0) + 1
    wagers = tuple(sorted((*kind, number) for kind, number in counted.items()))
    return OpenRound(opened.terms_version, wagers, opened.flows)


def _entry(award: Award) -> AwardEntry:
    return AwardEntry(
        made=award.made,
        made_cents=award.made.amount_cents,
        seq=award.journal_seq,
        at=award.at,
        table=award.table,
        round=award.round,
        dealer="" if award.dealt_by is None else award.dealt_by.name,
        last_seq=award.journal_seq,
    )


async def _followed(
    reader: JournalReader, link: LinkId, kept: AwardEntry, *, until_seq: int
) -> AwardEntry:
    """An open award with its cards and every step so far, from the records about it."""
    stored = await reader.record(link, kept.seq)
    if stored is None:
        raise JournalBrokenError(f"record {kept.seq} is missing")
    record = decode_record(stored, seq=kept.seq)
    award = AwardId(kept.made.award)
    entry = entry_of(record, _made_in(record.event, award) or kept.made, dealer=kept.dealer)
    steps = await reader.acts(link, after_seq=kept.seq, until_seq=until_seq, about=[award])
    for each in steps:
        step = decode_record(each)
        take_step(entry, step)
        entry.last_seq = step.seq
    entry.made = kept.made
    return entry


def _made_in(event: object, award: AwardId) -> AwardMade | None:
    awards = event.awards if isinstance(event, RoundSettled | SettledEarly) else ()
    return next((made for made in awards if made.award == award), None)
