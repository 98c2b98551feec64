"""Evidence as one file that is only ever added to: `refused.jsonl`, a line a checkpoint.

Bounded by kind: whoever sends old checkpoints again and again cannot take the room of a fork.
"""

import os
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec

from progressive.adapters.durable import FILE_MODE, sync_folder
from progressive.application.seals.note import NoteError, read_note
from progressive.application.witness.ports import Misbehaviour, Refused
from progressive.common.steps import step

FILE: Final = "refused.jsonl"
EVIDENCE_MAX: Final = 1_000
"""Lines of one kind."""


class EvidenceFile:
    """`application.witness.ports.Evidence` in a witness's data directory."""

    def __init__(self, data: Path) -> None:
        self._path = data / FILE
        self._known: set[tuple[Misbehaviour, str]] = set()
        self._count: Counter[Misbehaviour] = Counter()
        self._torn = False
        """Whether the last line may have no end: its write was cut off."""
        self._load()

    def add(self, refused: Refused) -> bool:
        """One more line, on the disk when this returns."""
        if _known_by(refused) in self._known or self._count[refused.kind] >= EVIDENCE_MAX:
            return False
        line = (b"\n" if self._torn else b"") + msgspec.json.encode(refused) + b"\n"
        is_new_file = not self._path.exists()
        step(f"open {FILE}")
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
        with open(os.open(self._path, flags, FILE_MODE), "ab", buffering=0) as file:
            # Until the line is known to be whole, it is not.
            self._torn = True
            step(f"write {FILE}")
            if file.write(line) != len(line):
                raise OSError(f"{self._path}: only a part could be written")
            step(f"sync {FILE}")
            os.fsync(file.fileno())
        if is_new_file:
            sync_folder(self._path.parent)
        self._torn = False
        self._take(refused)
        return True

    def _take(self, refused: Refused) -> None:
        self._known.add(_known_by(refused))
        self._count[refused.kind] += 1

    def _load(self) -> None:
        try:
            content = self._path.read_bytes()
        except FileNotFoundError:
            return
        self._torn = bool(content) and not content.endswith(b"\n")
        for line in content.split(b"\n"):
            try:
                self._take(msgspec.json.decode(line, type=Refused))
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                # A line that was cut off, or an empty one.
                continue


def _known_by(refused: Refused) -> tuple[Misbehaviour, str]:
    """One checkpoint is one piece of evidence, whatever proof or cosignatures come with it."""
    try:
        text = read_note(refused.note.encode()).text
    except NoteError:
        text = refused.note
    return refused.kind, sha256(text.encode()).hexdigest()
