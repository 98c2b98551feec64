"""The settlement sheet on paper: whoever adds up what is printed gets what is printed."""

import re
from decimal import Decimal
from functools import partial
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from msgspec import Struct, structs

from progressive.adapters.memory.journal import MemoryStore
from progressive.application.awards.sheet import Sheet, settlement_sheet
from progressive.application.link.batch import ActReceipt
from progressive.domain.acts import ApproveVoid, ProposeVoid
from progressive.domain.commands import TableCommand
from progressive.domain.ids import AwardId
from progressive.domain.rejections import Refusal
from progressive.domain.rulebook.line_names import line_name_on
from progressive.domain.rulebook.paytable import BonusLine
from progressive.domain.rulebook.rules import FloorRules, LinkRules
from progressive.entry.http.templates import service_templates
from tests.support.awards import ANN, BEN, PAIR, TENTH, WHOLE, a_progressive, one_meter
from tests.support.builders import (
    LINK,
    Desk,
    a_bet,
    a_buster,
    a_desk,
    a_link,
    a_lock,
    a_settle,
    wagers,
)
from tests.support.journals import a_buster_wager
from tests.support.service import shipped_rules

ODD = {"rate_ppm": 123_457, "reset_rate_ppm": 10_003}
"""Rates that leave a fraction of a cent on both meters with every wager of $5."""
HOUSE = {"reset_cents": 200_000}
ROOM = {"initial_cents": 1_000_000}
FULL = ROOM | {"limit_cents": 1_000_000}
"""At its limit from the start: all that is wagered waits on the overflow meter."""
RED_TENTH = "7h 7d 7h"
FLOOR_RULES = shipped_rules()


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


class Row(Struct):
    """An award as it is printed: each cell as its lines."""

    cells: list[list[str]] = []

    @property
    def before(self) -> Decimal:
        return amount(self.cells[4][0])

    @property
    def award(self) -> list[str]:
        return self.cells[5]

    @property
    def after(self) -> list[str]:
        return self.cells[6]


class AwardTable(HTMLParser):
    """Reads the awards off the page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[Row] = []
        self._inside = self._body = self._new_line = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self._inside = ("class", "awards") in attrs
        self._body = self._inside and (self._body or tag == "tbody")
        if self._body and tag == "tr":
            self.rows.append(Row([]))
        elif self._body and tag == "td":
            self.rows[-1].cells.append([])
        self._new_line |= tag in ("td", "li")

    def handle_endtag(self, tag: str) -> None:
        if tag == "table":
            self._inside = self._body = False

    def handle_data(self, data: str) -> None:
        text = " ".join(data.split())
        if not (self._body and self.rows and self.rows[-1].cells and text):
            return
        lines = self.rows[-1].cells[-1]
        if self._new_line:
            lines.append(text)
        else:
            lines[-1] += f" {text}"
        self._new_line = False


def amount(text: str) -> Decimal:
    """The first figure of a line, less where the line takes it off."""
    found = re.search(r"[\d,]+\.\d+", text)
    assert found is not None, text
    figure = Decimal(found.group().replace(",", ""))
    return -figure if text.startswith("−") else figure


def is_part(text: str) -> bool:
    return text.startswith(("+", "−"))


def assert_adds_up(row: Row) -> None:
    """Both sums of a row, from its printed figures alone."""
    first, *rest = row.award
    if rest:
        *parts, due = rest
        assert due.startswith("=")
        assert all(map(is_part, parts))
        assert amount(first) + sum(map(amount, parts)) == amount(due)
    if not row.after:
        assert row.cells[4] == []
        return
    *parts, after = row.after
    stays = [amount(text) for text in parts if not is_part(text)]
    came = sum(amount(text) for text in parts if is_part(text))
    left = row.before - amount(first)
    assert stays == ([left] if left and parts else [])
    assert left + came == amount(after)


async def ask(desk: Desk, *commands: TableCommand) -> None:
    for command in commands:
        answered = await desk.ask(command)
        assert not isinstance(answered.answer, Refusal), answered.answer


async def played(
    store: MemoryStore, desk: Desk, hands: dict[int, str], *, early: str = ""
) -> Sheet:
    """A round with these hands, and its sheet; `early` is seat 1's before the peek."""
    await ask(desk, a_lock(1, wagers=wagers(*hands)))
    if early:
        await ask(desk, a_settle(2, round="r1", seats={1: early}, dealer="As", early=True))
    dealer = "As 5h" if early else "9s 5h"
    await ask(desk, a_settle(3 if early else 2, round="r1", seats=hands, dealer=dealer))
    return await sheet_of(store, desk)


