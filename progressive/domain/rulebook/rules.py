"""A link's rules in their checked, frozen form.

Built once from the floor file; nothing on the hot path reads configuration again. `LinkTerms` is
the part that decides about money: it is recorded in the journal when a link opens.
"""

from functools import cached_property
from typing import Final

from msgspec import Struct

from progressive.domain.ids import BetId, LinkId, MeterId, SignId, TableId
from progressive.domain.money import CENTS_MAX
from progressive.domain.options import (
    AwardRounding,
    DealerProcedure,
    Lammers,
    OverflowPolicy,
    PaymentOrder,
    SignLanguage,
    SignLayout,
    SignTheme,
    Soft17,
    Validation,
)
from progressive.domain.rulebook.house_terms import HouseTerms
from progressive.domain.rulebook.paytable import BonusLine, Game, PayLine
from progressive.domain.rulebook.policy import AwardPolicy
from progressive.domain.rulebook.retention import Retention

SIGN_LOG_DAYS: Final = 90
SIGN_LOG_MAX_MIB: Final = 8_192
"""Room for 90 days of 180 signs that report every second, day and night."""
CLOSE_WITHIN_HOURS: Final = 24


class MeterRules(Struct, frozen=True, kw_only=True):
    """One meter: what feeds it and what it falls back to."""

    id: MeterId
    name: str
    rate_ppm: int
    """Share of each wager that goes to the displayed (primary) meter."""
    reset_rate_ppm: int = 0
    """Share of each wager that goes to the hidden reset meter."""
    initial_cents: int = 0
    reset_cents: int = 0
    """House-funded part of every reset."""
    limit_cents: int = 0
    """0: none. Contributions above it go to the overflow meter."""


class BetRules(Struct, frozen=True, kw_only=True):
    """One side bet: what may be wagered, by which game it is read, which meters it feeds."""

    id: BetId
    game: str
    reader: str
    """The module of `games/` that reads the cards: games of several states may share one."""
    paytable: str
    dealing_option: int | None = None
    wager_cents: int | None = None
    """The one accepted amount; None where the bet takes a range."""
    min_cents: int = 1
    max_cents: int | None = None
    payment_order: PaymentOrder = "counter_clockwise"
    award_rounding: AwardRounding = "nearest"
    lines: tuple[PayLine, ...] = ()
    """What the paytable pays, highest line first: recorded, as files may change."""
    free_bonus: str | None = None
    free_bonus_lines: tuple[BonusLine, ...] = ()
    free_bonus_min_cents: int = 0
    """The least wager that earns the free bonus."""
    player_points_max: int | None = None
    """Points above which a player's hand spoils the bet; None: none do."""
    lammers: Lammers | None = None
    needs_base_wager: bool = True
    """NJ 13:69F-2.28(f): only a player with a blackjack wager may make the side bet."""
    capped_by_base_wager: bool = False
    validation: Validation = "meters"
    """Which payouts a supervisor validates first. NJ 13:69F-2.28(g)3 asks for it "pursuant to the
    casino licensee's internal control procedures"; awards of meters are validated in any case."""
    validation_from_cents: int = 0
    """With `from_amount`: fixed awards worth so much or more."""
    meters: tuple[MeterRules, ...] = ()

    @property
    def progressive(self) -> bool:
        """Whether the bet sits on acceptor devices whose chips the dealer counts."""
        return bool(self.meters)


class LinkTerms(Struct, frozen=True, kw_only=True, dict=True):
    """What decides about money on a link. Changing any of it is an act with a trace."""

    decks: int
    dealer_procedure: DealerProcedure
    soft17: Soft17
    bets: tuple[BetRules, ...]
    overflow: OverflowPolicy = "to_reset_meter"
    house: HouseTerms | None = None
    """Policy, time zone, names and local rule files. None: an older journal did not record it."""

    @property
    def policy(self) -> AwardPolicy:
        """How the awards of the link are treated."""
        return AwardPolicy() if self.house is None else self.house.policy

    @cached_property
    def bet_by_id(self) -> dict[str, BetRules]:
        """The bets by id."""
        return {bet.id: bet for bet in self.bets}

    @cached_property
    def meters(self) -> tuple[MeterRules, ...]:
        """All meters of the link, in the order of the floor file: the order of every message."""
        return tuple(meter for bet in self.bets for meter in bet.meters)

    @cached_property
    def meter_by_id(self) -> dict[str, MeterRules]:
        """The meters by id."""
        return {meter.id: meter for meter in self.meters}

    @cached_property
    def place_of_meter(self) -> dict[MeterId, int]:
        """Where each meter stands in `meters`."""
        return {meter.id: place for place, meter in enumerate(self.meters)}


