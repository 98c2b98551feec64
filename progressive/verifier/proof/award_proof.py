"""The proof of one award: some records, that they are in a sealed journal, and the seal.

    progressive.award-proof/v1
    award AWARD
    record SEQ
    the record as it is stored, one line
    its inclusion proof, a hash a line (base64), from the leaf up
    (more records)
    (an empty line)
    the signed checkpoint that all of it leads to

Here the form is read and the hashes are followed. What the records say is judged elsewhere.
"""

from dataclasses import dataclass
from typing import Final

from progressive.verifier.proof.checkpoint import Checkpoint, parse_checkpoint
from progressive.verifier.proof.merkle import HASH_BYTES, leaf_hash, root_by_inclusion
from progressive.verifier.proof.note import NoteError, strict_base64

FIRST_LINE: Final = "progressive.award-proof/v1"
PROOF_BYTES_MAX: Final = 4 << 20
RECORDS_MAX: Final = 3
"""The lock-out, what was settled before the peek, and the settlement."""
_HASHES_MAX: Final = 64
_SEQ_DIGITS_MAX: Final = 19


class ProofError(Exception):
    """Text that is not a proof, or one that proves nothing."""


@dataclass(frozen=True, slots=True)
class ProvedRecord:
    """A record that is in the sealed journal."""

    seq: int
    stored: bytes
    proof: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class AwardProof:
    """What a proof file holds."""

    award: str
    records: tuple[ProvedRecord, ...]
    checkpoint: Checkpoint


def parse_award_proof(body: bytes) -> AwardProof:
    """A proof as it was written; raises ProofError where the text is none."""
    if len(body) > PROOF_BYTES_MAX:
        raise ProofError(f"it has more than {PROOF_BYTES_MAX:,} bytes")
    head, gap, note = body.partition(b"\n\n")
    try:
        lines = head.decode().split("\n")
    except UnicodeDecodeError:
        raise ProofError("it is not UTF-8") from None
    if lines[0] != FIRST_LINE:
        raise ProofError(f"it does not begin with {FIRST_LINE}")
    if not gap:
        raise ProofError("it holds no seal: an empty line and a signed checkpoint must end it")
    if len(lines) < 2 or not lines[1].startswith("award ") or not lines[1][6:].isprintable():
        raise ProofError("its second line does not say which award it is about")
    try:
        checkpoint = parse_checkpoint(note)
        records = _records(lines[2:])
    except NoteError as error:
        raise ProofError(str(error)) from None
    return AwardProof(lines[1][6:], tuple(records), checkpoint)


def check_inclusion(proof: AwardProof) -> None:
    """Raise ProofError unless every record is where it says in the sealed journal."""
    checkpoint, before = proof.checkpoint, 0
    for record in proof.records:
        if record.seq <= before:
            raise ProofError("its records are not in their order")
        before = record.seq
        root = root_by_inclusion(
            leaf_hash(record.stored),
            index=record.seq - 1,
            size=checkpoint.size,
            proof=record.proof,
        )
        if root != checkpoint.root:
            raise ProofError(f"record {record.seq:,} is not in the sealed journal")


def _records(lines: list[str]) -> list[ProvedRecord]:
    found: list[ProvedRecord] = []
    while lines:
        what, _, number = lines.pop(0).partition(" ")
        if what != "record" or not _is_number(number) or not lines:
            raise ProofError("a record is announced by a line `record NUMBER`")
        stored = lines.pop(0).encode()
        hashes: list[bytes] = []
        while lines and not lines[0].startswith("record "):
            hash_ = strict_base64(lines.pop(0), "a hash of its proof")
            if len(hash_) != HASH_BYTES or len(hashes) == _HASHES_MAX:
                raise ProofError("a hash of its proof has another length, or there are too many")
            hashes.append(hash_)
        found.append(ProvedRecord(int(number), stored, tuple(hashes)))
    if not 1 <= len(found) <= RECORDS_MAX:
        raise ProofError(f"it holds {len(found)} records, and one to {RECORDS_MAX} are due")
    return found


def _is_number(text: str) -> bool:
    return (
        text.isascii()
        and text.isdigit()
        and len(text) <= _SEQ_DIGITS_MAX
        and not text.startswith("0")
    )
