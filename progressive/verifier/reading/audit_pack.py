"""An audit pack, unpacked: every file against its hash, the day's records, and their seal.

What its reports say is not read: whoever trusts the records can have them made again. Everything
the proofs need lies in the pack; only the key should come from elsewhere.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from progressive.verifier.findings import StoreCorruptError
from progressive.verifier.proof.award_proof import (
    ProofError,
    check_inclusion,
    parse_award_proof,
)
from progressive.verifier.proof.checkpoint import (
    Checkpoint,
    SignatureError,
    check_log_signature,
    cosignatures,
    not_cosigned,
    parse_checkpoint,
)
from progressive.verifier.proof.note import NOTE_BYTES_MAX, NoteError
from progressive.verifier.proof.record_proof import check_consistency, check_record_proof
from progressive.verifier.reading.award_records import proved_award
from progressive.verifier.reading.data_directory import How
from progressive.verifier.reading.export import verify_export
from progressive.verifier.reading.found import VerifyResult
from progressive.verifier.reading.opened_file import plain_file
from progressive.verifier.reading.pack_records import (
    BESIDE,
    RECORDS,
    DayRecords,
    beside_the_day,
    day_records,
    joins,
    lines,
)
from progressive.verifier.reading.pack_sums import SUMS, check_sums
from progressive.verifier.seals_report import WitnessReport

_PROOF: Final = re.compile(r"record-(\d{1,18})\.tlog-proof", re.ASCII)
_SEQ: Final = re.compile(rb'\{"seq":(\d{1,18}),')


@dataclass(frozen=True, slots=True)
class VerifiedPack:
    """What an audit pack proves."""

    problems: tuple[str, ...]
    files: int
    """Whose hashes were compared."""
    records: VerifyResult | None
    """None: the day has no record."""
    first_seq: int = 0
    last_seq: int = 0
    seal: Checkpoint | None = None
    """None: nothing is sealed."""
    proved: int = 0
    """Proofs that lead from a record or an older seal to the seal."""
    awards: int = 0
    """Award proofs of the sample."""
    signatures_checked: bool = False
    witnesses: tuple[WitnessReport, ...] = ()
    """By the seal, or by an older one that it extends. Whoever's key was given is among them."""

    @property
    def ok(self) -> bool:
        """Whether all of it is good."""
        return not self.problems and (self.records is None or self.records.ok)


def is_audit_pack(folder: Path) -> bool:
    """Whether a folder is one that was unpacked."""
    return all((folder / name).is_file() for name in (SUMS, RECORDS, BESIDE))


def verify_pack(folder: Path, how: How) -> VerifiedPack:
    """All of it; problems are named one by one."""
    problems: list[str] = []
    files = check_sums(folder, problems)
    records = None
    if (folder / RECORDS).stat().st_size:
        # Seals lie elsewhere in the pack.
        records = verify_export(folder / RECORDS, replace(how, keys=None))
        if not records.ok:
            return VerifiedPack(tuple(problems), files, records)
    try:
        return _sealed(_Walk(folder, how, problems), files, records)
    except (StoreCorruptError, ProofError, NoteError, SignatureError) as error:
        problems.append(str(error))
        return VerifiedPack(tuple(problems), files, records)


def _sealed(walk: "_Walk", files: int, records: VerifyResult | None) -> VerifiedPack:
    day = walk.day
    # All of them first: each may add problems.
    proved, awards = walk.proofs() + walk.older_seals(), walk.awards()
    walk.check_witnesses()
    return VerifiedPack(
        problems=tuple(walk.problems),
        files=files,
        records=records,
        first_seq=day.first_seq,
        last_seq=day.last_seq,
        seal=walk.seal,
        proved=proved,
        awards=awards,
        signatures_checked=walk.signed,
        witnesses=tuple(walk.witnessed.values()),
    )


