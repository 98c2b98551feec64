"""The hash tree over the records while they are walked, as far as seals ask for it.

A seal is about the first so many records. The tree is remembered at each of those places, and every
subtree that the writer has stored is held against the records. Nothing is signed or judged here.
"""

from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

from progressive.verifier.proof.merkle import HASH_BYTES, Range
from progressive.verifier.reading.opened_file import plain_file

TREE_HEIGHTS: Final = (8, 16, 24)
"""Subtrees of 256, 65,536 and 16,777,216 records: the writer stores their roots."""
LOG_HASH_DIGITS: Final = 8
_LOSS: Final = b'"event":{"type":"loss_accepted",'
_UNKNOWN: Final = bytes(HASH_BYTES)
"""Stands where the writer does not know a root any more: its records were purged."""


class LossPlace(NamedTuple):
    """A record that says that others are gone: another log of seals begins with it."""

    seq: int
    log: str
    """The last part of the name of that log."""


class TreeStretch:
    """The tree over one stretch of records, and what it was at the places of seals."""

    def __init__(self, tree: Range, wanted: Sequence[int], folder: Path | None) -> None:
        """`wanted`: sizes of the tree that are asked for. `folder`: the seals of the link, where
        they lie beside it."""
        self.tree = tree
        self.at: dict[int, Range] = {}
        self.losses: list[LossPlace] = []
        self.other_subtree: tuple[int, int] | None = None
        """Height and place of the first stored subtree that is not that of the records."""
        self._wanted = sorted(wanted)
        self._folder = folder
        tree.on_subtree = self._compare
        self._remember()

    @property
    def size(self) -> int:
        """Up to which record."""
        return self.tree.end

    def feed(self, body: bytes) -> None:
        """Some records, each with its newline."""
        lines = body.split(b"\n")
        lines.pop()
        if _LOSS in body:
            self._look_for_losses(lines)
        while self._wanted and self._wanted[0] <= self.tree.end + len(lines):
            count = self._wanted[0] - self.tree.end
            self.tree.extend(lines[:count])
            lines = lines[count:]
            self._remember()
        self.tree.extend(lines)

    def join(self, following: "TreeStretch") -> None:
        """The stretch behind it, which was walked by itself."""
        for size, tree in following.at.items():
            whole = self.tree.copy()
            whole.join(tree)
            self.at.setdefault(size, whole)
        self.tree.join(following.tree)
        self.losses += following.losses
        self.other_subtree = self.other_subtree or following.other_subtree

    def __getstate__(self) -> dict[str, object]:
        """For another process: without the function that compares."""
        self.tree.on_subtree = None
        return self.__dict__

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self.tree.on_subtree = self._compare

    def _remember(self) -> None:
        while self._wanted and self._wanted[0] <= self.tree.end:
            if (size := self._wanted.pop(0)) == self.tree.end:
                self.at[size] = self.tree.copy()

    def _look_for_losses(self, lines: Sequence[bytes]) -> None:
        for seq, line in enumerate(lines, self.tree.end + 1):
            if _LOSS in line:
                log = f"{seq}-{sha256(line).hexdigest()[:LOG_HASH_DIGITS]}"
                self.losses.append(LossPlace(seq, log))

    def _compare(self, height: int, place: int, found: bytes) -> None:
        if self._folder is None or height not in TREE_HEIGHTS or self.other_subtree is not None:
            return
        path = self._folder / f"tree-{height}"
        with suppress(OSError), open(path, "rb", buffering=0, opener=plain_file) as file:
            file.seek(place * HASH_BYTES)
            stored = file.read(HASH_BYTES)
            if len(stored) == HASH_BYTES and stored not in (found, _UNKNOWN):
                self.other_subtree = height, place
