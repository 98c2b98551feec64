"""The simulator's books against the rules themselves: nothing right is blamed, no lie gets by."""

import re
from collections.abc import Callable, Iterator
from random import Random

import pytest
from msgspec import structs

from progressive.client.answers import ServerMessage
from progressive.domain.commands import TableCommand
from progressive.domain.ids import TableId
from progressive.domain.rulebook.rules import LinkRules
from progressive.simulator.bookkeeping import LinkBook, Mismatch
from progressive.simulator.plan import TablePlan
from progressive.simulator.standing import Standing, WrongAnswerError
from progressive.simulator.wins import WinWatch, Won
from progressive.wire.codec import encode
from progressive.wire.table_messages import AwardMessage, Settled
from tests.support.builders import MAJOR, MEGA, MINOR, a_bet, a_buster, a_link
from tests.support.pure_link import PureLink

TABLES = (TableId("BJ-01"), TableId("BJ-02"))
ROUNDS = 250

Lie = Callable[[ServerMessage], ServerMessage]


class Seat:
    """One simulated table at a link of rules."""

    def __init__(self, link: PureLink, table: TableId, seed: int) -> None:
        self.table = table
        self._link = link
        self._plan = TablePlan(Random(f"{seed}/{table}"), seats=7, demo_shoe=True)
        self.at = Standing(table, link.meters)
        self.at.welcomed(link.welcome(table))

    def messages(self) -> Iterator[TableCommand]:
        """Round after round, one message at a time."""
        terms = self._link.terms
        while True:
            lock = self._plan.lock(self.at.next_seq, terms.bets)
            yield lock
            dealt = self._plan.deal(lock, terms)
            early = self._plan.early(self.at.next_seq, lock, dealt, terms)
            if early is not None:
                yield early
            yield self._plan.end(self.at.next_seq, lock, dealt, terms, early=early is not None)


def play(
    rules: LinkRules,
    *,
    seed: int = 1,
    lie: Lie = lambda message: message,
    on_sign: Callable[[Won], list[Won]] = lambda won: [won],
) -> tuple[list[Mismatch], list[AwardMessage]]:
    """What the books find wrong in a game of two tables, and the awards of it."""
    link = PureLink(rules)
    book = LinkBook(link.meters, seq=link.state.seq, cents=link.cents)
    watch = WinWatch(since_seq=link.state.seq, own_tables=TABLES)
    found = watch.connected(link.state.seq, [])
    seats = [Seat(link, table, seed) for table in TABLES]
    games = [(seat, seat.messages()) for seat in seats]
    awards: list[AwardMessage] = []
    for _ in range(ROUNDS):
        for seat, game in games:
            command = next(game)
            seat.at.begins(command)
            seat.at.sends()
            book.sent(seat.table)
            link.wins.clear()
            answer = link.answer(encode(command), seat.table)
            found += watch.moved(link.state.seq)
            accepted = seat.at.accepted(lie(answer))
            found += book.answered(accepted.entry)
            for won in link.wins:
                for shown in on_sign(won):
                    found += watch.shown(shown)
            for won in accepted.won:
                found += watch.awarded(won)
            awards += accepted.awards
    found += watch.finish()
    found += book.finish(seq=link.state.seq, cents=link.cents, others_won=watch.others_won)
    return found, awards


METERS = (MEGA, MAJOR, MINOR)
FLOORS = {
    "the demo floor's": a_link(bets=(a_bet(), a_buster())),
    "clockwise": a_link(payment_order="clockwise"),
    "in equal shares": a_link(payment_order="equal_share"),
    "with the up card": a_link(dealing_option=2),
    "with a limit": a_link(
        meters=tuple(
            structs.replace(meter, limit_cents=meter.reset_cents + 2_000) for meter in METERS
        )
    ),
    "with an overflow that stays": a_link(
        overflow="stay",
        meters=tuple(
            structs.replace(meter, limit_cents=meter.reset_cents + 2_000) for meter in METERS
        ),
    ),
    "with odd rates": a_link(
        meters=tuple(
            structs.replace(meter, rate_ppm=meter.rate_ppm + 123, reset_rate_ppm=4_321)
            for meter in METERS
        )
    ),
    "without a peek": a_link(dealer_procedure="no_peek"),
}


@pytest.mark.parametrize("rules", FLOORS.values(), ids=FLOORS)
@pytest.mark.parametrize("seed", range(3))
def test_a_right_service_is_never_blamed(rules: LinkRules, seed: int) -> None:
    found, awards = play(rules, seed=seed)
    assert [mismatch.line() for mismatch in found] == []
    assert any(award.kind == "meter" for award in awards)


def test_all_kinds_of_awards_were_looked_at() -> None:
    seen = [award for seed in range(5) for award in play(FLOORS["the demo floor's"], seed=seed)[1]]
    assert {award.bet for award in seen} == {"blazing7", "buster"}
    assert {award.status for award in seen} == {"payable", "pending"}
    assert any(award.paid_before_cents for award in seen), "a line that was paid early and grew"
    assert {award.meter for award in seen} >= {"major", "minor", None}