async def sheet_of(store: MemoryStore, desk: Desk, record: int | None = None) -> Sheet:
    last = desk.worker.view.seq
    return await settlement_sheet(store, LINK, record or last, last_seq=last)


def page(sheet: Sheet, rules: LinkRules, floor: FloorRules = FLOOR_RULES) -> str:
    template = service_templates(floor).get_template("sheet.html")
    unsealed = {"proof": None, "why_no_proof": "the journal of main is not sealed", "qr": None}
    return template.render(sheet=sheet, line_name=partial(line_name_on, rules), **unsealed)


def printed(sheet: Sheet, rules: LinkRules) -> list[Row]:
    return AwardTable(page(sheet, rules)).rows


CASES: dict[str, tuple[LinkRules, dict[int, str]]] = {
    "a fraction stays": (one_meter(a_progressive(**ODD)), {1: WHOLE}),
    "a reset of three sources": (one_meter(a_progressive(**ODD, **HOUSE)), {1: WHOLE}),
    "a tenth, and a tenth of the rest": (
        one_meter(a_progressive(**ODD, **HOUSE)),
        {1: TENTH, 3: TENTH},
    ),
    "tenth, whole, and the reset amount again": (
        one_meter(a_progressive(**ODD, **HOUSE)),
        {1: WHOLE, 3: WHOLE, 6: RED_TENTH},
    ),
    "equal shares": (
        one_meter(a_progressive(**ODD, **HOUSE), payment_order="equal_share"),
        {1: WHOLE, 3: WHOLE, 6: RED_TENTH},
    ),
    "from the overflow meter": (one_meter(a_progressive(**ODD, **HOUSE, **FULL)), {2: WHOLE}),
    "overflow stays": (
        one_meter(a_progressive(**ODD, **HOUSE, **FULL), overflow="stay"),
        {2: WHOLE},
    ),
    "a reset above the limit": (
        one_meter(a_progressive(**ODD, **FULL | {"reset_cents": 1_000_000})),
        {2: WHOLE, 4: TENTH},
    ),
}


@pytest.mark.parametrize(("rules", "hands"), CASES.values(), ids=CASES)
async def test_printed_figures_add_up_to_the_last_fraction(
    store: MemoryStore, rules: LinkRules, hands: dict[int, str]
) -> None:
    async with a_desk(store, rules) as desk:
        rows = printed(await played(store, desk, hands), rules)
    assert len(rows) == len(hands)
    for row in rows:
        assert_adds_up(row)
    for row, following in pairwise(rows):
        assert amount(row.after[-1]) == following.before
    fractions = [text for row in rows for text in row.after if re.search(r"\.\d{3,}", text)]
    assert fractions, "a case without a fraction of a cent shows nothing"


async def test_every_source_of_a_reset_is_printed(store: MemoryStore) -> None:
    rules = one_meter(a_progressive(**ODD, **HOUSE))
    async with a_desk(store, rules) as desk:
        [row] = printed(await played(store, desk, {1: WHOLE}), rules)
    assert row.cells[2] == ["Three 7s of the same suit"]
    assert row.cells[4] == ["$10,000.617285"]
    assert row.award == ["$10,000.61"]
    assert row.after == [
        "$0.007285 stays on the meter",
        "+ $2,000.00 from the house",
        "+ $0.050015 from the reset meter",
        "$2,000.0573",
    ]


