"""A link without socket, disk or clock: the rules alone answer a simulated table."""

from progressive.application.link.view import wins_of
from progressive.client.answers import ServerMessage, decode_answer
from progressive.domain.decide.decide import Repeat, decide
from progressive.domain.events import RoundSettled
from progressive.domain.ids import TableId
from progressive.domain.rejections import Refusal
from progressive.domain.rounding import floor_cents
from progressive.domain.rulebook.rules import LinkRules
from progressive.domain.state.evolve import apply
from progressive.domain.time_text import Moment
from progressive.entry.table.welcome import bet_message, dealing_message
from progressive.simulator.meter_track import MeterTerms
from progressive.simulator.plan import Spoiled
from progressive.simulator.terms import TableTerms
from progressive.simulator.wins import Won
from progressive.wire.codec import BadMessage, ReceiptEncoder, decode_command
from progressive.wire.meters import MeterCents
from progressive.wire.table_messages import Welcome
from tests.support.builders import NOW, opened_link

TABLE = TableId("BJ-01")


class PureLink:
    """Answers bytes with messages, as a service would, and shows wins as signs would."""

    def __init__(self, rules: LinkRules, when: Moment = NOW) -> None:
        self.rules = rules
        self.state = opened_link(rules)
        self._when = when
        self._encoder = ReceiptEncoder([meter.id for meter in rules.terms.meters])
        self.wins: list[Won] = []

    @property
    def terms(self) -> TableTerms:
        """What a welcome tells."""
        return TableTerms(
            [bet_message(bet) for bet in self.rules.terms.bets], dealing_message(self.rules)
        )

    @property
    def meters(self) -> list[MeterTerms]:
        """What anyone can read of the meters."""
        return [
            MeterTerms(meter.id, bet.id, meter.rate_ppm, meter.limit_cents, currency="USD")
            for bet in self.rules.terms.bets
            for meter in bet.meters
        ]

    @property
    def cents(self) -> list[int]:
        """The displayed meters."""
        return [floor_cents(amount) for amount in self.state.primaries]

    def welcome(self, table: TableId = TABLE) -> Welcome:
        """For a table that has not played yet."""
        meters = [
            MeterCents(meter.id, cents)
            for meter, cents in zip(self.rules.terms.meters, self.cents, strict=True)
        ]
        terms = self.terms
        return Welcome(table, "main", 1, 1, None, terms.bets, meters, "live", None, terms.dealing)

    def answer(self, payload: bytes, table: TableId = TABLE) -> ServerMessage:
        """The answer to a message that must be accepted."""
        sent = decode_command(payload)
        assert not isinstance(sent, BadMessage), sent
        event = decide(self.state, self.rules, table, sent, self._when)
        assert not isinstance(event, Refusal | Repeat), event
        apply(self.state, event)
        if isinstance(event, RoundSettled):
            settled = [(self.state.seq, event)]
            self.wins += [
                Won(w.award, w.seq, w.table, w.seat, w.meter, w.line, w.amount_cents, w.next_cents)
                for w in wins_of(settled, epoch=1)
            ]
        receipt = self.state.tables[table].receipts[-1]
        return decode_answer(self._encoder.encode(receipt, repeat=False))

    def refusal(
        self, spoiled: Spoiled, table: TableId = TABLE
    ) -> tuple[int | None, str, int | None]:
        """The number, code and expectation that a spoiled message is refused with."""
        sent = decode_command(spoiled.payload)
        if isinstance(sent, BadMessage):
            return sent.seq, "BAD_MESSAGE", None
        decided = decide(self.state, self.rules, table, sent, self._when)
        assert isinstance(decided, Refusal), decided
        return sent.seq, decided.code, decided.expected
