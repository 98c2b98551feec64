"""Proofs to a seal as files: of one record (c2sp.org/tlog-proof), of an older seal (consistency).

    c2sp.org/tlog-proof@v1                  old SIZE
    index N                                 a hash a line
    a hash a line, from the leaf up         (an empty line)
    (an empty line)                         the signed checkpoint that extends the older one
    the signed checkpoint

Neither holds what it is about: the record, or the older seal, has to come from elsewhere. Here the
form is read and the hashes are followed. Who signed the seal is asked elsewhere.
"""

import re
from dataclasses import dataclass
from typing import Final

from progressive.verifier.proof.award_proof import ProofError
from progressive.verifier.proof.checkpoint import Checkpoint, parse_checkpoint
from progressive.verifier.proof.merkle import (
    HASH_BYTES,
    is_consistent,
    leaf_hash,
    root_by_inclusion,
)
from progressive.verifier.proof.note import NoteError, strict_base64

RECORD_PROOF: Final = "c2sp.org/tlog-proof@v1"
CONSISTENCY: Final = "old "
PROOF_BYTES_MAX: Final = 1 << 20
_HASHES_MAX: Final = 64
_INDEX: Final = re.compile(r"index (0|[1-9]\d{0,17})", re.ASCII)
_OLD: Final = re.compile(r"old (0|[1-9]\d{0,17})", re.ASCII)


@dataclass(frozen=True, slots=True)
class RecordProof:
    """The way from one record to a seal."""

    seq: int
    hashes: tuple[bytes, ...]
    seal: Checkpoint


@dataclass(frozen=True, slots=True)
class Consistency:
    """The way from an older seal to a newer one."""

    old_size: int
    hashes: tuple[bytes, ...]
    seal: Checkpoint


def parse_record_proof(body: bytes) -> RecordProof:
    """A proof as it was written; raises ProofError where the text is none."""
    lines, seal = _parts(body)
    found = _INDEX.fullmatch(lines[1]) if len(lines) > 1 and lines[0] == RECORD_PROOF else None
    if found is None:
        raise ProofError(f"it does not begin with {RECORD_PROOF} and the place of a record")
    return RecordProof(int(found[1]) + 1, _hashes(lines[2:]), seal)


def parse_consistency(body: bytes) -> Consistency:
    """A proof as it was written; raises ProofError where the text is none."""
    lines, seal = _parts(body)
    if (found := _OLD.fullmatch(lines[0])) is None:
        raise ProofError("it does not begin with the size of an older seal")
    return Consistency(int(found[1]), _hashes(lines[1:]), seal)


def check_included(proof: RecordProof, stored: bytes) -> None:
    """Raise ProofError unless the record is where the proof says in the sealed journal."""
    seal = proof.seal
    root = root_by_inclusion(
        leaf_hash(stored), index=proof.seq - 1, size=seal.size, proof=proof.hashes
    )
    if root != seal.root:
        raise ProofError(f"record {proof.seq:,} is not in the sealed journal")


def check_extends(proof: Consistency, older: Checkpoint) -> None:
    """Raise ProofError unless the seal of the proof extends the older one."""
    seal = proof.seal
    if proof.old_size != older.size:
        raise ProofError(f"it is not about a seal of {older.size:,} records")
    if older.origin != seal.origin:
        raise ProofError(f"it is of another log than the older seal, {older.origin!r}")
    if not is_consistent(older.size, older.root, seal.size, seal.root, proof.hashes):
        raise ProofError("the newest seal does not extend it")


def check_record_proof(body: bytes, seq: int, stored: bytes, seal: Checkpoint) -> None:
    """Raise ProofError unless it shows that a record is in the journal of a seal beside it."""
    proof = parse_record_proof(body)
    if proof.seq != seq:
        raise ProofError(f"it is not a proof of record {seq:,}")
    _check_leads_to(proof.seal, seal)
    check_included(proof, stored)


def check_consistency(body: bytes, older: Checkpoint, seal: Checkpoint) -> None:
    """Raise ProofError unless it shows that a seal beside it extends an older one."""
    proof = parse_consistency(body)
    _check_leads_to(proof.seal, seal)
    check_extends(proof, older)


def _parts(body: bytes) -> tuple[list[str], Checkpoint]:
    if len(body) > PROOF_BYTES_MAX:
        raise ProofError(f"it has more than {PROOF_BYTES_MAX:,} bytes")
    head, gap, note = body.partition(b"\n\n")
    if not gap:
        raise ProofError("it holds no seal")
    try:
        return head.decode().split("\n"), parse_checkpoint(note)
    except UnicodeDecodeError:
        raise ProofError("it is not UTF-8") from None
    except NoteError as error:
        raise ProofError(f"its seal: {error}") from None


def _check_leads_to(told: Checkpoint, seal: Checkpoint) -> None:
    if (told.origin, told.size, told.root) != (seal.origin, seal.size, seal.root):
        raise ProofError("it leads to another seal than the newest one beside it")


def _hashes(lines: list[str]) -> tuple[bytes, ...]:
    if len(lines) > _HASHES_MAX:
        raise ProofError("there are too many hashes")
    try:
        hashes = tuple([strict_base64(line, "a hash of its proof") for line in lines])
    except NoteError as error:
        raise ProofError(str(error)) from None
    if any(len(each) != HASH_BYTES for each in hashes):
        raise ProofError("a hash of its proof has another length")
    return hashes