async def test_what_a_reset_may_not_show_goes_to_the_overflow_meter(store: MemoryStore) -> None:
    rules = one_meter(a_progressive(**ODD, **FULL | {"reset_cents": 1_000_000}))
    async with a_desk(store, rules) as desk:
        [row] = printed(await played(store, desk, {1: WHOLE}), rules)
    assert row.after == [
        "+ $10,000.00 from the house",
        "+ $0.050015 from the reset meter",
        "− $0.050015 to the overflow meter",
        "$10,000.00",
    ]


async def test_paid_before_the_peek_is_taken_off_what_is_due(store: MemoryStore) -> None:
    rules = a_link()
    async with a_desk(store, rules) as desk:
        sheet = await played(store, desk, {1: "7s 7h 7s"}, early=PAIR)
        [row] = printed(sheet, rules)
    assert_adds_up(row)
    assert row.award[1:] == ["− $125.00 paid before the peek", f"= {row.award[-1][2:]}"]
    assert sheet.awards[0].due_cents == sheet.awards[0].made.due_cents


async def test_more_paid_before_the_peek_than_the_line_is_worth_leaves_nothing_due(
    store: MemoryStore,
) -> None:
    small = a_progressive(**ODD | {"initial_cents": 100_000})
    rules = one_meter(small)
    async with a_desk(store, rules) as desk:
        [row] = printed(await played(store, desk, {1: "7s 7c 7s"}, early="7s 7c"), rules)
    assert_adds_up(row)
    assert row.award == ["$100.06", "− $100.06 of $125.00 paid before the peek", "= $0.00 due"]


async def test_bonus_is_added_to_what_is_due(store: MemoryStore) -> None:
    bonus = BonusLine(id="bust_3", cents=5_000)
    buster = a_buster(free_bonus="B1", free_bonus_lines=(bonus,), free_bonus_min_cents=500)
    rules = a_link(bets=(a_bet(), buster))
    async with a_desk(store, rules) as desk:
        lock = a_lock(1, wagers=[a_buster_wager(7)])
        await ask(desk, lock, a_settle(2, seats={7: "As Kd"}, dealer="Ts 6h Kc"))
        [row] = printed(await sheet_of(store, desk), rules)
    assert_adds_up(row)
    assert row.cells[2] == ["Dealer busts with 3 cards"]
    assert row.award[1] == "+ $50.00 bonus"


async def test_awards_settled_again_after_a_void_add_up_too(store: MemoryStore) -> None:
    rules = one_meter(a_progressive(**ODD, **HOUSE))
    async with a_desk(store, rules) as desk:
        await played(store, desk, {1: WHOLE, 3: WHOLE, 6: RED_TENTH})
        settled = desk.worker.view.seq
        first = AwardId(f"{LINK}.{settled}.1")
        for act in (ProposeVoid(first, ANN, "wrong shoe"), ApproveVoid(first, BEN)):
            assert isinstance(await desk.worker.perform(act), ActReceipt)
        sheet = await sheet_of(store, desk, settled)
    assert [award.resettled is not None for award in sheet.awards] == [False, True, False]
    void, *standing = printed(sheet, rules)
    for row in (void, *standing):
        assert_adds_up(row)
    assert amount(standing[0].after[-1]) == standing[1].before


async def test_sheet_is_in_the_floors_currency(store: MemoryStore) -> None:
    rules = one_meter(a_progressive(**ODD))
    async with a_desk(store, rules) as desk:
        sheet = await played(store, desk, {1: WHOLE})
    text = page(sheet, rules, structs.replace(FLOOR_RULES, currency="EUR"))
    assert "EUR 10,000.617285" in text
    assert "$" not in text
