"""HOT in a fold. Records decoded only as far as the two common kinds need it.

The rest of a record is skipped, and parts that are the same in thousands of rounds stay bytes, so
that rounds alike can be counted instead of entered. What is rare is decoded whole elsewhere.
"""

from typing import Final

import msgspec
from msgspec import Raw, Struct

from progressive.application.journal.record import JournalBrokenError
from progressive.domain.award_events import MeterFlow
from progressive.domain.commands import Tender
from progressive.domain.events import Stake

LOCK_OUT: Final = "wagers_registered"
SETTLED: Final = "round_settled"
CHECKPOINT: Final = "checkpointed"
NOTHING: Final = Raw(b"")
"""A part that the record does not have."""


class PlainShort(Struct, frozen=True, array_like=True, gc=False):
    """The first three members of `plain`: the base wagers behind them are skipped."""

    bet: str
    amount_cents: int
    seats: tuple[int, ...]


class EventShort(Struct, gc=False):
    """The fields of lock-outs and settlements that the fold looks at."""

    type: str
    table: str = ""
    terms_version: int = 0
    plain: PlainShort | None = None
    wagers: Raw = NOTHING
    stakes: Raw = NOTHING
    flows: Raw = NOTHING
    hold: int = 0
    awards: Raw = NOTHING
    meters: tuple[int, ...] = ()


class RecordShort(Struct, gc=False):
    """A record with its place in the chain."""

    seq: int
    at: str
    prev: str
    event: EventShort


class WagerShort(Struct, frozen=True, gc=False):
    """One wager of those that are listed."""

    bet: str
    amount_cents: int
    tender: Tender = "chip"


_short: Final = msgspec.json.Decoder(RecordShort)
_wagers: Final = msgspec.json.Decoder(tuple[WagerShort, ...])
_stakes: Final = msgspec.json.Decoder(tuple[Stake, ...])
_flows: Final = msgspec.json.Decoder(tuple[MeterFlow, ...])

Wagers = tuple[tuple[str, str, int, int], ...]
"""Bet, tender, cents of each, how many."""


def short(stored: bytes) -> RecordShort:
    """The short form; raises JournalBrokenError."""
    try:
        return _short.decode(stored)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise JournalBrokenError(f"a record is unreadable: {error}") from None


def listed_wagers(stored: bytes) -> Wagers:
    """Wagers that a lock-out lists one by one, counted by kind."""
    if stored in (b"", b"[]"):
        return ()
    counted: dict[tuple[str, str, int], int] = {}
    for wager in _wagers.decode(stored):
        kind = (wager.bet, wager.tender, wager.amount_cents)
        counted[kind] = counted.get(kind, 0) + 1
    return tuple(sorted((*kind, number) for kind, number in counted.items()))


def stakes_in(stored: bytes) -> tuple[Stake, ...]:
    """The stakes of a lock-out."""
    return _stakes.decode(stored) if stored else ()


def flows_in(stored: bytes) -> tuple[MeterFlow, ...]:
    """The flows of a lock-out."""
    return _flows.decode(stored) if stored else ()
