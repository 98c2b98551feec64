"""HOT. The short way through the lock-out that nearly every lock-out is.

One bet with one accepted amount, a chip of it at every lit seat, each beside a base wager at least
as high: there is nothing to refuse, and what it moves depends on the number of wagers alone. So
that is asked of `decide` once, for a specimen of each number, and shared by all rounds after.
`decide` stays the truth; this comes to the same for a plain round and to None for any other.
"""

from collections.abc import Sequence
from operator import add

from msgspec import Struct

from progressive.domain.commands import RegisterWagers, Wager
from progressive.domain.decide import decide, open_link
from progressive.domain.events import MeterFlow, Stake, WagersRegistered
from progressive.domain.evolve import evolve
from progressive.domain.ids import RoundId, TableId
from progressive.domain.ledger import Posting, postings
from progressive.domain.policy import Moment
from progressive.domain.rules import BetRules, LinkRules
from progressive.domain.state import NEW_TABLE, LinkState


class _Moved(Struct, frozen=True, gc=False):
    """What any plain lock-out of one bet with so many wagers moves."""

    stakes: tuple[Stake, ...]
    flows: tuple[MeterFlow, ...]
    hold: int
    postings: tuple[Posting, ...]
    rises: tuple[int, ...]
    """Microcents onto each displayed meter of the link, in the order of the terms."""


class PlainRounds:
    """The plain rounds of one link."""

    def __init__(self, rules: LinkRules) -> None:
        self._seats = rules.seats
        self._bets = {
            bet.id: (amount, _moved_by_count(rules, bet, amount))
            for bet, amount in _plain_bets(rules)
        }

    def lock(
        self, state: LinkState, table: TableId, command: RegisterWagers
    ) -> tuple[WagersRegistered, Sequence[Posting]] | None:
        """What `decide` would say of a plain lock-out, with its postings; None: ask `decide`."""
        placed = command.wagers
        count = command.chips_counted
        if not placed or count != len(placed) or (plain := self._bets.get(placed[0].bet)) is None:
            return None
        bet, (amount, by_count) = placed[0].bet, plain
        seat = 0
        for wager in placed:
            # The seats in their order: so none is lit twice.
            if (
                wager.seat <= seat
                or wager.bet != bet
                or wager.amount_cents != amount
                or wager.base_cents < amount
                or wager.tender != "chip"
            ):
                return None
            seat = wager.seat
        at_table = state.tables.get(table, NEW_TABLE)
        moved = by_count.get(count)
        if (
            moved is None
            or seat > self._seats[table]
            or command.seq != at_table.last_seq + 1
            or at_table.round is not None
            or command.round == at_table.last_round
        ):
            return None
        event = WagersRegistered(
            table=table,
            table_seq=command.seq,
            round=command.round,
            terms_version=state.terms_version,
            wagers=placed,
            chips_counted=count,
            stakes=moved.stakes,
            flows=moved.flows,
            hold=moved.hold,
            meters=tuple(map(add, state.primaries, moved.rises)),
        )
        return event, moved.postings


def _plain_bets(rules: LinkRules) -> list[tuple[BetRules, int]]:
    """Bets whose plain rounds always move the same; a meter near its limit takes less."""
    return [
        (bet, bet.wager_cents)
        for bet in rules.terms.bets
        if bet.wager_cents and bet.meters and not any(meter.limit_cents for meter in bet.meters)
    ]


def _moved_by_count(rules: LinkRules, bet: BetRules, amount_cents: int) -> dict[int, _Moved]:
    """What the plain rounds of a bet move, by the number of their wagers."""
    if not rules.tables:
        return {}
    table = max(rules.tables, key=lambda table: table.seats)
    opened = evolve(LinkState(link=rules.id), open_link(rules))
    moved = {}
    for count in range(1, table.seats + 1):
        wagers = [
            Wager(seat, bet.id, amount_cents, base_cents=amount_cents)
            for seat in range(1, count + 1)
        ]
        specimen = RegisterWagers(1, RoundId("specimen"), tuple(wagers), chips_counted=count)
        # A lock-out asks for no day.
        event = decide(opened, rules, table.id, specimen, Moment("", ""))
        if isinstance(event, WagersRegistered):
            moved[count] = _Moved(
                stakes=event.stakes,
                flows=event.flows,
                hold=event.hold,
                postings=tuple(postings(event)),
                rises=tuple(
                    after - before
                    for after, before in zip(event.meters, opened.primaries, strict=True)
                ),
            )
    return moved
