"""Every message the service sends to a table. Field order is the order on the wire.

What a table sends is in `domain.commands`. `docs/protocol.md` is the reference in words.
"""

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from progressive.domain.commands import Wager
from progressive.domain.options import (
    AwardRounding,
    DealerProcedure,
    OverflowPolicy,
    PaymentOrder,
    Soft17,
    Validation,
)
from progressive.wire.meters import MeterCents


class OpenRoundMessage(Struct, frozen=True):
    """The round a table left open."""

    round: str
    wagers: tuple[Wager, ...]
    state: Literal["locked"] = "locked"
    early_up_card: str | UnsetType = UNSET
    """The dealer's up card where two-card awards were settled before the peek."""


class LineMessage(Struct, frozen=True, omit_defaults=True):
    """What a line of a bet pays: a share of a meter, or so much for one or to one."""

    id: str
    meter: str | None = None
    share_percent: int | None = None
    for_one: int | None = None
    to_one: int | None = None
    per: int = 1
    """With `to_one`: 3 to 2 is `to_one` 3, `per` 2."""
    bonus_cents: int = 0
    """The free bonus on top, for a player with a blackjack who wagered enough."""


class ResetMessage(Struct, frozen=True):
    """What a meter falls back to once it was won whole, besides what its reset meter holds."""

    meter: str
    reset_cents: int
    rate_ppm: int
    """The share of each wager that its reset meter takes; what is on that is not told."""


class BetMessage(Struct, frozen=True, omit_defaults=True):
    """A bet of the link: what may be wagered, and all that it takes to check an award of it."""

    id: str
    game: str
    paytable: str
    wager_cents: int | None = None
    min_cents: int | None = None
    max_cents: int | None = None
    meters: list[str] = []
    dealing_option: int | None = None
    payment_order: PaymentOrder = "counter_clockwise"
    award_rounding: AwardRounding = "nearest"
    free_bonus_min_cents: int = 0
    player_points_max: int | None = None
    lines: list[LineMessage] = []
    """Highest first: where a hand makes several, the first of them is paid."""
    resets: list[ResetMessage] = []
    validation: Validation = "meters"
    """Which fixed awards are `pending` until a supervisor has confirmed them; `every` also leaves
    voids of locked rounds to a supervisor."""
    validation_from_cents: int = 0


class DealingMessage(Struct, frozen=True):
    """How the tables of the link deal, and what they pay themselves."""

    decks: int
    dealer_procedure: DealerProcedure
    soft17: Soft17
    rack_limit_cents: int
    """A fixed award of less is `payable`: from the rack, at once."""
    overflow: OverflowPolicy


class Welcome(Struct, frozen=True, tag="welcome", tag_field="type"):
    """The service speaks first: where the table stands."""

    table: str
    link: str
    epoch: int
    next_seq: int
    round: OpenRoundMessage | None
    bets: list[BetMessage]
    meters: list[MeterCents]
    state: str
    reason: str | None = None
    dealing: DealingMessage | None = None
    base_min_cents: int = 0
    """The least base wager of the table; 0: not stated."""
    base_max_cents: int = 0
    """The greatest; 0: not stated."""


class Locked(Struct, frozen=True, tag="locked", tag_field="type", omit_defaults=True):
    """The wagers are on the meters, durably."""

    seq: int
    round: str
    journal_seq: int
    meters: list[MeterCents]
    repeat: bool = False


class AwardMessage(Struct, frozen=True):
    """An award as tables and pages see it."""

    award: str
    order: int
    seat: int
    bet: str
    line: str
    kind: str
    meter: str | None
    share_percent: int | None
    amount_cents: int
    bonus_cents: int
    status: str
    meter_before_cents: int | None
    meter_after_cents: int | None
    wager_cents: int
    tax_form: str | None
    paid_before_cents: int = 0
    """Of the amount: paid by an early settlement of the round."""
    due_cents: int = 0
    """What is still to be paid: the amount and the bonus, less what was paid early."""
    stake_returned_cents: int = 0
    pays_from: str = ""
    """`rack` or `cage`. Pending and `rack`: the table pays it once a supervisor confirms it. Empty:
    from a service that does not say."""


class Settled(Struct, frozen=True, tag="settled", tag_field="type", omit_defaults=True):
    """The round is over; or, early, its two-card awards are made and it goes on."""

    seq: int
    round: str
    journal_seq: int
    awards: list[AwardMessage]
    meters: list[MeterCents]
    early: bool = False
    repeat: bool = False


class Voided(Struct, frozen=True, tag="voided", tag_field="type", omit_defaults=True):
    """The wagers went back."""

    seq: int
    round: str
    journal_seq: int
    meters: list[MeterCents]
    repeat: bool = False


class ErrorMessage(Struct, frozen=True, tag="error", tag_field="type", omit_defaults=True):
    """Refused: nothing changed, the number stays the next one."""

    seq: int | None
    code: str
    message: str
    expected: int | None = None