class TableRules(Struct, frozen=True, kw_only=True):
    """One gaming table. Seat 1 is at the dealer's left."""

    id: TableId
    link: LinkId
    seats: int
    base_min_cents: int = 0
    """The table's least base wager. 0: not stated, one cent is a base wager."""
    base_max_cents: int = 0
    """0: not stated, a base wager has no upper limit."""


class SignRules(Struct, frozen=True, kw_only=True):
    """One sign on the floor."""

    id: SignId
    link: LinkId
    name: str = ""
    """Where it hangs, for people; empty: its id says enough."""
    layout: SignLayout = "meters"
    theme: SignTheme = "midnight"
    language: SignLanguage = "en"
    meters: tuple[MeterId, ...] = ()
    """Which meters it shows, in this order; empty: all of its link."""
    bet: BetId | None = None
    """Which bet's pay lines it posts; None: all of its link."""


class LinkRules(Struct, frozen=True, kw_only=True, dict=True):
    """A link with its terms and its tables, indexed for the hot path."""

    id: LinkId
    name: str
    terms: LinkTerms
    tables: tuple[TableRules, ...]
    currency: str = ""
    """The floor's, for texts: amounts are cents of it. Empty: not known."""
    absent: bool = False
    """Whether the floor file does not name it: made from its journal, for the money it holds."""
    player_dealer_bets: frozenset[BetId] = frozenset()
    """Bets of games that one of the players banks, for the names of their lines."""

    @property
    def policy(self) -> AwardPolicy:
        """How the link's awards are treated, by the floor file."""
        return self.terms.policy

    @property
    def time_zone(self) -> str:
        """Where the floor is, by the floor file."""
        return "UTC" if self.terms.house is None else self.terms.house.time_zone

    @cached_property
    def seats(self) -> dict[str, int]:
        """Number of seats by table."""
        return {table.id: table.seats for table in self.tables}

    @cached_property
    def table_by_id(self) -> dict[str, TableRules]:
        """The tables by id."""
        return {table.id: table for table in self.tables}

    @cached_property
    def base_limits(self) -> dict[str, tuple[int, int]]:
        """The least and the greatest base wager by table, in cents."""
        return {
            table.id: (max(1, table.base_min_cents), table.base_max_cents or CENTS_MAX)
            for table in self.tables
        }


class FloorRules(Struct, frozen=True, kw_only=True):
    """The whole floor."""

    name: str
    currency: str
    time_zone: str
    gaming_day_starts: str
    jurisdiction: str
    links: tuple[LinkRules, ...]
    signs: tuple[SignRules, ...]
    sign_log_days: int = SIGN_LOG_DAYS
    """How long it is kept what the signs read."""
    sign_log_max_mib: int = SIGN_LOG_MAX_MIB
    """From this size on the log gives up its oldest reports of signs without a key."""
    retention: Retention = Retention()
    """How long journals are kept before two people may purge their oldest part."""
    close_within_hours: int = CLOSE_WITHIN_HOURS
    """After its end a gaming day that is not closed is an alarm."""
    anonymous_relays: bool = False
    """Whether a relay without a key may report for signs without one."""
    games: tuple[Game, ...] = ()
    """The rule texts of its bets, for names and clauses: what they decide is in the terms."""

    lesser_rules: tuple[str, ...] = ()
    """Where a local rule file asks for less than the shipped one, a sentence each."""

    def game(self, game_id: str) -> Game | None:
        """The rule text of that name, or None."""
        return next((game for game in self.games if game.id == game_id), None)
