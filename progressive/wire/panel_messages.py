"""What the service says to a dealer's panel, typed. Field order is the order on the wire."""

from msgspec import Struct, structs

from progressive.domain.award_events import AwardMade
from progressive.domain.commands import DealerCards, SeatCards, Wager
from progressive.domain.options import Lammers
from progressive.domain.rulebook.line_names import line_name_on
from progressive.domain.rulebook.rules import LinkRules
from progressive.domain.signatures import Signature
from progressive.wire.codec import award_message
from progressive.wire.meters import MeterCents, NamedMeter
from progressive.wire.table_messages import AwardMessage


class PanelBet(Struct, frozen=True):
    """A bet as the panel offers it."""

    id: str
    game: str
    reader: str
    paytable: str
    wager_cents: int | None
    """The one accepted amount; None where the bet takes a range."""
    min_cents: int
    max_cents: int | None
    needs_base_wager: bool
    capped_by_base_wager: bool
    dealing_option: int | None
    lammers: Lammers | None
    meters: tuple[str, ...]
    """Where there are any the bet sits on acceptors, and its chips are counted."""
    dealer_decides: bool
    """Whether the dealer's hand decides it, whatever the seat's own cards."""


class PanelLammers(Struct, frozen=True):
    """The seats whose side bet carries a lammer."""

    bet: str
    use: Lammers
    seats: list[int]


class PanelAward(AwardMessage, frozen=True, kw_only=True):
    """An award as it stands, and what the dealer does about it now."""

    round: str
    document: str | None
    step: str
    """`pay`, `hold`, `done` or `void`."""
    todo: str
    line_name: str
    """The line as people read it."""
    awaits_round: bool = False
    """Whether a supervisor's confirmation of its round is all that it waits for."""


class PanelEarly(Struct, frozen=True):
    """What was settled before the peek."""

    dealer: DealerCards
    seats: tuple[SeatCards, ...]
    awards: list[PanelAward]


class PanelRound(Struct, frozen=True):
    """The open round."""

    round: str
    wagers: tuple[Wager, ...]
    lammers: list[PanelLammers]
    early: PanelEarly | None
    dealer_decides: bool
    """Whether the settlement begins with the dealer's hand: it decides a wager of the round."""
    early_seats: list[int]
    """Lit seats that are settled on two cards with an ace or a ten up, before the peek."""
    void_needs_supervisor: bool = False
    """Whether the terms leave a misdeal of this round to a supervisor."""


class PanelLast(Struct, frozen=True):
    """How the last round ended."""

    ended: str
    """`settled` or `voided`."""
    round: str
    journal_seq: int
    reason: str | None
    awards: list[PanelAward]
    """In the order of payment."""


class PanelContact(Struct, frozen=True):
    """Who else is there."""

    panels: int


class PanelState(Struct, frozen=True, tag="state", tag_field="type"):
    """All that a panel shows: on connecting and after every change of the table."""

    table: str
    link: str
    seats: int
    base_min_cents: int
    """The least base wager of the table; 0: not stated."""
    base_max_cents: int
    """The greatest; 0: not stated."""
    seq: int
    """The table's last number: what the panel's next message comes after."""
    state: str
    reason: str | None
    dealer: Signature | None
    may_settle_early: bool
    bets: list[PanelBet]
    meters: list[NamedMeter]
    round: PanelRound | None
    last: PanelLast | None
    waiting: list[PanelAward]
    """Awards of earlier rounds that nobody has paid yet."""
    contact: PanelContact
    confirmed: list[PanelAward] = []
    """Payouts of earlier rounds that a supervisor has confirmed since, the last few."""


class PanelSupervised(Struct, frozen=True, tag="supervised", tag_field="type"):
    """Which supervisor is signed in at this panel beside its dealer, and until when."""

    id: str | None
    """Of the message that this answers; null where her time has run out."""
    supervisor: Signature | None
    until: str | None


class PanelWelcome(Struct, frozen=True, tag="welcome", tag_field="type"):
    """The first word on a connection: as whom the service knows this panel."""

    you: Signature


class PanelMeters(Struct, frozen=True, tag="meters", tag_field="type"):
    """The newest displayed meters: they move with every table of the link."""

    seq: int
    meters: list[MeterCents]


class PanelTick(Struct, frozen=True, tag="tick", tag_field="type"):
    """There is contact although nothing moved."""

    at: str


class PanelDone(Struct, frozen=True, tag="done", tag_field="type", omit_defaults=True):
    """It is in the journal. The state that it led to was sent before this."""

    id: str
    seq: int
    journal_seq: int
    repeat: bool = False


class PanelSignedOn(Struct, frozen=True, tag="signed_on", tag_field="type"):
    """Who deals here now."""

    id: str
    dealer: Signature


class PanelQuestion(Struct, frozen=True):
    """What a seat is asked once the dealer has busted."""

    seat: int
    points_max: int | None
    """It must not have more points than this; None: its points do not matter."""
    blackjack: bool
    """Whether a blackjack would earn the free bonus."""


class PanelGuide(Struct, frozen=True):
    """Where the settlement of a round stands that the dealer's hand decides."""

    hand: str
    """The dealer's: `missing`, `unfinished`, `impossible`, `stands` or `bust`."""
    words: str
    """The same for the dealer to read."""
    questions: list[PanelQuestion]
    """By seat, whether they have been answered or not."""


class PanelLooked(Struct, frozen=True, tag="looked", tag_field="type"):
    """The answer to a look."""

    id: str
    lammers: list[PanelLammers]
    guide: PanelGuide | None


class PanelRefused(Struct, frozen=True, tag="refused", tag_field="type", omit_defaults=True):
    """Nothing changed, and why."""

    id: str | None
    code: str
    message: str
    expected: int | None = None


def panel_award(
    rules: LinkRules,
    made: AwardMade,
    *,
    played: str,
    status: str,
    document: str | None,
    step: str,
    todo: str,
    awaits_round: bool = False,
) -> PanelAward:
    """An award with its place in the dealer's work."""
    return PanelAward(
        **structs.asdict(award_message(made, status)),
        round=played,
        document=document,
        step=step,
        todo=todo,
        line_name=line_name_on(rules, made.bet, made.line),
        awaits_round=awaits_round,
    )