# --- a service that lies ------------------------------------------------------------------------


def about_award(kind: str, **by: int) -> Callable[[], Lie]:
    """One award of the kind is told with other numbers."""

    def lies() -> Lie:
        told = False

        def lie(message: ServerMessage) -> ServerMessage:
            nonlocal told
            if told or not isinstance(message, Settled):
                return message
            for place, award in enumerate(message.awards):
                if award.kind == kind:
                    told = True
                    wrong = {field: getattr(award, field) + more for field, more in by.items()}
                    awards = list(message.awards)
                    awards[place] = structs.replace(award, **wrong)
                    return structs.replace(message, awards=awards)
            return message

        return lie

    return lies


def changed(change: Callable[[Settled], Settled]) -> Callable[[], Lie]:
    """The first settlement with two awards or more is told otherwise."""

    def lies() -> Lie:
        told = False

        def lie(message: ServerMessage) -> ServerMessage:
            nonlocal told
            if told or not isinstance(message, Settled) or len(message.awards) < 2:
                return message
            told = True
            return change(message)

        return lie

    return lies


def _one_less(message: Settled) -> Settled:
    return structs.replace(message, awards=message.awards[:-1])


def _turned_round(message: Settled) -> Settled:
    turned = [
        structs.replace(award, order=order)
        for order, award in enumerate(reversed(message.awards), start=1)
    ]
    return structs.replace(message, awards=turned)


def _as_pending(message: Settled) -> Settled:
    first, *rest = message.awards
    status = "pending" if first.status == "payable" else "payable"
    return structs.replace(message, awards=[structs.replace(first, status=status), *rest])


LIES = {
    "a meter award of a cent more": (
        about_award("meter", amount_cents=1, due_cents=1),
        r"\$[\d,.]+ of (mega|major|minor) for three_7",
    ),
    "a meter award of a cent less": (
        about_award("meter", amount_cents=-1, due_cents=-1),
        r"\$[\d,.]+ of (mega|major|minor) for three_7",
    ),
    "another meter before": (
        about_award("meter", meter_before_cents=100),
        r"(mega|major|minor) at \$[\d,.]+ before three_7",
    ),
    "another meter after": (
        about_award("meter", meter_after_cents=-1),
        r"(mega|major|minor) at \$[\d,.]+ after three_7",
    ),
}
OUTRIGHT_LIES = {
    "a fixed award of a cent more": (about_award("fixed", amount_cents=1), "with amount_cents"),
    "another seat": (about_award("fixed", seat=1), "with seat"),
    "another amount due": (about_award("fixed", due_cents=1), "with due_cents"),
    "a stake kept": (about_award("fixed", stake_returned_cents=-1), "with stake_returned_cents"),
    "an award left out": (changed(_one_less), r"\d+ awards \("),
    "another order": (changed(_turned_round), r"award 1 with "),
    "another status": (changed(_as_pending), r"award 1 with status"),
    "an early settlement that is none": (
        changed(lambda message: structs.replace(message, early=not message.early)),
        "early (True|False)",
    ),
}


@pytest.mark.parametrize(("lies", "told"), LIES.values(), ids=LIES)
def test_a_wrong_cent_about_a_meter_is_one_mismatch(lies: Callable[[], Lie], told: str) -> None:
    # The signs tell the truth, so they differ too where the lie is about what they show.
    found, _ = play(FLOORS["the demo floor's"], lie=lies())
    in_books = [each for each in found if "on the signs" not in each.table]
    assert len(in_books) == 1, [each.line() for each in found]
    assert re.match(told, in_books[0].expected), in_books[0].line()


@pytest.mark.parametrize(("lies", "told"), OUTRIGHT_LIES.values(), ids=OUTRIGHT_LIES)
def test_an_award_that_the_cards_do_not_make_ends_the_tables_play(
    lies: Callable[[], Lie], told: str
) -> None:
    with pytest.raises(WrongAnswerError, match=told):
        play(FLOORS["the demo floor's"], lie=lies())


@pytest.mark.parametrize(
    ("on_sign", "told"),
    [
        (lambda won: [], "at once on the signs"),
        (lambda won: [won, won], "every win once"),
        (lambda won: [structs.replace(won, amount_cents=won.amount_cents + 1)], "win main."),
        (lambda won: [structs.replace(won, next_cents=0)], "win main."),
        (lambda won: [structs.replace(won, award="main.1.1"), won], "no such award"),
    ],
    ids=["not shown", "shown twice", "another amount", "another next", "never awarded"],
)
def test_a_sign_that_shows_something_else_is_found(
    on_sign: Callable[[Won], list[Won]], told: str
) -> None:
    found, _ = play(FLOORS["the demo floor's"], on_sign=on_sign)
    assert found
    assert any(told in mismatch.expected for mismatch in found), found[0].line()
