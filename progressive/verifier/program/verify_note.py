"""Seals by themselves, and files that lead from a record, an award or an older seal to one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from progressive.verifier.findings import DiscrepancyError, StoreCorruptError
from progressive.verifier.proof.award_proof import (
    ProofError,
    check_inclusion,
    parse_award_proof,
)
from progressive.verifier.proof.checkpoint import (
    Checkpoint,
    Cosigned,
    Keyring,
    SignatureError,
    check_cosigned,
    check_log_signature,
    parse_checkpoint,
)
from progressive.verifier.proof.note import NoteError
from progressive.verifier.proof.record_proof import (
    Consistency,
    RecordProof,
    check_extends,
    check_included,
    parse_consistency,
    parse_record_proof,
)
from progressive.verifier.reading.award_records import ProvedAward, proved_award
from progressive.verifier.reading.errors import NotReadableHereError
from progressive.verifier.reading.seals import StoredSeal
from progressive.verifier.record import read_record

LINE_BYTES_MAX: Final = 32 << 20


@dataclass(frozen=True, slots=True)
class ProvedRecord:
    """A record that is in the sealed journal."""

    seq: int
    at: str
    type: str


@dataclass(frozen=True, slots=True)
class NoteResult:
    """A seal by itself, or one with what was proved to lead to it."""

    ok: bool
    problem: str | None
    checkpoint: Checkpoint | None = None
    award: ProvedAward | None = None
    signatures_checked: bool = False
    cosigned: tuple[Cosigned, ...] = ()
    record: ProvedRecord | None = None
    older: tuple[Checkpoint, ...] = ()
    """Seals that this one extends."""


def verify_seal(body: bytes, keys: Keyring | None) -> NoteResult:
    """A seal by itself."""
    try:
        checkpoint = parse_checkpoint(body)
    except NoteError as error:
        return NoteResult(False, f"not a seal: {error}")
    return _signed(NoteResult(True, None, checkpoint), keys)


def verify_award(body: bytes, keys: Keyring | None) -> NoteResult:
    """An award proof, which holds all that it is about."""
    try:
        proof = parse_award_proof(body)
        check_inclusion(proof)
        award = proved_award(proof)
    except (ProofError, StoreCorruptError) as error:
        return NoteResult(False, f"not a proof: {error}")
    return _signed(NoteResult(True, None, proof.checkpoint, award), keys)


def verify_record(body: bytes, path: Path, record: Path | None, keys: Keyring | None) -> NoteResult:
    """The proof of one record; raises NotReadableHereError where the record does not come too."""
    try:
        proof = parse_record_proof(body)
    except ProofError as error:
        return NoteResult(False, f"not a proof: {error}")
    if record is None:
        raise NotReadableHereError(
            f"{path} says that record {proof.seq:,} is in a sealed journal, and does not hold it: "
            "give the record with --record FILE (a line of an export)"
        )
    try:
        proved = _proved(proof, _stored(record, proof.seq))
    except (ProofError, DiscrepancyError) as error:
        return NoteResult(False, f"not a proof: {error}", proof.seal)
    return _signed(NoteResult(True, None, proof.seal, record=proved), keys)


def verify_consistency(
    body: bytes, path: Path, kept: Sequence[StoredSeal], keys: Keyring | None
) -> NoteResult:
    """That a seal extends older ones; raises NotReadableHereError where these do not come too."""
    try:
        proof = parse_consistency(body)
    except ProofError as error:
        return NoteResult(False, f"not a proof: {error}")
    if not kept:
        raise NotReadableHereError(
            f"{path} says that a seal extends an older one of {proof.old_size:,} records, and does "
            "not hold that: give it with --seal FILE"
        )
    try:
        older = tuple([_extended(proof, each, keys) for each in kept])
    except (ProofError, SignatureError) as error:
        return NoteResult(False, f"not a proof: {error}", proof.seal)
    return _signed(NoteResult(True, None, proof.seal, older=older), keys)


def _proved(proof: RecordProof, stored: bytes) -> ProvedRecord:
    check_included(proof, stored)
    record = read_record(stored)
    if record.seq != proof.seq:
        raise ProofError(f"record {proof.seq:,} says that it is record {record.seq:,}")
    return ProvedRecord(record.seq, record.at, record.event.TYPE)


def _stored(path: Path, seq: int) -> bytes:
    """The record: the one line of the file, or the line of that number among several."""
    beginning = f'{{"seq":{seq},'.encode()
    first, lines, found = b"", 0, b""
    with open(path, "rb") as file:
        while line := file.readline(LINE_BYTES_MAX):
            lines += 1
            first = first or line
            if line.startswith(beginning):
                found = line
                break
    if not found and lines != 1:
        raise NotReadableHereError(f"--record: {path} does not hold record {seq:,}")
    return (found or first).removesuffix(b"\n")


def _extended(proof: Consistency, seal: StoredSeal, keys: Keyring | None) -> Checkpoint:
    older = seal.checkpoint
    if older is None:
        raise ProofError(f"{seal.file} is not a seal")
    try:
        check_extends(proof, older)
        if keys is not None and keys.can_check_logs:
            check_log_signature(older, keys)
    except (ProofError, SignatureError) as error:
        raise ProofError(f"{seal.file}: {error}") from None
    return older


def _signed(found: NoteResult, keys: Keyring | None) -> NoteResult:
    """With what is known of whoever made the seal."""
    seal = found.checkpoint
    if keys is None or seal is None:
        return found
    try:
        if keys.can_check_logs:
            check_log_signature(seal, keys)
        cosigned = tuple(check_cosigned(seal, keys))
    except SignatureError as error:
        return replace(found, ok=False, problem=str(error))
    return replace(found, signatures_checked=keys.can_check_logs, cosigned=cosigned)
