"""The simulator's own sums: a right service is never blamed, a wrong cent is never missed."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from progressive.domain.money import MICROCENTS_PER_CENT, microcents, money_text
from progressive.domain.rounding import floor_cents
from progressive.simulator.bookkeeping import Entry, LinkBook
from progressive.simulator.meter_track import MeterTerms, Take

START_SEQ = 7
ONE_CENT_PPM = 10_000
"""At a wager of 100 cents this rate moves a meter by one cent."""


def terms(rate_ppm: int = ONE_CENT_PPM, **fields: int) -> MeterTerms:
    return MeterTerms(id="mega", bet="side", rate_ppm=rate_ppm, currency="USD", **fields)


def a_book(meter: MeterTerms | None = None, *, cents: int = 1000) -> LinkBook:
    return LinkBook([meter or terms()], seq=START_SEQ, cents=[cents])


def locked(
    journal_seq: int, cents: int, *, put: int = MICROCENTS_PER_CENT, table: str = "A"
) -> Entry:
    return Entry(journal_seq, table, 1, "lock", (put,), (cents,))


def voided(journal_seq: int, cents: int, *, table: str = "A") -> Entry:
    return Entry(journal_seq, table, 2, "void", (), (cents,))


def settled(journal_seq: int, cents: int, *, table: str = "A") -> Entry:
    return Entry(journal_seq, table, 2, "settle", (), (cents,))


# --- a service that is right --------------------------------------------------------------------


@dataclasses.dataclass
class RightLink:
    """A link as the rules want it, with tables whose answers are slow to arrive."""

    meters: list[MeterTerms]
    microcents: list[int]
    seq: int = START_SEQ
    on_meters: dict[str, list[int]] = dataclasses.field(default_factory=dict)

    def lock(self, table: str, wagered_cents: int) -> tuple[int, ...]:
        puts = tuple(wagered_cents * meter.rate_ppm for meter in self.meters)
        self.on_meters[table] = []
        for index, (meter, put) in enumerate(zip(self.meters, puts, strict=True)):
            room = put
            if meter.limit_cents:
                room = max(0, microcents(meter.limit_cents) - self.microcents[index])
            self.on_meters[table].append(min(put, room))
            self.microcents[index] += min(put, room)
        return puts

    def void(self, table: str) -> None:
        for index, put in enumerate(self.on_meters.pop(table)):
            self.microcents[index] -= put

    def shown(self) -> tuple[int, ...]:
        return tuple(floor_cents(amount) for amount in self.microcents)


@dataclasses.dataclass
class Step:
    """One thing that happens: to a table, or (None) a record that is nobody's."""

    table: str | None
    wagered_cents: int
    voids: bool


steps = st.lists(
    st.builds(
        Step,
        table=st.sampled_from(["A", "B", "C", "D", None]),
        wagered_cents=st.integers(0, 3500) | st.integers(0, 9),
        voids=st.booleans(),
    ),
    max_size=80,
)


@st.composite
def links(draw: st.DrawFn, *, limits: bool) -> RightLink:
    meters, amounts = [], []
    for index in range(draw(st.integers(1, 3))):
        amount = draw(st.integers(0, 10**10))
        limit = draw(st.sampled_from([0, 1, 2, 20, 500])) if limits else 0
        meters.append(
            MeterTerms(
                id=f"m{index}",
                bet="side",
                rate_ppm=draw(st.integers(1, 400_000)),
                limit_cents=floor_cents(amount) + limit if limit else 0,
            )
        )
        amounts.append(amount)
    return RightLink(meters, amounts)


def play(link: RightLink, script: list[Step]) -> tuple[LinkBook, list[Entry], list[str]]:
    """The book before anything, the answers in the order they arrive, and who sends before each.

    A table's turn moves it on: it sends, then its message gets its record, then it hears of it.
    """
    book = LinkBook(link.meters, seq=link.seq, cents=link.shown())
    under_way: dict[str, Entry | None] = {}
    numbers: dict[str, int] = {}
    arrived: list[Entry] = []
    calls: list[str] = []

    def move(step: Step) -> None:
        table = step.table
        if table is None:
            link.seq += 1
        elif table not in under_way:
            under_way[table] = None
            calls.append(table)
        elif (answer := under_way[table]) is not None:
            del under_way[table]
            arrived.append(answer)
            calls.append("")
        else:
            link.seq += 1
            numbers[table] = numbers.get(table, 0) + 1
            kind, puts = "lock", ()
            if table not in link.on_meters:
                puts = link.lock(table, step.wagered_cents)
            elif step.voids:
                kind = "void"
                link.void(table)
            else:
                kind = "settle"
                del link.on_meters[table]
            under_way[table] = Entry(link.seq, table, numbers[table], kind, puts, link.shown())

    for step in script:
        move(step)
    for table in list(under_way):
        while table in under_way:
            move(Step(table, 100, voids=False))
    return book, arrived, calls


