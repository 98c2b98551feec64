"""A misdeal: the wagers go back, and contra entries take their contributions off the meters.

The dealer voids it at the table; a supervisor does, where the terms have her confirm every payout:
taking the wagers back is then no more the dealer's alone than paying them is.
"""

from progressive.domain.acts import VoidLockedRound
from progressive.domain.commands import VoidRound
from progressive.domain.events import MeterFlow, RoundVoided, WagersRegistered
from progressive.domain.ids import TableId
from progressive.domain.people.names import same_person
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.rulebook.rules import LinkRules, LinkTerms
from progressive.domain.signatures import Signature
from progressive.domain.state.link_state import NEW_TABLE, LinkState
from progressive.domain.state.meters import primaries_after


def void_needs_supervisor(terms: LinkTerms, opened: WagersRegistered) -> bool:
    """Whether the terms leave this round's void to a supervisor. A round without wagers moves
    nothing: the dealer closes it.
    """
    return any(terms.bet_by_id[stake.bet].validation == "every" for stake in opened.stakes)


def void_round(
    state: LinkState, table: TableId, command: VoidRound, opened: WagersRegistered
) -> RoundVoided | Refusal:
    """What the dealer's void leads to."""
    if (refusal := _paid_early(state, table, opened)) is not None:
        return refusal
    if void_needs_supervisor(state.terms_of(opened.terms_version), opened):
        return Refusal(
            Rejection.NEEDS_APPROVAL,
            f"a supervisor voids round {opened.round}: at the panel, on the pit console, or by "
            f"POST /v1/tables/{table}/rounds/{opened.round}/void; then send this again",
        )
    return _voided(state, table, command.seq, command.reason, opened)


def void_locked_round(
    state: LinkState, rules: LinkRules, act: VoidLockedRound
) -> RoundVoided | Refusal:
    """A supervisor voids a round in the table's place, under the table's next number.

    So the controller that sends its void again is answered as if it had been the one.
    """
    if act.table not in rules.seats:
        return Refusal(Rejection.UNKNOWN_TABLE, f"{rules.id} has no table {act.table!r}")
    at_table = state.tables.get(act.table, NEW_TABLE)
    opened = at_table.round
    if opened is None:
        return Refusal(Rejection.NO_ROUND, f"no round is open at {act.table}")
    if opened.round != act.round:
        return Refusal(Rejection.WRONG_ROUND, f"the open round is {opened.round}, not {act.round}")
    if (refusal := _paid_early(state, act.table, opened)) is not None:
        return refusal
    if not void_needs_supervisor(state.terms_of(opened.terms_version), opened):
        return Refusal(
            Rejection.WRONG_STATUS, f"the dealer voids round {opened.round} at {act.table}"
        )
    dealer = state.dealers.get(act.table)
    if dealer is not None and same_person(dealer, act.by):
        return Refusal(
            Rejection.DEALER_OF_TABLE, f"{act.by.name} deals at {act.table}: somebody else"
        )
    return _voided(state, act.table, at_table.last_seq + 1, act.reason, opened, by=act.by)


def _paid_early(state: LinkState, table: TableId, opened: WagersRegistered) -> Refusal | None:
    """Money has left the rack for this round, or is owed for it: it is settled, not undone."""
    if table not in state.early:
        return None
    return Refusal(
        Rejection.ROUND_HAS_AWARDS,
        f"round {opened.round} has awards that were made before the peek: settle it",
    )


def _voided(
    state: LinkState,
    table: TableId,
    table_seq: int,
    reason: str,
    opened: WagersRegistered,
    *,
    by: Signature | None = None,
) -> RoundVoided:
    """Contra entries for all that the lock-out posted.

    What the round put on a meter may have been won elsewhere since. A meter never falls below
    nothing: the house then bears what it gives back, out of its hold.
    """
    flows: list[MeterFlow] = []
    hold = opened.hold
    for flow in opened.flows:
        back = MeterFlow(
            flow.meter,
            -min(flow.primary, state.balances["primary", flow.meter]),
            -min(flow.reset, state.balances["reset", flow.meter]),
            -min(flow.overflow, state.balances["overflow", flow.meter]),
        )
        hold += flow.primary + flow.reset + flow.overflow
        hold += back.primary + back.reset + back.overflow
        flows.append(back)
    return RoundVoided(
        table=table,
        table_seq=table_seq,
        round=opened.round,
        reason=reason,
        stakes=opened.stakes,
        flows=tuple(flows),
        hold=-hold,
        meters=primaries_after(state, tuple(flows)),
        by=by,
    )
