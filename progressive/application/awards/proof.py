"""COLD. The award proof: what a winner takes home, as one text that anybody can check.

It holds the stored records of the round, the way from each to a sealed root, and the signed seal.
It must never hold a person's name, so no act of a person is part of it.
"""

import base64
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from progressive.application.awards.round_records import records_before
from progressive.application.awards.sheet import NoSheetError
from progressive.application.journal.ports import JournalReader
from progressive.application.journal.record import JournalBrokenError, decode_record
from progressive.application.seals.merkle import leaf_hash
from progressive.application.seals.proving import Inclusion, SealReading
from progressive.domain.events import RoundSettled, SettledEarly
from progressive.domain.ids import LinkId

FORM: Final = "progressive.award-proof/v1"


class HoldsNamesError(Exception):
    """A record of the round names a person, so it cannot be handed out."""


class AwardProof(Struct, frozen=True):
    """The text, and what of it fits on paper."""

    text: str
    award: str
    leaf: bytes
    """The leaf hash of the record that made the award."""
    size: int
    root: bytes


async def award_proof(
    store: JournalReader,
    seals: SealReading,
    link: LinkId,
    award: str,
    seq: int,
    *,
    last_seq: int,
) -> AwardProof:
    """The proof of an award that record `seq` made.

    Raises NoSheetError, HoldsNamesError, NotSealedError, NotYetSealedError, StoreError and
    JournalBrokenError.
    """
    if not 1 <= seq <= last_seq:
        raise NoSheetError(f"there is no record {seq}")
    stored = await store.record(link, seq)
    if stored is None:
        raise JournalBrokenError(f"record {seq} is missing")
    record = decode_record(stored, seq=seq)
    event = record.event
    if not isinstance(event, RoundSettled | SettledEarly):
        raise NoSheetError(f"record {seq} settles no awards")
    if award not in [made.award for made in event.awards]:
        raise NoSheetError(f"record {seq} made no such award")
    records = [*await records_before(store, link, record, event), (record, stored)]
    for each, _ in records:
        if getattr(each.event, "dealt_by", None) is not None:
            raise HoldsNamesError(
                f"record {each.seq} names the dealer, as older versions wrote it: a proof holds no "
                "names; use the settlement sheet"
            )
    seal, proofs = await seals.inclusions(link, [each.seq for each, _ in records])
    return AwardProof(
        text=_text(award, proofs, seal.note.decode()),
        award=award,
        leaf=leaf_hash(stored),
        size=seal.checkpoint.size,
        root=seal.checkpoint.root,
    )


def _text(award: str, proofs: Sequence[Inclusion], note: str) -> str:
    lines = [FORM, f"award {award}"]
    for each in proofs:
        hashes = [base64.b64encode(hash_).decode() for hash_ in each.hashes]
        lines += [f"record {each.seq}", each.record.decode(), *hashes]
    return "".join([f"{line}\n" for line in (*lines, "")]) + note
