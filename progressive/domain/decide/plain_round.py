"""HOT. The short way through the round that nearly every round is.

One bet with one accepted amount, a chip of it at every lit seat, each beside a base wager at least
as high that the table takes: there is nothing to refuse, and what it moves depends on the number
of wagers alone. So that is asked of `decide` once, for a specimen of each number, and shared by all
rounds after. And a settlement in which no winner is keyed moves nothing at all, unless the dealer's
hand decides a wager of the round: then it takes that hand.
The meters shown rise with every round; the other accounts, which only the long way looks at, are
posted together before it does. `decide` and `apply` stay the truth: this
gives the same result for a plain round, and `None` for any other.
"""

from collections.abc import Sequence
from operator import add

from msgspec import Struct, structs

from progressive.domain.commands import RegisterWagers, SettleRound, Wager
from progressive.domain.decide.decide import decide, open_link
from progressive.domain.events import PlainWagers, RoundSettled, WagersRegistered
from progressive.domain.games.readers import READERS
from progressive.domain.ids import BetId, RoundId, TableId
from progressive.domain.rulebook.rules import BetRules, LinkRules
from progressive.domain.state.evolve import enter_plainly, evolve, post_locks
from progressive.domain.state.link_state import NEW_TABLE, LinkState
from progressive.domain.text import is_plain
from progressive.domain.time_text import Moment


class _Kind(Struct, frozen=True, eq=False):
    """The plain lock-outs of one bet with so many wagers; told apart by identity."""

    specimen: WagersRegistered
    rises: tuple[int, ...]
    """Microcents onto each displayed meter of the link, in the order of the terms."""


class PlainRounds:
    """The plain rounds of one link; made once."""

    def __init__(self, rules: LinkRules) -> None:
        self.seats = rules.seats
        self.base_limits = rules.base_limits
        self.bets: dict[BetId, tuple[int, dict[int, _Kind]]] = {
            bet.id: (bet.wager_cents, _kinds(rules, bet, bet.wager_cents))
            for bet in rules.terms.bets
            # A meter near its limit takes less than the specimen says.
            if bet.wager_cents and bet.meters and not any(m.limit_cents for m in bet.meters)
        }
        self.decided_by_dealer = frozenset(
            bet.id for bet in rules.terms.bets if READERS[bet.reader].needs_whole_dealer_hand
        )


class PlainRun:
    """Plain rounds upon one working copy."""

    def __init__(self, plain: PlainRounds, draft: LinkState) -> None:
        self._plain = plain
        self._draft = draft
        self._unposted: dict[_Kind, int] = {}

    def lock(self, table: TableId, command: RegisterWagers) -> WagersRegistered | None:
        """Decide a plain lock-out and enter it; None: ask `decide`, nothing has moved."""
        placed = command.wagers
        count = command.chips_counted
        if not placed or count != len(placed):
            return None
        bet = placed[0].bet
        if (plain := self._plain.bets.get(bet)) is None:
            return None
        amount, kinds = plain
        kind = kinds.get(count)
        least, most = self._plain.base_limits[table]
        in_short = _in_short(placed, bet, amount, least if least > amount else amount, most)
        draft = self._draft
        at_table = draft.tables.get(table, NEW_TABLE)
        if (
            kind is None
            or in_short is None
            or in_short.seats[-1] > self._plain.seats[table]
            or command.seq != at_table.last_seq + 1
            or at_table.round is not None
            or command.round == at_table.last_round
            or draft.retired
            or not is_plain(command.round)
        ):
            return None
        alike = kind.specimen
        event = WagersRegistered(
            table=table,
            table_seq=command.seq,
            round=command.round,
            terms_version=draft.terms_version,
            listed=(),
            plain=in_short,
            chips_counted=count,
            stakes=alike.stakes,
            flows=alike.flows,
            hold=alike.hold,
            meters=(*map(add, draft.primaries, kind.rises),),
        )
        enter_plainly(draft, at_table, event, event)
        self._unposted[kind] = self._unposted.get(kind, 0) + 1
        return event

    def settle(self, table: TableId, command: SettleRound) -> RoundSettled | None:
        """Decide a settlement without winners and enter it; None: ask `decide`."""
        if command.seats or command.complete or command.early or command.dealer.cards:
            return None
        draft = self._draft
        at_table = draft.tables.get(table, NEW_TABLE)
        opened = at_table.round
        if (
            opened is None
            or command.seq != at_table.last_seq + 1
            or command.round != opened.round
            or draft.early
            or draft.former_terms
            or (self._plain.decided_by_dealer and not self._is_decided_without_dealer(opened))
        ):
            return None
        event = RoundSettled(
            table=table,
            table_seq=command.seq,
            round=command.round,
            dealer=command.dealer,
            seats=(),
            complete=False,
            meters=draft.primaries,
        )
        enter_plainly(draft, at_table, event, None)
        return event

    def _is_decided_without_dealer(self, opened: WagersRegistered) -> bool:
        """Whether no wager of a round waits for the dealer's hand."""
        plain = opened.plain
        return plain is not None and plain.bet not in self._plain.decided_by_dealer

    def post(self) -> None:
        """Bring the books up to the rounds entered."""
        for kind, times in self._unposted.items():
            post_locks(self._draft, kind.specimen, times=times)
        self._unposted.clear()


def _in_short(
    placed: Sequence[Wager],
    bet: BetId,
    amount_cents: int,
    base_min_cents: int,
    base_max_cents: int,
) -> PlainWagers | None:
    """The wagers as the event keeps them, where every one is a plain one; None where one is not."""
    seats: list[int] = []
    bases: list[int] = []
    last = 0
    for wager in placed:
        seat, base = wager.seat, wager.base_cents
        # The seats in their order: so none is lit twice.
        if (
            seat <= last
            or wager.bet != bet
            or wager.amount_cents != amount_cents
            or base < base_min_cents
            or base > base_max_cents
            or wager.tender != "chip"
        ):
            return None
        seats.append(seat)
        bases.append(base)
        last = seat
    return PlainWagers(bet, amount_cents, tuple(seats), tuple(bases))


def _kinds(rules: LinkRules, bet: BetRules, amount_cents: int) -> dict[int, _Kind]:
    """What `decide` says of a specimen, by the number of wagers."""
    if not rules.tables:
        return {}
    # The limits of base wagers differ from table to table and move nothing: `lock` looks at them.
    tables = [structs.replace(each, base_min_cents=0, base_max_cents=0) for each in rules.tables]
    rules = structs.replace(rules, tables=tuple(tables))
    table = max(tables, key=lambda table: table.seats)
    opened = evolve(LinkState(link=rules.id), open_link(rules))
    kinds = {}
    for count in range(1, table.seats + 1):
        wagers = [
            Wager(seat, bet.id, amount_cents, base_cents=amount_cents)
            for seat in range(1, count + 1)
        ]
        command = RegisterWagers(1, RoundId("specimen"), tuple(wagers), chips_counted=count)
        # A lock-out asks for no day.
        specimen = decide(opened, rules, table.id, command, Moment("", ""))
        if isinstance(specimen, WagersRegistered):
            moved = zip(specimen.meters, opened.primaries, strict=True)
            kinds[count] = _Kind(specimen, tuple(after - before for after, before in moved))
    return kinds