def replay(book: LinkBook, answers: list[Entry], calls: list[str]) -> list[str]:
    """Everything that the book finds wrong."""
    found = []
    remaining = iter(answers)
    for call in calls:
        if call:
            book.sent(call)
        else:
            found += book.answered(next(remaining))
    return [mismatch.line() for mismatch in found]


@given(link=links(limits=True), script=steps)
def test_a_right_service_is_never_blamed(link: RightLink, script: list[Step]) -> None:
    book, answers, calls = play(link, script)
    assert replay(book, answers, calls) == []
    assert book.waiting == 0
    assert book.finish(seq=link.seq, cents=link.shown()) == []


@given(link=links(limits=False), script=steps, data=st.data())
def test_a_wrong_cent_is_found_exactly_where_no_fraction_explains_it(
    link: RightLink, script: list[Step], data: st.DataObject
) -> None:
    start = link.shown()
    book, answers, calls = play(link, script)
    if not answers:
        return
    which = data.draw(st.integers(0, len(answers) - 1), label="answer")
    meter = data.draw(st.integers(0, len(link.meters) - 1), label="meter")
    by = data.draw(st.sampled_from([-1, 1]), label="cents")
    lie = list(answers[which].cents)
    lie[meter] += by
    answers[which] = answers[which]._replace(cents=tuple(lie))
    found = replay(book, answers, calls)
    found += [wrong.line() for wrong in book.finish(seq=link.seq, cents=link.shown())]
    answers.append(Entry(link.seq + 1, "the end", 0, "settle", (), link.shown()))
    assert bool(found) is not _some_fraction_explains(answers, meter, start[meter])


def _some_fraction_explains(answers: list[Entry], meter: int, start_cents: int) -> bool:
    """Looked at all at once, unlike the book: is there a start that leads to all that was shown?"""
    low, end = microcents(start_cents), microcents(start_cents + 1)
    moved = 0
    on_meter: dict[str, int] = {}
    for entry in sorted(answers, key=lambda entry: entry.journal_seq):
        if entry.kind == "lock":
            on_meter[entry.table] = entry.puts[meter]
            moved += entry.puts[meter]
        elif entry.kind == "void":
            moved -= on_meter[entry.table]
        low = max(low, microcents(entry.cents[meter]) - moved)
        end = min(end, microcents(entry.cents[meter] + 1) - moved)
    return low < end


@given(link=links(limits=False), script=steps, moves=st.lists(st.integers(-700, 700), min_size=1))
def test_others_may_move_the_meters_as_far_as_they_can_reach(
    link: RightLink, script: list[Step], moves: list[int]
) -> None:
    link.meters = [
        MeterTerms(meter.id, meter.bet, meter.rate_ppm, 0, 700 * meter.rate_ppm)
        for meter in link.meters
    ]
    link.microcents = [amount + 10**12 for amount in link.microcents]
    book = LinkBook(link.meters, seq=link.seq, cents=link.shown())
    book.others_write = True
    found = []
    for number, cents in enumerate(moves):
        link.seq += 1
        for index, meter in enumerate(link.meters):
            link.microcents[index] += cents * meter.rate_ppm
        link.seq += 1
        puts = link.lock("A", 500)
        book.sent("A")
        found += book.answered(Entry(link.seq, "A", number, "lock", puts, link.shown()))
    assert found == []


# --- the order of answers -----------------------------------------------------------------------


def test_answers_are_summed_in_the_order_of_the_journal() -> None:
    book = a_book()
    for table in "ABC":
        book.sent(table)
    assert book.answered(locked(10, 1003, table="A")) == []
    assert book.answered(locked(9, 1002, table="B")) == []
    assert book.waiting == 2
    assert book.answered(locked(8, 1001, table="C")) == []
    assert book.waiting == 0


def test_a_gap_waits_for_every_message_that_could_fill_it() -> None:
    book = a_book()
    book.sent("A")
    book.sent("B")
    assert book.answered(locked(9, 1002, table="A")) == []
    assert book.waiting == 1, "record 8 can still be B's"
    assert book.answered(locked(8, 1001, table="B")) == []
    assert book.waiting == 0


def test_a_gap_that_nobody_can_fill_is_a_checkpoint() -> None:
    book = a_book()
    book.sent("A")
    assert book.answered(locked(9, 1001, table="A")) == []
    assert book.waiting == 0


