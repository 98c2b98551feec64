"""What the records of an award proof say, once it is known that they are in the sealed journal.

They are the lock-out of the round, what was settled before the peek, and the settlement. No name of
a person may stand in them: a proof is handed to whoever won.
"""

from dataclasses import dataclass
from typing import Final

from progressive.verifier.findings import DiscrepancyError, StoreCorruptError, shown
from progressive.verifier.proof.award_proof import AwardProof
from progressive.verifier.record import Record, read_json, read_record
from progressive.verifier.recorded.award_events import AwardMade
from progressive.verifier.recorded.table_events import RoundSettled, SettledEarly, WagersRegistered

_KINDS: Final = (
    (WagersRegistered, RoundSettled),
    (WagersRegistered, SettledEarly, RoundSettled),
    (WagersRegistered, SettledEarly),
)
_NAMES: Final = frozenset({"by", "dealt_by", "validated_by", "proposed_by"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvedAward:
    """An award as the journal recorded it."""

    award: str
    origin: str
    sealed_records: int
    record: int
    """The settlement that made it."""
    at: str
    table: str
    round: str
    seat: int
    bet: str
    line: str
    seat_cards: tuple[str, ...]
    dealer_cards: tuple[str, ...]
    wager_cents: int
    amount_cents: int
    bonus_cents: int
    meter: str | None
    meter_before: int | None
    meter_after: int | None
    status: str


def proved_award(proof: AwardProof) -> ProvedAward:
    """The award of a proof; raises StoreCorruptError where its records do not make it."""
    try:
        records = [read_record(each.stored) for each in proof.records]
    except DiscrepancyError as error:
        raise StoreCorruptError(str(error)) from None
    for record, told in zip(records, proof.records, strict=True):
        if record.seq != told.seq:
            raise StoreCorruptError(f"record {told.seq:,} says that it is record {record.seq:,}")
        if _NAMES & set(read_json(told.stored)["event"]):
            raise StoreCorruptError(f"record {told.seq:,} holds a person's name: hand it to nobody")
    if tuple([type(record.event) for record in records]) not in _KINDS:
        kinds = ", ".join([record.event.TYPE for record in records])
        raise StoreCorruptError(f"a lock-out and its settlement are due, and it holds {kinds}")
    _check_one_round(records)
    # LINK.RECORD.ORDER, where a name of a link may hold dots itself.
    link = proof.award.rsplit(".", 2)[0]
    if link not in proof.checkpoint.origin.split("/")[1:]:
        raise StoreCorruptError(
            f"award {shown(proof.award)} is sealed for another link: "
            f"{shown(proof.checkpoint.origin)}"
        )
    return _award(proof, records)


def _check_one_round(records: list[Record]) -> None:
    rounds = {
        (event.table, event.round)
        for record in records
        if isinstance(event := record.event, WagersRegistered | SettledEarly | RoundSettled)
    }
    if len(rounds) != 1:
        raise StoreCorruptError("its records are of more than one round")


def _award(proof: AwardProof, records: list[Record]) -> ProvedAward:
    for record in records:
        event = record.event
        if not isinstance(event, SettledEarly | RoundSettled):
            continue
        for made in event.awards:
            if made.award == proof.award:
                return _told(proof, record, event, made)
    raise StoreCorruptError(f"none of its records made award {shown(proof.award)}")


def _told(
    proof: AwardProof, record: Record, event: SettledEarly | RoundSettled, made: AwardMade
) -> ProvedAward:
    seat_cards = next((each.cards for each in event.seats if each.seat == made.seat), ())
    dealer = event.dealer.cards
    return ProvedAward(
        award=made.award,
        origin=proof.checkpoint.origin,
        sealed_records=proof.checkpoint.size,
        record=record.seq,
        at=record.at,
        table=event.table,
        round=event.round,
        seat=made.seat,
        bet=made.bet,
        line=made.line,
        seat_cards=tuple(seat_cards),
        dealer_cards=tuple(dealer),
        wager_cents=made.wager_cents,
        amount_cents=made.amount_cents,
        bonus_cents=made.bonus_cents,
        meter=made.meter,
        meter_before=made.meter_before,
        meter_after=made.meter_after,
        status=made.status,
    )
