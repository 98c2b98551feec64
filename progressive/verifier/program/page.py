"""The report of the verifier as a program: one page, what was checked, what it cannot know."""

from collections.abc import Iterator
from typing import Final

from progressive.verifier.findings import shown
from progressive.verifier.program.seals_text import NONE_HERE, NOT_SEALED, moment
from progressive.verifier.program.text import exact, told
from progressive.verifier.program.verify_note import NoteResult, ProvedRecord
from progressive.verifier.program.verify_path import Verified
from progressive.verifier.proof.checkpoint import Checkpoint
from progressive.verifier.reading.audit_pack import VerifiedPack
from progressive.verifier.reading.award_records import ProvedAward
from progressive.verifier.reading.found import VerifyResult

UNSIGNED: Final = "warning: who signed it was not checked: give the house's public key with --key"


def page(path: str, verified: Verified) -> Iterator[str]:
    """All lines; the verdict comes first."""
    yield f"{path}: {verified.what}"
    yield "verified: all of it is good" if verified.ok else "NOT GOOD: see below"
    yield ""
    if verified.journal is not None:
        yield from told(verified.journal)
        yield ""
        yield from _limits(verified.journal)
    if verified.note is not None:
        yield from _note(verified.note)
    if verified.pack is not None:
        yield from _pack(verified.pack)


def _limits(result: VerifyResult) -> Iterator[str]:
    """What nobody can know from what lies there."""
    if all(each.totals is None and each.problem is None for each in result.links):
        yield "Checked: form, numbers and hash chain of the records, and no amount."
        return
    yield "Checked: form and hash chain of every record, every amount from the recorded terms,"
    yield "wagers and cards, every award and who signed it, the totals of every closed day, files"
    yield "of segments, saved states."
    yield "Not known from this: whether cards and chips were as they were keyed; whether people"
    yield "are who their names say; what was recorded after the last record here."
    good = [each for each in result.links if each.problem is None]
    if len(good) < len(result.links):
        yield "Of a link that is not good nothing is known behind the broken thing that is named."
    sealed = [each.seals for each in good if each.seals is not None]
    if len(sealed) < len(good) or not result.links:
        yield "Without seals: whether the whole journal was replaced by another that is as good."
    if not all(each.signatures_checked for each in sealed):
        yield "Without the house's key in --key: whether it was the house that made the seals."
    elif not all(each.witnesses for each in sealed):
        yield "Without a witness's key: whether the house shows everybody the same journal."


def _note(result: NoteResult) -> Iterator[str]:
    if result.problem is not None:
        yield result.problem
    checkpoint = result.checkpoint
    if checkpoint is None:
        return
    yield f"seal of {checkpoint.origin}: {checkpoint.size:,} records, root {checkpoint.root.hex()}"
    if not result.ok:
        return
    yield UNSIGNED if not result.signatures_checked else "signed with the key that was given"
    for each in result.cosigned:
        yield f"cosigned by {each.witness}, {moment(each.at)}"
    if result.record is not None:
        yield from _record(result.record, checkpoint)
    for older in result.older:
        yield (
            f"proved: it extends the older seal of {older.size:,} records, root "
            f"{older.root.hex()}: none of those was changed or removed"
        )
    if result.older:
        yield ""
        yield "Not known from this: what any of the records says, and whether its sums are right."
    if result.award is not None:
        yield ""
        yield from _award(result.award)


def _pack(pack: VerifiedPack) -> Iterator[str]:
    yield from pack.problems
    if pack.records is None:
        yield "the day has no record"
    else:
        # About the seal there is more to say below.
        yield from [line for line in told(pack.records) if line not in (NOT_SEALED, NONE_HERE)]
    if not pack.ok:
        return
    yield f"{pack.files:,} files are as they were packed, and there is none besides"
    if pack.seal is None:
        yield "not sealed: whether all of it was written again since, nobody can tell from this"
        return
    size, last = pack.seal.size, pack.last_seq
    if pack.first_seq and size < last:
        covered = f"the day up to record {size:,}" if size >= pack.first_seq else "no record of it"
    else:
        covered = "the whole day"
    yield f"sealed by {pack.seal.origin}, {size:,} records: {covered}"
    yield f"{pack.proved:,} proofs lead there, and {pack.awards:,} award proofs are good"
    if not pack.signatures_checked:
        yield UNSIGNED
    for witness in pack.witnesses:
        of = "" if witness.seq == size else f" up to record {witness.seq:,} of {size:,}"
        yield f"cosigned by {witness.witness}{of}, {moment(witness.at)}"
    yield ""
    yield "Not known from this: whether the reports are those of these records; whether cards and"
    yield "chips were as they were keyed. Amounts before the day are taken as recorded."


def _record(record: ProvedRecord, seal: Checkpoint) -> Iterator[str]:
    yield (
        f"proved: record {record.seq:,} ({record.at}, {shown(record.type)}), as it was given, is "
        f"number {record.seq:,} of the {seal.size:,} that are sealed"
    )
    yield ""
    yield "Not known from this: whether what it says is right, which takes the records before it;"
    yield "what was recorded after it. Ask for the journal of the house."


def _award(award: ProvedAward) -> Iterator[str]:
    yield f"award {award.award}, made by record {award.record:,} at {award.at}"
    yield f"  table {award.table}, round {award.round}, seat {award.seat}"
    yield f"  bet {award.bet}, line {award.line}, wager {_money(award.wager_cents)}"
    if award.seat_cards:
        yield f"  cards {' '.join(award.seat_cards)}"
    if award.dealer_cards:
        yield f"  dealer {' '.join(award.dealer_cards)}"
    bonus = f", bonus {_money(award.bonus_cents)}" if award.bonus_cents else ""
    yield f"  amount {_money(award.amount_cents)}{bonus}"
    if award.meter_before is not None and award.meter_after is not None:
        yield (
            f"  meter {award.meter}: {exact(award.meter_before)} before, "
            f"{exact(award.meter_after)} after"
        )
    yield ""
    yield "Not known from this: whether the award was validated, paid or voided later. Ask for the"
    yield "journal of the house."


def _money(cents: int) -> str:
    return f"{cents // 100:,}.{cents % 100:02}"