def test_a_message_sent_later_cannot_come_before() -> None:
    book = a_book()
    book.sent("A")
    book.sent("B")
    book.answered(locked(12, 1002, table="B"))
    assert book.waiting == 1
    # C sends when record 12 is known: its own comes after, so only A holds up the order.
    book.sent("C")
    assert book.answered(locked(8, 1001, table="A")) == []
    assert book.waiting == 0


def test_a_lost_table_holds_nothing_up() -> None:
    book = a_book(terms(reach_microcents=microcents(5)))
    book.sent("A")
    book.sent("B")
    book.answered(locked(9, 1006, table="A"))
    book.lost("B")
    assert book.settle() == [], "record 8 may be what became of B's last message"
    assert book.waiting == 0


def test_one_record_cannot_answer_two_messages() -> None:
    book = a_book()
    for table in "ABC":
        book.sent(table)
    book.answered(locked(9, 1002, table="A"))
    book.answered(locked(9, 1002, table="B"))
    found = book.answered(locked(8, 1001, table="C"))
    assert "B seq 1: expected a journal_seq of its own, came 9 again" in [m.line() for m in found]


def test_a_record_before_the_last_one_is_too_late() -> None:
    book = a_book()
    book.sent("A")
    book.answered(locked(9, 1001))
    book.sent("A")
    found = book.answered(settled(8, 1001))
    assert [m.line() for m in found] == ["A seq 2: expected a journal_seq above 9, came 8"]


# --- amounts ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("shown", "wrong"), [(1000, True), (1001, False), (1002, True)])
def test_a_wager_shows_to_the_cent(shown: int, wrong: bool) -> None:
    book = a_book()
    book.sent("A")
    assert bool(book.answered(locked(8, shown))) is wrong


def test_a_fraction_shows_when_it_becomes_a_cent() -> None:
    third = MICROCENTS_PER_CENT // 3
    book = a_book()
    for number, shown in enumerate([1000, 1000, 1001]):
        book.sent("A")
        assert book.answered(locked(8 + number, shown, put=third)) == []
    # Started at 1000.0 to 1000.33 cents: two thirds later it cannot be at 1002 yet.
    book.sent("A")
    found = book.answered(locked(11, 1002, put=2 * third))
    assert [m.line() for m in found] == ["A seq 1: expected mega at $10.01, came $10.02"]


def test_a_void_takes_back_what_the_round_put_on() -> None:
    book = a_book()
    for entry in (locked(8, 1003, put=microcents(3)), voided(9, 1000)):
        book.sent("A")
        assert book.answered(entry) == []
    book.sent("A")
    book.answered(locked(10, 1003, put=microcents(3)))
    book.sent("A")
    found = book.answered(voided(11, 1001))
    assert [m.line() for m in found] == ["A seq 2: expected mega at $10.00, came $10.01"]


def test_a_meter_stops_at_its_limit_and_a_void_takes_back_what_fitted() -> None:
    book = a_book(terms(limit_cents=1002))
    for entry in (locked(8, 1002, put=microcents(5)), voided(9, 1000)):
        book.sent("A")
        assert book.answered(entry) == []


def test_a_full_meter_is_at_its_limit_to_the_microcent() -> None:
    book = a_book(terms(limit_cents=1001))
    book.sent("A")
    found = book.answered(locked(8, 1000, put=microcents(5)))
    assert [m.line() for m in found] == ["A seq 1: expected mega at $10.01, came $10.00"]


@pytest.mark.parametrize("fraction", [0, 499_999, 500_000, 999_999])
def test_a_void_near_the_limit_leaves_every_possible_fraction_possible(fraction: int) -> None:
    meter = terms(limit_cents=1002)
    link = RightLink([meter], [microcents(1000) + fraction])
    book = a_book(meter)
    found = []
    puts = [1_500_000, None, 400_000, 500_000, 300_000]
    for number, put in enumerate(puts):
        book.sent("A")
        if put is None:
            link.void("A")
            found += book.answered(voided(8 + number, link.shown()[0]))
        else:
            fits = min(put, microcents(1002) - link.microcents[0])
            link.microcents[0] += fits
            link.on_meters["A"] = [fits]
            found += book.answered(locked(8 + number, link.shown()[0], put=put))
    assert found == []


def test_one_wrong_answer_is_one_mismatch() -> None:
    book = a_book()
    found = []
    for number, shown in enumerate([1001, 1099, 1003, 1004]):
        book.sent("A")
        found += book.answered(locked(8 + number, shown))
    assert [m.line() for m in found] == ["A seq 1: expected mega at $10.02, came $10.99"]