class _Walk:
    """The proofs of one pack."""

    def __init__(self, folder: Path, how: How, problems: list[str]) -> None:
        self._folder = folder
        self._keys = how.keys
        self.problems = problems
        self.signed = False
        self.witnessed: dict[str, WitnessReport] = {}
        self.seal = self._newest()
        seals = folder / "seals"
        names = sorted(os.listdir(seals)) if seals.is_dir() else []
        self._proofs = {int(found[1]): each for each in names if (found := _PROOF.fullmatch(each))}
        self._notes = [each for each in names if each.endswith(".note") and each != "newest.note"]
        sampled = dict(self._sampled())
        size = None if self.seal is None else self.seal.size
        self.day: DayRecords = day_records(folder, {*self._proofs, *sampled}, size)
        self._beside = beside_the_day(folder)
        self.problems += joins(self.day, self._beside)
        for seq, stored in sampled.items():
            if self.day.stored.get(seq, stored) != stored:
                self.problems.append(f"record {seq:,} of the sample is not the one of the day")

    def proofs(self) -> int:
        """Every record that the seal must cover is in the sealed journal."""
        if self.seal is None:
            return 0
        size, day = self.seal.size, self.day
        due = {seq for seq in self._beside if seq <= size}
        if day.first_seq and day.first_seq <= size:
            due.add(min(day.last_seq, size))
        for seq in sorted(due - self._proofs.keys()):
            self.problems.append(f"seals/: there is no proof of record {seq:,}")
        for seq, name in self._proofs.items():
            stored = self.day.stored.get(seq) or self._beside.get(seq)
            if stored is None:
                self.problems.append(f"seals/{name}: record {seq:,} is not in the pack")
                continue
            with self._finding(f"seals/{name}") as body:
                check_record_proof(body, seq, stored, self.seal)
        return len(self._proofs)

    def older_seals(self) -> int:
        """The newest seal extends those of the segments."""
        for name in self._notes:
            with self._finding(f"seals/{name}") as body:
                older = parse_checkpoint(body)
                if self.seal is None:
                    raise ProofError("there is no newest seal beside it")
                if older.size <= self.seal.size and older.origin == self.seal.origin:
                    way = f"seals/{name.removesuffix('.note')}.consistency"
                    check_consistency(self._read(way), older, self.seal)
                    self._hear_witnesses(older)
        return len(self._notes)

    def check_witnesses(self) -> None:
        """Whoever gives the key of a witness asks for its word."""
        if self.seal is None or self._keys is None:
            return
        if missing := self._keys.not_among(self.witnessed):
            self.problems.append(f"seals/: {not_cosigned(missing)}")

    def awards(self) -> int:
        """Award proofs of the sample, each by itself."""
        paths = sorted(self._folder.glob("sample/*/*.award-proof"))
        for path in paths:
            with self._finding(path.relative_to(self._folder).as_posix()) as body:
                self._award(body)
        return len(paths)

    def _award(self, body: bytes) -> None:
        proof = parse_award_proof(body)
        check_inclusion(proof)
        proved_award(proof)
        if self._keys is not None and self._keys.can_check_logs:
            check_log_signature(proof.checkpoint, self._keys)

    def _newest(self) -> Checkpoint | None:
        if not (self._folder / "seals" / "newest.note").is_file():
            if self._keys is not None:
                self.problems.append("not sealed: a key was given, and no seal is there")
            return None
        seal = parse_checkpoint(self._read("seals/newest.note"))
        if self._keys is not None:
            if self._keys.can_check_logs:
                check_log_signature(seal, self._keys)
                self.signed = True
            self._hear_witnesses(seal)
        return seal

    def _hear_witnesses(self, seal: Checkpoint) -> None:
        """Who has cosigned a seal that the newest one extends, or the newest one itself."""
        for each in () if self._keys is None else cosignatures(seal, self._keys.witnesses):
            known = self.witnessed.get(each.witness)
            if known is None or (known.seq, known.at) <= (seal.size, each.at):
                self.witnessed[each.witness] = WitnessReport(each.witness, seal.size, each.at)

    @contextmanager
    def _finding(self, path: str) -> Iterator[bytes]:
        """A file whose trouble is a problem of the pack."""
        try:
            yield self._read(path)
        except (ProofError, NoteError, SignatureError, StoreCorruptError) as error:
            self.problems.append(f"{path}: {error}")

    def _read(self, path: str) -> bytes:
        try:
            with open(self._folder / path, "rb", opener=plain_file) as file:
                return file.read(NOTE_BYTES_MAX + 1)
        except FileNotFoundError:
            raise StoreCorruptError(f"{path} is missing") from None

    def _sampled(self) -> Iterator[tuple[int, bytes]]:
        for path in sorted(self._folder.glob(f"sample/*/{RECORDS}")):
            for stored in lines(path):
                if found := _SEQ.match(stored):
                    yield int(found[1]), stored
