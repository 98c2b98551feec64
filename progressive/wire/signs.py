"""What a sign must know besides its feed: how it looks, and what is posted beside the amounts.

`GET /v1/signs` and `GET /v1/links/{link}/posted`: the service makes them, relays pass them on.
"""

from msgspec import Struct

from progressive.domain.options import SignLanguage, SignLayout, SignTheme, Soft17


class SignCard(Struct, frozen=True, kw_only=True):
    """A sign as the floor file has it."""

    id: str
    name: str
    link: str
    link_name: str
    floor_name: str
    currency: str
    time_zone: str = ""
    """Where the floor is: times on a sign are its times. Empty: those of the sign's machine."""
    layout: SignLayout = "meters"
    theme: SignTheme = "midnight"
    language: SignLanguage = "en"
    meters: list[str] = []
    """Which meters it shows, in this order; empty: all of its link."""
    bet: str | None = None
    """Which bet's pay lines it posts; None: all of its link."""
    keyed: bool = False
    """Whether only the holder of its key may speak for it."""


class SignCards(Struct, frozen=True):
    """`GET /v1/signs`."""

    signs: list[SignCard]


class PostedLine(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A pay line: a share of a meter, or so much for one or to one."""

    id: str
    """The line in messages, like `three_7_diamonds`."""
    name: str
    """In the rule text's English."""
    names: dict[str, str] = {}
    """By language: `en`, `es`, `zh`."""
    meter: str | None = None
    share_percent: int | None = None
    for_one: int | None = None
    to_one: int | None = None
    per: int = 1
    """With `to_one`: 3 to 2 is `to_one` 3, `per` 2."""
    probability: str | None = None
    """Exact, like `1/250666`."""
    one_in: str | None = None
    """The same for people: one in so many, whole or with one digit, like `250,666` or `13.2`."""


class PostedBonusLine(Struct, frozen=True, kw_only=True):
    """What the free bonus pays on top, for a player with a blackjack who wagered enough."""

    id: str
    name: str
    bonus_cents: int
    names: dict[str, str] = {}
    """By language, as above."""


class PostedMeter(Struct, frozen=True, kw_only=True):
    """A meter's public terms."""

    id: str
    name: str
    reset_cents: int
    limit_cents: int
    """0: none."""
    reset_rate_ppm: int | None = None
    """Share of each wager that gathers in a reserve for the next start; None: not told."""


class PostedBet(Struct, frozen=True, kw_only=True):
    """A bet as it is posted: wins, odds, wager, limits, free bonus."""

    id: str
    name: str
    game: str
    clause: str
    paytable: str
    wager_cents: int | None = None
    """The one accepted amount; else between the two below."""
    min_cents: int | None = None
    max_cents: int | None = None
    lines: list[PostedLine]
    """Highest first: where a hand makes several, the first of them is paid."""
    meters: list[PostedMeter] = []
    payment_order: str
    free_bonus: list[PostedBonusLine] = []
    free_bonus_min_cents: int = 0
    needs_base_wager: bool = True
    """Only beside a wager on the base game."""
    capped_by_base_wager: bool = False
    """It may not exceed that wager."""
    dealing_option: int | None = None
    """Of Blazing 7's; 1: the player's first three cards, 2: the first two and the up card."""
    player_points_max: int | None = None
    """Points above which a player's hand is not paid; None: none are."""


class Posted(Struct, frozen=True, kw_only=True):
    """`GET /v1/links/{link}/posted`."""

    link: str
    link_name: str
    floor_name: str
    currency: str
    decks: int
    soft17: Soft17 = "hit"
    """What the dealer does on a soft 17."""
    bets: list[PostedBet]
    retires_at: str | None = None
    """RFC 3339 UTC: until then the link stays for certain; None: no end is proposed."""