def test_a_meter_that_has_jumped_is_followed() -> None:
    book = a_book()
    found = []
    for number, shown in enumerate([1001, 2002, 2003, 2004, 2005]):
        book.sent("A")
        found += book.answered(locked(8 + number, shown))
    assert len(found) == 2


def test_the_last_reading_must_agree() -> None:
    assert a_book().finish(seq=START_SEQ, cents=[1000]) == []
    assert a_book().finish(seq=START_SEQ, cents=[1001]) != []
    assert a_book().finish(seq=START_SEQ - 1, cents=[1000]) != []
    assert a_book().finish(seq=START_SEQ, cents=[]) != []


# --- awards -------------------------------------------------------------------------------------


def won(
    journal_seq: int, *takes: tuple[int, int, int, int], cents: int, reset_cents: int = 500
) -> Entry:
    """A settlement with awards: each is a share, its amount, the meter before and after."""
    return Entry(
        journal_seq,
        "A",
        2,
        "settle",
        (),
        (cents,),
        takes=tuple(
            Take(0, f"line {share}", share, amount, before, after, reset_cents)
            for share, amount, before, after in takes
        ),
    )


def entered(book: LinkBook, *entries: Entry) -> list[str]:
    found = []
    for entry in entries:
        book.sent(entry.table)
        found += book.answered(entry)
    return [mismatch.line() for mismatch in found]


def fresh_book(meter: MeterTerms | None = None) -> LinkBook:
    """A link that has just been opened: its reset meter holds nothing."""
    return LinkBook([meter or terms()], seq=1, cents=[10_000])


PUT_BY = Entry(2, "A", 1, "lock", (microcents(40),), (10_040,), (microcents(7),))


def test_the_whole_meter_falls_back_to_the_house_and_the_reset_meter() -> None:
    assert entered(fresh_book(), PUT_BY, won(3, (100, 10_040, 10_040, 507), cents=507)) == []


@pytest.mark.parametrize("next_cents", [500, 506, 508])
def test_a_reset_by_another_amount_is_found(next_cents: int) -> None:
    found = entered(
        fresh_book(), PUT_BY, won(3, (100, 10_040, 10_040, next_cents), cents=next_cents)
    )
    assert found[0] == (
        "A seq 2: expected mega at $5.07 after line 100, "
        f"came $100.40 (from $100.40 to {money_text(next_cents, 'USD')})"
    )


def test_a_second_winner_gets_the_reset_amount_and_a_third_the_houses_part() -> None:
    takes = [(100, 10_040, 10_040, 507), (100, 507, 507, 500), (100, 500, 500, 500)]
    assert entered(fresh_book(), PUT_BY, won(3, *takes, cents=500)) == []


def test_ten_percent_after_ten_percent() -> None:
    # NJ 13:69F-2.28(h): each from the meter as the one before left it.
    takes = [(10, 1_004, 10_040, 9_036), (10, 904, 9_036, 8_132), (10, 813, 8_132, 7_319)]
    assert entered(fresh_book(), PUT_BY, won(3, *takes, cents=7_319)) == []


def test_what_the_reset_meter_held_before_the_run_is_learnt_at_the_first_reset() -> None:
    book = a_book(cents=10_000)
    assert entered(book, won(8, (100, 10_000, 10_000, 1_777), cents=1_777)) == []
    assert entered(book, won(9, (100, 1_777, 1_777, 500), cents=500)) == []
    found = entered(book, won(10, (100, 500, 500, 501), cents=501))
    assert len(found) == 2, "the award's meter after, and the answer's"


def test_others_may_win_a_meter_where_the_signs_say_so() -> None:
    for others_won, mismatches in (([("mega", 8)], 0), ([("mega", 9)], 1), ([("minor", 8)], 1)):
        book = a_book(cents=10_000)
        assert entered(book, locked(9, 502)) == []
        found = book.finish(seq=9, cents=[502], others_won=others_won)
        assert len(found) == mismatches
        assert book.jumps == 1


def test_people_may_void_and_correct_where_the_run_allows_for_it() -> None:
    book = a_book(cents=10_000)
    book.people_act = True
    assert entered(book, locked(9, 25_001), locked(10, 25_002)) == []
    assert book.finish(seq=10, cents=[25_002]) == []
    assert book.jumps == 1


def test_without_a_record_of_anybodys_between_nobody_can_have_moved_it() -> None:
    book = a_book(cents=10_000)
    book.people_act = True
    assert len(entered(book, locked(8, 25_001))) == 1
