"""What lies at a path, and the way to verify it."""

from codecs import BOM_UTF8
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from progressive.verifier.program.verify_note import (
    NoteResult,
    verify_award,
    verify_consistency,
    verify_record,
    verify_seal,
)
from progressive.verifier.proof.award_proof import FIRST_LINE, PROOF_BYTES_MAX
from progressive.verifier.proof.record_proof import CONSISTENCY, RECORD_PROOF
from progressive.verifier.reading.audit_pack import VerifiedPack, is_audit_pack, verify_pack
from progressive.verifier.reading.backup import MANIFEST, newest_backup, verify_backup
from progressive.verifier.reading.data_directory import How, data_place, verify_data
from progressive.verifier.reading.errors import NotReadableHereError
from progressive.verifier.reading.export import BEGINNING, GZIP_MAGIC, verify_export
from progressive.verifier.reading.found import VerifyResult
from progressive.verifier.reading.journal_file import FILE_NAME
from progressive.verifier.reading.marks import MARKS_FOLDER
from progressive.verifier.reading.opened_file import plain_file
from progressive.verifier.reading.segment_folder import is_segment_folder, verify_segments

RESTORING: Final = "restoring.json"
_SIGNED: Final = "\n\n\u2014 ".encode()
"""An empty line, and the line of a signature."""


@dataclass(frozen=True, slots=True)
class Verified:
    """What was found at a path; one of the three."""

    what: str
    """What lies there, in words."""
    journal: VerifyResult | None = None
    note: NoteResult | None = None
    pack: VerifiedPack | None = None

    @property
    def ok(self) -> bool:
        """Whether all of it is good."""
        return all(each.ok for each in (self.journal, self.note, self.pack) if each is not None)


def verify_path(path: Path, how: How, record: Path | None = None) -> Verified:
    """All that can be found out. Raises StoreUnavailableError, NotReadableHereError, OSError.

    `record`: the file with the record that a proof is about.
    """
    if path.is_dir():
        _refuse_record(path, record)
        return _folder(path, how)
    if not path.exists():
        raise NotReadableHereError(f"{path} is not there")
    with open(path, "rb", opener=plain_file) as file:
        beginning = file.read(64)
    if not beginning:
        raise NotReadableHereError(f"{path} is empty")
    if beginning.startswith((BEGINNING, GZIP_MAGIC)):
        _refuse_record(path, record)
        return Verified("an export", journal=verify_export(path, how))
    with open(path, "rb", opener=plain_file) as file:
        body = file.read(PROOF_BYTES_MAX + 1)
    _refuse_other_bytes(path, body)
    if _is_consistency(body):
        _refuse_record(path, record)
        note = verify_consistency(body, path, how.kept, how.keys)
        return Verified("a proof that a seal extends an older one", note=note)
    if beginning.startswith(RECORD_PROOF.encode()):
        _refuse_kept(path, how)
        return Verified("the proof of a record", note=verify_record(body, path, record, how.keys))
    is_award = beginning.startswith(FIRST_LINE.encode())
    if not is_award and path.suffix != ".note" and _SIGNED not in body:
        raise NotReadableHereError(
            f"{path} is neither an export (JSON lines), nor a proof, nor a seal"
        )
    _refuse_kept(path, how)
    _refuse_record(path, record)
    if is_award:
        return Verified("an award proof", note=verify_award(body, how.keys))
    return Verified("a seal", note=verify_seal(body, how.keys))


def _refuse_other_bytes(path: Path, body: bytes) -> None:
    """Editors and mail programs change bytes: that says nothing about whoever made the file."""
    text = body.removeprefix(BOM_UTF8).replace(b"\r\n", b"\n")
    ours = (BEGINNING, RECORD_PROOF.encode(), FIRST_LINE.encode())
    if text != body and (text.startswith(ours) or _is_consistency(text) or _SIGNED in text):
        raise NotReadableHereError(
            f"{path} has been through a program that changed its bytes (a byte order mark, or "
            "lines that end with CR LF): take the file as it was made"
        )


def _is_consistency(body: bytes) -> bool:
    """Whether a proof from an older seal stands there."""
    first, _, _ = body.partition(b"\n")
    size = first.removeprefix(CONSISTENCY.encode())
    return size != first and size.isdigit() and b"\n\n" in body


def _refuse_record(path: Path, record: Path | None) -> None:
    if record is not None:
        raise NotReadableHereError(f"--record is for the proof of a record, not for {path}")


def _refuse_kept(path: Path, how: How) -> None:
    if how.kept:
        raise NotReadableHereError(
            "--seal is for data directories, backups, exports and proofs from an older seal, not "
            f"for {path}"
        )


def _folder(path: Path, how: How) -> Verified:
    if (path / RESTORING).exists():
        raise NotReadableHereError(
            f"{path} is half restored ({RESTORING} lies there): run the same `progressive restore` "
            "again, which finishes it"
        )
    if (path / MANIFEST).exists():
        return Verified(f"the backup {path.resolve().name}", journal=verify_backup(path, how))
    if (path / FILE_NAME).exists() or (path / MARKS_FOLDER).is_dir():
        return Verified("a data directory", journal=verify_data(data_place(path), how))
    if is_audit_pack(path):
        _refuse_kept(path, how)
        return Verified("an audit pack", pack=verify_pack(path, how))
    if is_segment_folder(path):
        _refuse_kept(path, how)
        return Verified("a folder of closed segments", journal=verify_segments(path, how))
    if (newest := newest_backup(path)) is not None:
        what = f"the newest backup in {path}, {newest.name}"
        return Verified(what, journal=verify_backup(newest, how))
    raise NotReadableHereError(
        f"{path} is neither a data directory (no {FILE_NAME}), nor a backup, nor a folder of "
        "segments"
    )
