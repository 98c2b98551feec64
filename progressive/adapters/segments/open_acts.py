"""COLD. The acts in the open part of each journal, as far as somebody has read it.

The open part has no index, and looking through all of it for one act takes a quarter of a second.
A start reads it anyway: what is no table's message is remembered then, and a question reads only
what came since. The hash of the last record that was looked at tells whether what is remembered
still is the journal's: the chain holds all records before it.
"""

import threading
from collections.abc import Sequence
from itertools import dropwhile
from typing import Final

import msgspec
from msgspec import Struct

from progressive.adapters.segments.live_part import LiveView
from progressive.adapters.segments.rows import SegmentRows
from progressive.application.journal.finding import acts_among, finding
from progressive.application.journal.record import GENESIS, JournalBrokenError, hash_record
from progressive.domain.ids import LinkId


class Act(Struct, frozen=True, gc=False):
    """A record that is neither a table's message nor a checkpoint."""

    seq: int
    stored: bytes


class _Noted(Struct):
    until_seq: int
    head: str
    """Hash of that record."""
    acts: list[Act]


class _Chained(Struct):
    seq: int
    prev: str


_chained_decoder: Final = msgspec.json.Decoder(_Chained)


class OpenActs:
    """For all links of a store; for many threads."""

    def __init__(self) -> None:
        self._noted: dict[LinkId, _Noted] = {}
        self.one_at_a_time = threading.Lock()
        """To be held from before a view is taken: no other view may be behind what is noted."""

    def note(self, link: LinkId, rows: SegmentRows, records: Sequence[bytes]) -> None:
        """Remember the acts among consecutive records of the open part that somebody reads."""
        with self.one_at_a_time:
            try:
                noted = self._noted.get(link)
                if noted is None or noted.until_seq < rows.last_seq:
                    noted = _beginning(rows)
                if records and _follows(records[0], noted):
                    self._noted[link] = noted
                    _add(noted, records)
            except JournalBrokenError:
                # It is for the one who reads them to say so.
                self._noted.pop(link, None)

    def of(self, view: LiveView, rows: SegmentRows, link: LinkId) -> Sequence[Act]:
        """All acts of the open part in a view, oldest first.

        Raises JournalBrokenError where a record is unreadable.
        """
        noted = self._noted.get(link)
        if noted is None or noted.until_seq <= rows.last_seq or not _holds(view, link, noted):
            noted = self._noted[link] = _beginning(rows)
        if noted.acts and noted.acts[0].seq <= rows.last_seq:
            noted.acts = list(dropwhile(lambda act: act.seq <= rows.last_seq, noted.acts))
        for records in view.stretch(link, after_seq=noted.until_seq):
            if records:
                _add(noted, records)
        return tuple(noted.acts)


def _beginning(rows: SegmentRows) -> _Noted:
    return _Noted(rows.last_seq, rows.segments[-1].head if rows.segments else GENESIS, [])


def _follows(stored: bytes, noted: _Noted) -> bool:
    """By its number and by the chain: what was noted may have been lost and written again."""
    try:
        first = _chained_decoder.decode(stored)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise JournalBrokenError(f"a record is unreadable: {error}") from None
    return (first.seq, first.prev) == (noted.until_seq + 1, noted.head)


def _holds(view: LiveView, link: LinkId, noted: _Noted) -> bool:
    stored = view.record(link, noted.until_seq)
    return stored is not None and hash_record(stored) == noted.head


def _add(noted: _Noted, records: Sequence[bytes]) -> None:
    acts = [Act(finding(stored).seq, stored) for stored in acts_among(records)]
    until_seq = finding(records[-1]).seq
    noted.acts += acts
    noted.until_seq, noted.head = until_seq, hash_record(records[-1])
