"""A link's state as bytes, so that a start need not replay the whole journal.

The journal vouches for it: the `checkpointed` record after it carries its digest.
"""

from hashlib import sha256

import msgspec
from msgspec import Struct

from progressive.application.journal import JournalBrokenError
from progressive.domain.ids import BetId, LinkId, MeterId, TableId
from progressive.domain.ledger import AccountKind
from progressive.domain.rules import LinkTerms
from progressive.domain.state import BetCounters, LinkState, MeterCounters, TableState


class _Snapshot(Struct, frozen=True, forbid_unknown_fields=True):
    """`LinkState` with keys that JSON can write."""

    link: LinkId
    seq: int
    terms: LinkTerms | None
    terms_version: int
    balances: list[tuple[AccountKind, str, int]]
    primaries: tuple[int, ...]
    bet_counters: dict[BetId, BetCounters]
    meter_counters: dict[MeterId, MeterCounters]
    tables: dict[TableId, TableState]


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(_Snapshot)


def encode_state(state: LinkState) -> bytes:
    """The bytes to keep."""
    return _encoder.encode(
        _Snapshot(
            link=state.link,
            seq=state.seq,
            terms=state.terms,
            terms_version=state.terms_version,
            balances=[(kind, of, amount) for (kind, of), amount in state.balances.items()],
            primaries=state.primaries,
            bet_counters=state.bet_counters,
            meter_counters=state.meter_counters,
            tables=state.tables,
        )
    )


def decode_state(body: bytes) -> LinkState:
    """The state again; raises JournalBrokenError where the bytes are none."""
    try:
        kept = _decoder.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise JournalBrokenError(f"unreadable snapshot: {error}") from error
    return LinkState(
        link=kept.link,
        seq=kept.seq,
        terms=kept.terms,
        terms_version=kept.terms_version,
        balances={(kind, of): amount for kind, of, amount in kept.balances},
        primaries=kept.primaries,
        bet_counters=kept.bet_counters,
        meter_counters=kept.meter_counters,
        tables=kept.tables,
    )


def digest_of(body: bytes) -> str:
    """What the journal says of a snapshot."""
    return sha256(body).hexdigest()
