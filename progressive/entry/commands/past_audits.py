"""What the audit in the background remembers of itself, in the form that is stored.

An audit does not depend on it: what cannot be stored is audited again.
"""

import sys
from dataclasses import fields
from typing import Any, Final, get_type_hints

import msgspec
from msgspec import Struct

from progressive.adapters.kept_audits import FileAudits
from progressive.domain.ids import is_id
from progressive.verifier.reading.audited import Audited
from progressive.verifier.reading.handover import Handover
from progressive.verifier.reading.sealed_tree import LossPlace
from progressive.verifier.record import Record
from progressive.verifier.recorded.guard_events import SegmentsPurged

_APART: Final = ("tree", "purges")
"""Of a handover: hashes, and records whose type the decoder would have to guess."""
_hints: Final = get_type_hints(Handover)
_NAMES: Final = tuple(each.name for each in fields(Handover) if each.name not in _APART)
_Found: Final = msgspec.defstruct("_Found", [(name, _hints[name]) for name in _NAMES])


class _Purge(Struct, frozen=True):
    seq: int
    at: str
    prev: str
    event: SegmentsPurged


class _Stored(Struct, frozen=True, kw_only=True):
    link: str
    number: int
    last_seq: int
    head: str
    state: str
    rows: str
    times_hold_from: int
    seals: str | None
    tree: tuple[bytes, ...]
    losses: tuple[LossPlace, ...]
    purges: tuple[_Purge, ...]
    found: _Found  # type: ignore[valid-type]


class PastAudits:
    """`verifier.reading.audited.KeptAudits` in files."""

    def __init__(self, files: FileAudits) -> None:
        self._files = files
        self._newest: dict[str, bytes] = {}
        self._whole_at: dict[str, str] = {}
        """Of the links whose audit goes on from what was kept."""

    def recall(self, link: str) -> Audited | None:
        """What was kept last, and can be used."""
        if not is_id(link) or (kept := self._files.recall(link)) is None:
            return None
        try:
            audited = decoded(kept.audited)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            return None
        self._newest[link], self._whole_at[link] = kept.audited, kept.whole_at
        return audited

    def keep(self, audited: Audited) -> None:
        """Another segment was found good."""
        self._newest[audited.link] = encoded(audited)
        self._write(audited.link)

    def begins_again(self, link: str) -> None:
        """What was recalled is not used: the audit begins at record 1."""
        self._newest.pop(link, None)
        self._whole_at.pop(link, None)

    def ended(self, link: str, *, good: bool) -> None:
        """The audit of a link is over: what was found wrong is looked at from record 1 on again."""
        if not is_id(link):
            return
        if not good:
            try:
                self._files.drop(link)
            except OSError as error:
                _say(link, error)
        elif link in self._newest and not self._whole_at.get(link):
            self._whole_at[link] = self._files.now
            self._write(link)

    def _write(self, link: str) -> None:
        whole_at = self._whole_at.get(link, "")
        try:
            self._files.keep(link, self._newest[link], whole_at=whole_at)
        except OSError as error:
            # A full disk, say: the audit goes on, and begins earlier after a restart.
            _say(link, error)


def encoded(audited: Audited) -> bytes:
    """In the form that is stored."""
    return msgspec.json.encode(
        _Stored(
            link=audited.link,
            number=audited.number,
            last_seq=audited.last_seq,
            head=audited.head,
            state=audited.state,
            rows=audited.rows,
            times_hold_from=audited.times_hold_from,
            seals=audited.seals,
            tree=audited.tree,
            losses=audited.losses,
            purges=tuple([_purge(record) for record in audited.found.purges]),
            found=_Found(**{name: getattr(audited.found, name) for name in _NAMES}),
        )
    )


def decoded(body: bytes) -> Audited:
    """Raises MsgspecError, ValueError where it is none."""
    stored = msgspec.json.decode(body, type=_Stored)
    found: Any = stored.found
    return Audited(
        link=stored.link,
        number=stored.number,
        last_seq=stored.last_seq,
        head=stored.head,
        state=stored.state,
        rows=stored.rows,
        times_hold_from=stored.times_hold_from,
        seals=stored.seals,
        tree=stored.tree,
        losses=stored.losses,
        found=Handover(
            **{name: getattr(found, name) for name in _NAMES},
            purges=[Record(each.seq, each.at, each.prev, each.event) for each in stored.purges],
        ),
    )


def _purge(record: Record) -> _Purge:
    assert isinstance(record.event, SegmentsPurged)  # noqa: S101 - for the type checker
    return _Purge(record.seq, record.at, record.prev, record.event)


def _say(link: str, error: OSError) -> None:
    sys.stderr.write(f"how far the audit of {link} has come is not kept: {error}\n")
