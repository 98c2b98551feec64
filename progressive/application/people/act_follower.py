"""Follows the act log: the records that came since the last look, whoever wrote them."""

import logging
from typing import Final

import msgspec

from progressive.application.journal.ports import StoreError
from progressive.application.people.act_log import ActRecord, decode_act, seq_of_act
from progressive.application.people.ports import ActReader

log = logging.getLogger(__name__)

ACTS_READ: Final = 1_000
"""At the start and at a time: what is further back is not read."""


class ActFollower:
    """One reader of the act log, and how far it has read."""

    def __init__(self, acts: ActReader) -> None:
        self._acts = acts
        self._last_seq: int | None = None
        self._readable = True

    async def new_acts(self) -> list[ActRecord]:
        """What came since the last call, oldest first; nothing while the log cannot be read."""
        try:
            if self._last_seq is None:
                stored = await self._acts.newest_acts(limit=ACTS_READ)
            else:
                stored = await self._acts.acts(after_seq=self._last_seq, limit=ACTS_READ)
            self._readable = True
        except StoreError as error:
            if self._readable:
                log.error("the act log cannot be read", extra={"why": str(error)})
            self._readable = False
            return []
        self._last_seq = self._last_seq or 0
        found: list[ActRecord] = []
        for record in stored:
            self._last_seq = seq_of_act(record)
            try:
                found.append(decode_act(record))
            except msgspec.DecodeError as error:
                # One that another version wrote: the rest is worth showing.
                log.warning("a record of the act log is not understood", extra={"why": str(error)})
        return found
