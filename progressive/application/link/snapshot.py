"""A link's state as bytes, so that a start need not replay the whole journal.

The journal vouches for it: the `checkpointed` record after it carries its digest.
"""

from hashlib import sha256

import msgspec
from msgspec import Struct

from progressive.application.journal.record import JournalBrokenError
from progressive.domain.events import SettledEarly
from progressive.domain.ids import BetId, LinkId, MeterId, TableId
from progressive.domain.person_events import CorrectionProposed, RetirementProposed, TermsProposed
from progressive.domain.rulebook.floor_record import FloorRecord
from progressive.domain.rulebook.rules import LinkTerms
from progressive.domain.signatures import Signature
from progressive.domain.state.award_state import Award, WonMeter
from progressive.domain.state.days import Days
from progressive.domain.state.ledger import Account, AccountKind, accounts_of
from progressive.domain.state.link_state import BetCounters, LinkState, MeterCounters, TableState


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
    dealers: dict[TableId, Signature] = {}
    sign_ons: dict[TableId, int] = {}
    early: dict[TableId, SettledEarly] = {}
    awards: list[Award] = []
    won: dict[int, tuple[WonMeter, ...]] = {}
    finals: list[Award] = []
    corrections: list[CorrectionProposed] = []
    documents: int = 0
    manual_documents: list[str] = []
    terms_proposed: TermsProposed | None = None
    former_terms: dict[int, LinkTerms] = {}
    floor: FloorRecord | None = None
    retirement: RetirementProposed | None = None
    retired: bool = False
    days: Days = Days()


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
            dealers=state.dealers,
            sign_ons=state.sign_ons,
            early=state.early,
            awards=list(state.awards.values()),
            won=state.won,
            finals=list(state.finals.values()),
            corrections=list(state.corrections.values()),
            documents=state.documents,
            manual_documents=sorted(state.manual_documents),
            terms_proposed=state.terms_proposed,
            former_terms=state.former_terms,
            floor=state.floor,
            retirement=state.retirement,
            retired=state.retired,
            days=state.days,
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
        balances=_balances(kept),
        primaries=kept.primaries,
        bet_counters=kept.bet_counters,
        meter_counters=kept.meter_counters,
        tables=kept.tables,
        dealers=kept.dealers,
        sign_ons=kept.sign_ons,
        early=kept.early,
        awards={award.made.award: award for award in kept.awards},
        won=kept.won,
        finals={award.made.award: award for award in kept.finals},
        corrections={each.correction: each for each in kept.corrections},
        documents=kept.documents,
        manual_documents=frozenset(kept.manual_documents),
        terms_proposed=kept.terms_proposed,
        former_terms=kept.former_terms,
        floor=kept.floor,
        retirement=kept.retirement,
        retired=kept.retired,
        days=kept.days,
    )


def _balances(kept: _Snapshot) -> dict[Account, int]:
    """Accounts that were added since the snapshot was written begin at nothing."""
    begun = {} if kept.terms is None else dict.fromkeys(accounts_of(kept.terms), 0)
    return begun | {(kind, of): amount for kind, of, amount in kept.balances}


def digest_of(body: bytes) -> str:
    """What the journal says of a snapshot."""
    return sha256(body).hexdigest()
