"""A floor where anything happens by chance, and the verifier looks at every record at once."""

from hashlib import sha256
from random import Random

from msgspec import structs

from progressive.adapters.config.games import shipped_games
from progressive.application.journal.record import GENESIS, encode_record
from progressive.application.link.snapshot import digest_of, encode_state
from progressive.application.link.take_over import terms_digest
from progressive.domain.acts import (
    ApproveCorrection,
    ApprovePayment,
    ApproveTerms,
    ApproveVoid,
    PayAward,
    PersonsAct,
    ProposeCorrection,
    ProposeVoid,
    RefuseCorrection,
    SignOn,
    ValidateAward,
    ValidateRound,
    VoidLockedRound,
    WithdrawVoid,
)
from progressive.domain.cards import DECK, is_natural, total
from progressive.domain.commands import SeatCards, TableCommand, Wager
from progressive.domain.decide.acts import decide_act
from progressive.domain.decide.decide import Repeat, decide, open_link
from progressive.domain.decide.terms import reopen_link
from progressive.domain.events import Event
from progressive.domain.ids import AwardId, MeterId, TableId
from progressive.domain.person_events import CorrectionLeg
from progressive.domain.rejections import Refusal
from progressive.domain.rulebook.paytable import BonusLine, Paytable
from progressive.domain.rulebook.policy import ApprovalRule, ApprovalStep, AwardPolicy, TaxFormRule
from progressive.domain.rulebook.rules import BetRules, LinkRules
from progressive.domain.signatures import Signature
from progressive.domain.state.evolve import apply
from progressive.domain.state.invariants import check_deeply
from progressive.domain.state.link_state import LinkState
from progressive.verifier.link_audit import LinkAudit
from progressive.verifier.record import read_record
from progressive.verifier.recorded.table_events import Checkpointed
from progressive.verifier.report import StoredLink, StoredSnapshot
from progressive.verifier.rules.books import Books
from progressive.verifier.rules.snapshot import check_snapshot
from tests.support.builders import (
    BJ1,
    BJ2,
    BJ3,
    NOW,
    a_bet,
    a_buster,
    a_link,
    a_lock,
    a_meter,
    a_settle,
    a_void,
)

PEOPLE = [
    Signature(name, department)
    for name, department in (
        ("Ann", "pit"), ("ann", "cage"), ("Bob", "pit"), ("Cid", "finance"), ("Dee", "finance"),
        ("Eve", "office"), ("Fox", "office"),
    )
]  # fmt: skip
SUITS_OF_SEVEN = ["7d", "7d", "7d", "7h", "7s", "7c"]
METERS = {"1": ("progressive",), "2": ("progressive",), "3": ("mega", "major", "minor")}


def _paytable(game: str, bet: str, paytable: str) -> Paytable:
    found = next(each for each in shipped_games()[game].bets if each.id == bet).paytable(paytable)
    assert found is not None
    return found


def chance_link(chance: Random) -> LinkRules:
    """Rules of any kind that a floor file may ask for, with odd rates and near limits."""
    sevens = chance.choice("123")
    bets: list[BetRules] = [
        a_bet(
            paytable=sevens,
            lines=_paytable("nj-blazing-7s", "blazing7", sevens).lines,
            dealing_option=chance.choice([1, 1, 2]),
            payment_order=chance.choice(["counter_clockwise", "clockwise", "equal_share"]),
            award_rounding=chance.choice(["nearest", "down", "up"]),
            meters=tuple(
                a_meter(
                    meter,
                    rate_ppm=chance.choice([1, 99_999, 123_457]),
                    reset_rate_ppm=chance.choice([0, 7, 33_333]),
                    initial_cents=(initial := chance.choice([0, 101, 5_003, 5_003])),
                    reset_cents=chance.choice([0, 99, 4_001]),
                    limit_cents=chance.choice([0, 0, initial + 7, initial + 2_003]),
                )
                for meter in METERS[sevens]
            ),
        )
    ]
    if chance.random() < 0.6:
        bets.append(
            a_buster(
                free_bonus_lines=(
                    BonusLine(id="bust_3", cents=77),
                    BonusLine(id="bust_4", cents=9),
                ),
                free_bonus_min_cents=chance.choice([0, 500]),
                player_points_max=chance.choice([None, 27, 21]),
                payment_order=chance.choice(["counter_clockwise", "clockwise"]),
            )
        )
    if chance.random() < 0.4:
        lines = _paytable("ca-101-blackjack-x", "jack_magic", "101").lines
        bets.insert(0, a_buster(id="jack_magic", reader="jack_magic", lines=lines, paytable="101"))
    return a_link(
        bets=tuple([structs.replace(bet, **_validation(chance)) for bet in bets]),
        decks=8,
        dealer_procedure=chance.choice(["card_reader", "card_reader", "no_peek", "hole_face_up"]),
        soft17=chance.choice(["hit", "stand"]),
        overflow=chance.choice(["to_reset_meter", "stay"]),
        policy=AwardPolicy(
            rack_limit_cents=chance.choice([0, 1_001, 50_000]),
            approvals=(
                ApprovalRule(
                    from_day="2020-01-01",
                    clause="-",
                    steps=(
                        ApprovalStep(from_cents=3_000, approvers=1),
                        ApprovalStep(from_cents=9_000, approvers=2),
                    ),
                ),
            ),
            tax_forms=(
                TaxFormRule(
                    from_day="2020-01-01",
                    form="W-2G",
                    least_cents=2_000,
                    least_multiple=3,
                    clause="-",
                ),
            ),
        ),
    )


