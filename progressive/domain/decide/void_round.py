"""A misdeal: the wagers go back, and contra entries take their contributions off the meters."""

from progressive.domain.commands import VoidRound
from progressive.domain.events import MeterFlow, RoundVoided, WagersRegistered
from progressive.domain.ids import TableId
from progressive.domain.state.link_state import LinkState
from progressive.domain.state.meters import primaries_after


def void_round(
    state: LinkState, table: TableId, command: VoidRound, opened: WagersRegistered
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
        table_seq=command.seq,
        round=command.round,
        reason=command.reason,
        stakes=opened.stakes,
        flows=tuple(flows),
        hold=-hold,
        meters=primaries_after(state, tuple(flows)),
    )
