"""Links, and what tables may do upon them: sensible, hasty, confused.

An action is drawn without knowing the state; `command_of` turns it into a message that fits the
table as it stands, or into one that does not, where the action says so.
"""

from hypothesis import strategies as st
from msgspec import Struct

from progressive.domain.commands import (
    DealerCards,
    RegisterWagers,
    SeatCards,
    SettleRound,
    TableCommand,
    VoidRound,
    Wager,
)
from progressive.domain.ids import BetId, LinkId, MeterId, RoundId, TableId
from progressive.domain.rulebook.rules import BetRules, LinkRules, LinkTerms, MeterRules, TableRules
from progressive.domain.state.link_state import NEW_TABLE, LinkState

TABLES = tuple(TableId(f"T{n}") for n in range(4))
SEATS = 7

RATES_PPM = (0, 1, 7, 123_457, 333_333, 100_000, 200_000)


@st.composite
def links(draw: st.DrawFn, *, limits: bool = True) -> LinkRules:
    """One or two bets with one to three meters each, at awkward rates."""
    bets = []
    for bet in ("blazing7", "side")[: draw(st.integers(1, 2))]:
        meters = []
        left_ppm = 1_000_000
        for number in range(draw(st.integers(1, 3))):
            rate = min(draw(st.sampled_from(RATES_PPM)), left_ppm)
            reset = min(draw(st.sampled_from(RATES_PPM)), left_ppm - rate)
            left_ppm -= rate + reset
            initial = draw(st.integers(0, 3_000))
            limit = draw(st.integers(0, 4_000)) if limits and draw(st.booleans()) else 0
            meters.append(
                MeterRules(
                    id=MeterId(f"{bet}-{number}"),
                    name="",
                    rate_ppm=rate,
                    reset_rate_ppm=reset,
                    initial_cents=initial,
                    limit_cents=limit,
                )
            )
        bets.append(
            BetRules(
                id=BetId(bet),
                game="nj-blazing-7s",
                reader="blazing_sevens",
                paytable="3",
                wager_cents=draw(st.sampled_from((100, 500))),
                meters=tuple(meters),
            )
        )
    bets.append(
        BetRules(
            id=BetId("fixed"),
            game="nj-blazing-7s",
            reader="blazing_sevens",
            paytable="1",
            min_cents=1,
            max_cents=999,
        )
    )
    link = LinkId("main")
    return LinkRules(
        id=link,
        name="Main",
        terms=LinkTerms(decks=6, dealer_procedure="card_reader", soft17="hit", bets=tuple(bets)),
        tables=tuple(TableRules(id=table, link=link, seats=SEATS) for table in TABLES),
    )


class Action(Struct, frozen=True):
    """What a table does next."""

    table: TableId
    kind: str
    """lock, settle, void: what the protocol asks for. resend, reuse, gap, again: what it forbids
    or repeats. nonsense: a lock or a settlement that no rule allows."""
    places: tuple[tuple[int, int, bool], ...] = ()
    """Seat, which bet, coupon or chip."""
    back: int = 0
    """How many messages ago, for resend and reuse; which nonsense."""


places = st.lists(
    st.tuples(st.integers(1, SEATS), st.integers(0, 2), st.booleans()),
    max_size=SEATS,
    unique_by=lambda place: place[:2],
).map(tuple)

honest = st.builds(
    Action,
    table=st.sampled_from(TABLES),
    kind=st.sampled_from(["lock", "lock", "settle", "void"]),
    places=places,
)
confused = st.builds(
    Action,
    table=st.sampled_from(TABLES),
    kind=st.sampled_from(["resend", "reuse", "gap", "again", "nonsense"]),
    places=places,
    back=st.integers(0, 8),
)
actions = st.lists(st.one_of(honest, honest, honest, confused), max_size=40)
honest_actions = st.lists(honest, max_size=40)


def wagers_of(rules: LinkRules, places: tuple[tuple[int, int, bool], ...]) -> tuple[Wager, ...]:
    made = []
    bets = rules.terms.bets
    for seat, which, coupon in places:
        bet = bets[which % len(bets)]
        amount = 37 * seat if bet.wager_cents is None else bet.wager_cents
        made.append(Wager(seat, bet.id, amount, 1_000, "coupon" if coupon else "chip"))
    # Two places may have become the same seat and bet; the second is then left out.
    return tuple({(wager.seat, wager.bet): wager for wager in made}.values())


def chips_on(rules: LinkRules, wagers: tuple[Wager, ...]) -> int:
    bets = rules.terms.bet_by_id
    return sum(wager.tender == "chip" and bool(bets[wager.bet].meters) for wager in wagers)


def command_of(
    action: Action, state: LinkState, rules: LinkRules, sent: dict[tuple[str, int], TableCommand]
) -> TableCommand:
    """The message of an action; `sent` holds every message accepted so far."""
    at_table = state.tables.get(action.table, NEW_TABLE)
    seq = at_table.last_seq + 1
    opened = at_table.round.round if at_table.round else RoundId("none")
    wagers = wagers_of(rules, action.places)
    lock = RegisterWagers(seq, RoundId(f"r{seq}"), wagers, chips_on(rules, wagers))
    match action.kind:
        case "lock" | "again":
            # `again`: whatever is not due now, so mostly a lock upon a lock.
            return lock
        case "settle":
            return SettleRound(seq, opened, complete=False)
        case "void":
            return VoidRound(seq, opened, f"misdeal {seq}")
        case "resend":
            return sent.get((action.table, at_table.last_seq - action.back), lock)
        case "reuse":
            return VoidRound(max(1, at_table.last_seq - action.back), RoundId("reused"), "other")
        case "gap":
            return VoidRound(seq + 1 + action.back, opened, "gap")
        case _:
            return _nonsense(action.back, seq, lock, opened)


def _nonsense(which: int, seq: int, lock: RegisterWagers, opened: RoundId) -> TableCommand:
    a_wager = Wager(1, BetId("blazing7"), 1, 1_000, "chip")
    seat = SeatCards(1, ("7d", "7d"))
    return (
        RegisterWagers(seq, lock.round, lock.wagers, lock.chips_counted + 1),
        RegisterWagers(seq, lock.round, (a_wager,), 1),
        RegisterWagers(seq, lock.round, (Wager(99, BetId("blazing7"), 500, 1),), 1),
        RegisterWagers(seq, lock.round, (Wager(1, BetId("nothing"), 500, 1),), 0),
        SettleRound(seq, RoundId("elsewhere")),
        SettleRound(seq, opened, DealerCards(("xx",)), complete=False),
        SettleRound(seq, opened, DealerCards(("2s",) * 7), complete=False),
        SettleRound(seq, opened, seats=(seat, seat)),
        VoidRound(seq, RoundId("elsewhere"), "x"),
    )[which % 9]