def _validation(chance: Random) -> dict[str, object]:
    """Half of the bets as they were before there was a choice."""
    setting = chance.choice(["meters", "meters", "every", "from_amount"])
    from_cents = chance.choice([1, 1_400]) if setting == "from_amount" else 0
    return {"validation": setting, "validation_from_cents": from_cents}


class AuditedFloor:
    """The writer's state and the verifier's books, moved by the same records."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        self.rules = chance_link(chance)
        self.state = LinkState(link=self.rules.id)
        self.books = Books(self.rules.id)
        """Every record is read and entered by the general rules."""
        self.audit = LinkAudit(StoredLink(self.rules.id, 1, 0, GENESIS))
        """Plain records are predicted here."""
        self.accepted: list[str] = []
        self.supervised_voids = 0
        self._prev = GENESIS
        self._write(open_link(self.rules))
        if chance.random() < 0.2:
            self._other_terms()

    def step(self) -> None:
        """Something happens."""
        deed = self.chance.choices(
            [self._play, self._act, self._correct, self._sign_on, self._other_terms],
            weights=[10, 16, 2, 1, 1],
        )[0]
        deed()

    def compare(self) -> None:
        """A snapshot of the state against the books, and every sum."""
        body = encode_state(self.state)
        vouching = Checkpointed(state_digest=digest_of(body), meters=self.state.primaries)
        for books in (self.books, self.audit.books):
            check_snapshot(StoredSnapshot(self.state.seq, body), books, vouching=vouching)
            books.check_balance()
        assert self.audit.books.accounts.totals == self.books.accounts.totals
        check_deeply(self.state)

    def _write(self, event: Event) -> None:
        apply(self.state, event)
        stored = encode_record(self.state.seq, NOW.at, self._prev, event)
        self._prev = sha256(stored).hexdigest()
        self.accepted.append(str(type(event).__struct_config__.tag))
        self.books.enter(read_record(stored), stored)
        self.audit.feed(stored)

    # --- tables ------------------------------------------------------------------------------

    def _play(self) -> None:
        table = self.chance.choice([BJ1, BJ2, BJ3])
        at_table = self.state.tables.get(table)
        seq = 1 if at_table is None else at_table.last_seq + 1
        opened = None if at_table is None else at_table.round
        if opened is None:
            self._send(table, self._lock(seq))
            return
        wagered = sorted({wager.seat for wager in opened.wagers})
        if self.chance.random() < 0.08:
            self._send(table, a_void(seq, round=opened.round))
            act = VoidLockedRound(table, opened.round, "misdeal", self._someone())
            self.supervised_voids += self._ask(act) is not None
        elif self.chance.random() < 0.2:
            up = self.chance.choice(["As", "Kd", "9c"])
            pair = {seat: " ".join(self._hand()[:2]) for seat in wagered[:1]}
            self._send(table, a_settle(seq, round=opened.round, seats=pair, dealer=up, early=True))
        else:
            self._settle(table, seq, opened.round, wagered)

    def _settle(self, table: TableId, seq: int, played: str, wagered: list[int]) -> None:
        early = self.state.early.get(table)
        before = {} if early is None else {each.seat: each.cards for each in early.seats}
        dealer = self._dealer("" if early is None else early.dealer.cards[0])
        complete = self.chance.random() < 0.7
        seats = wagered if complete else wagered[-self.chance.randint(0, 3) :]
        cards = tuple(
            self._answer(seat)
            if not complete and self.chance.random() < 0.5
            else self._seat(
                seat, [*before[seat], *self._cards(1)] if seat in before else self._hand()
            )
            for seat in seats
        )
        settle = a_settle(
            seq, round=played, seats=cards, dealer=" ".join(dealer), complete=complete
        )
        self._send(table, settle)

    def _seat(self, seat: int, cards: list[str]) -> SeatCards:
        if self.chance.random() < 0.2:
            cards = cards[:2]
        elif cards[0][0] == cards[1][0] and self.chance.random() < 0.3:
            cards = [*cards, *self._cards(1)]
            hands = ((cards[0], cards[2]), (cards[1], cards[3]))
            return SeatCards(seat, tuple(cards), hands)
        return SeatCards(seat, tuple(cards))

    def _answer(self, seat: int) -> SeatCards:
        """What a dealer says instead of keying a seat's cards, asked or not."""
        said = [{"blackjack": False}, {"points_over": True}, {"points_over": False}]
        both = {"blackjack": False, "points_over": False}
        return SeatCards(seat, **self.chance.choice([*said, both]))

    def _lock(self, seq: int) -> TableCommand:
        wagers: list[Wager] = []
        chips = 0
        for bet in self.rules.terms.bets:
            for seat in self.chance.sample(range(1, 8), self.chance.randint(0, 4)):
                tender = self.chance.choice(["chip", "coupon"])
                cents = bet.wager_cents or self.chance.choice([100, 333, 700])
                wagers.append(Wager(seat, bet.id, cents, 2_500, tender))
                chips += bool(bet.meters) and tender == "chip"
        return a_lock(seq, wagers=wagers, chips_counted=chips)

    def _hand(self) -> list[str]:
        """Three 7s of a kind far more often than any shoe would deal them."""
        suits = self.chance.choice(["ddd", "hhh", "sss", "ccc", "hdh", "scs", "scs", "shd", ""])
        return [f"7{suit}" for suit in suits] or self._cards(3)

    def _cards(self, count: int) -> list[str]:
        odd = [*sorted(DECK)[:: self.chance.randint(1, 9)], "As", "Kd", "Js", "Jh"]
        return [
            self.chance.choice(SUITS_OF_SEVEN if self.chance.random() < 0.55 else odd)
            for _ in range(count)
        ]

    def _dealer(self, up: str) -> list[str]:
        hand = [up] if up else self._cards(1)
        while not self._stands(hand):
            hand += self._cards(1)
        return hand

    def _stands(self, hand: list[str]) -> bool:
        counted = total(hand)
        if counted.points == 17 and counted.soft and not is_natural(hand):
            return self.rules.terms.soft17 == "stand"
        return len(hand) > 1 and counted.points >= 17

    def _send(self, table: TableId, command: TableCommand) -> None:
        decision = decide(self.state, self.rules, table, command, NOW)
        assert not isinstance(decision, Repeat)
        if not isinstance(decision, Refusal):
            self._write(decision)

    # --- people ------------------------------------------------------------------------------

    def _someone(self) -> Signature:
        return self.chance.choice(PEOPLE)

    def _act(self) -> None:
        if not self.state.awards:
            return
        of_rack = [each for each in self.state.awards.values() if each.awaits_round]
        if of_rack and self.chance.random() < 0.3:
            # Old ones first, now and then a new one: before the peek of its round, perhaps.
            award = self.chance.choice([of_rack[0], of_rack[-1]])
            self._ask(ValidateRound(award.table, award.round, self._someone()))
            return
        self._act_on_award([each for each, a in self.state.awards.items() if a.made.meter])

    def _act_on_award(self, of_meters: list[AwardId]) -> None:
        # Few of them at a time, so that one gets through to its end.
        others = list(self.state.awards)
        award = self.chance.choice([*of_meters[:3], *of_meters[:3], *others[:2], others[-1]])
        asked: list[PersonsAct] = [
            ValidateAward(award, self._someone()),
            ApprovePayment(award, self._someone()),
            PayAward(award, self._someone(), self.chance.choice([None, None, f"M-{award}"])),
            ProposeVoid(award, self._someone(), "a doubt"),
            WithdrawVoid(award, self._someone()),
            ApproveVoid(award, self._someone()),
        ]
        self._ask(self.chance.choices(asked, weights=[2, 2, 3, 2, 1, 3])[0])

    def _correct(self) -> None:
        meter = self.chance.choice([*self.state.meter_counters, MeterId("royal")])
        part = self.chance.choice(["primary", "reset", "overflow"])
        legs = [CorrectionLeg(meter, part, self.chance.choice([-5_000_003, -1, 1, 7_000_001]))]
        if self.chance.random() < 0.5:
            legs.append(CorrectionLeg(meter, "reset", 11))
        waiting = [*self.state.corrections, *self.state.corrections]
        asked: list[PersonsAct] = [ProposeCorrection(self._someone(), "a slip", tuple(legs))]
        asked += [ApproveCorrection(each, self._someone()) for each in waiting]
        asked += [RefuseCorrection(each, self._someone(), "no slip") for each in waiting[:1]]
        self._ask(self.chance.choice(asked))

    def _sign_on(self) -> None:
        dealer = self.chance.choice([*PEOPLE, None])
        self._ask(SignOn(self.chance.choice([BJ1, BJ2]), dealer))

    def _other_terms(self) -> None:
        """Between rounds or in the middle of some, as a start with another floor file does it."""
        rules = chance_link(self.chance)
        if (reopened := reopen_link(self.state, rules.terms)) is not None:
            self._write(reopened)
            self.rules = rules
            return
        act = ApproveTerms(
            rules.terms, terms_digest(rules.terms), self._someone(), "a better floor"
        )
        self._ask(act)
        if self._ask(structs.replace(act, by=self._someone())) == "terms_changed":
            self.rules = rules

    def _ask(self, act: PersonsAct) -> str | None:
        decision = decide_act(self.state, self.rules, act, NOW)
        if isinstance(decision, Refusal):
            return None
        self._write(decision)
        return self.accepted[-1]
