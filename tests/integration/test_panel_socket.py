"""The panel socket: dealers' screens that drive a table, alone, together, and badly."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from progressive.adapters.config.floor import load_floor
from progressive.entry.bootstrap import Running, running
from progressive.entry.table import panel_socket
from tests.support.panels import (
    DANA,
    FAY,
    RAY,
    SUE,
    TOM,
    PanelClient,
    add_people,
    an_id,
    post,
    token_of,
)
from tests.support.service import Message, TableClient, issue_key, lock, shipped_rules, wager

SEVENS = {"cards": ["7d", "7d", "7d"]}
LOW = {"cards": ["9c", "8c"]}


@pytest.fixture(autouse=True)
def _hashes_that_cost_little(cheap_passwords: None) -> None:
    """Nobody guesses passwords here."""


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Running]:
    rules = shipped_rules()
    async with running(rules, data=tmp_path, host="127.0.0.1", port=0) as service:
        await add_people(service, DANA)
        yield service


@pytest.fixture
async def token(service: Running) -> str:
    return await token_of(service.url, DANA)


@pytest.fixture
async def panel(service: Running, token: str) -> AsyncIterator[PanelClient]:
    async with PanelClient.connect(service.url, "BJ-01", token) as client:
        yield client


# --- the ordinary way -------------------------------------------------------------------------


async def test_a_panel_is_shown_the_whole_table_and_signs_its_dealer_on(
    panel: PanelClient,
) -> None:
    state = panel.state
    assert panel.you == {"name": "Dana", "department": "Table games"}
    assert (state["table"], state["link"], state["seats"], state["seq"]) == ("BJ-01", "main", 7, 0)
    assert (state["state"], state["reason"]) == ("live", None)
    assert state["dealer"] == panel.you
    assert state["may_settle_early"] is True
    assert [bet["id"] for bet in state["bets"]] == ["blazing7", "buster"]
    assert state["bets"][0]["wager_cents"] == 500
    assert state["meters"][0] == {"id": "mega", "name": "Mega", "cents": 10_000_000}
    assert (state["round"], state["last"], state["waiting"]) == (None, None, [])
    assert state["contact"] == {"panels": 1}


async def test_a_round_is_locked_and_settled_and_the_next_one_too(panel: PanelClient) -> None:
    names = []
    for number in range(1, 4):
        locked = await panel.ask(panel.lock(2, 5))
        assert (locked["type"], locked["seq"]) == ("done", 2 * number - 1)
        opened = panel.state["round"]
        assert [wager["seat"] for wager in opened["wagers"]] == [2, 5]
        names.append(opened["round"])
        settled = await panel.ask(panel.settle())
        assert (settled["type"], settled["seq"]) == ("done", 2 * number)
        assert panel.state["round"] is None
        assert panel.state["last"]["ended"] == "settled"
    assert len(set(names)) == 3
    assert panel.state["meters"][0]["cents"] == 10_000_000 + 3 * 120


async def test_a_misdeal_gives_everything_back(panel: PanelClient) -> None:
    await panel.ask(panel.lock(1, 2))
    assert (await panel.ask(panel.void()))["type"] == "done"
    assert panel.state["last"]["ended"] == "voided"
    assert panel.state["last"]["reason"] == "card exposed"
    assert panel.state["meters"][0]["cents"] == 10_000_000


async def test_winners_stand_in_payment_order_with_what_to_do_about_each(
    panel: PanelClient,
) -> None:
    await panel.ask(panel.lock(2, 3, 5))
    seats = [
        {"seat": 2, **SEVENS},
        {"seat": 3, "cards": ["7s", "2c"]},
        {"seat": 5, **SEVENS},
    ]
    await panel.ask(panel.settle(dealer=LOW, seats=seats))
    awards = panel.state["last"]["awards"]
    assert [(a["order"], a["seat"], a["step"], a["todo"]) for a in awards] == [
        (1, 5, "hold", "hold the cards of seat 5: supervisor"),
        (2, 3, "pay", "pay from the rack"),
        (3, 2, "hold", "hold the cards of seat 2: supervisor"),
    ]
    assert awards[0]["amount_cents"] == 10_000_180
    assert awards[2]["amount_cents"] == 2_500_000 + 15
    assert awards[1]["due_cents"] == 1_000


@pytest.mark.slow
async def test_the_panel_follows_an_award_until_it_is_paid(
    service: Running, panel: PanelClient
) -> None:
    await add_people(service, SUE, FAY)
    sue, fay = await token_of(service.url, SUE), await token_of(service.url, FAY)
    await panel.ask(panel.lock(4))
    seats = [{"seat": 4, "cards": ["7h", "7h", "7d"]}]
    await panel.ask(panel.settle(dealer=LOW, seats=seats))
    award = panel.state["last"]["awards"][0]["award"]

    def todo(state: dict[str, Any]) -> str:
        told: str = [*state["last"]["awards"], *state["waiting"]][0]["todo"]
        return told

    assert (await post(service.url, f"/v1/awards/{award}/validate", sue))[0] == 200
    await panel.wait_state(lambda s: todo(s) == "hold the cards of seat 4: validated, being paid")
    assert (await post(service.url, f"/v1/awards/{award}/pay", fay))[0] == 200
    await panel.wait_state(lambda s: todo(s) == "paid, main-P000001: collect the cards")


async def test_an_award_that_waits_is_shown_over_the_following_rounds(panel: PanelClient) -> None:
    await panel.ask(panel.lock(4))
    await panel.ask(panel.settle(dealer=LOW, seats=[{"seat": 4, **SEVENS}]))
    assert panel.state["waiting"] == []
    for _ in range(2):
        await panel.ask(panel.lock(1))
        await panel.ask(panel.settle())
        [waiting] = panel.state["waiting"]
        assert waiting["todo"] == "hold the cards of seat 4: supervisor"


async def test_a_voided_claim_gives_the_second_winner_the_whole_meter(
    service: Running, panel: PanelClient
) -> None:
    await add_people(service, SUE, TOM)
    sue, tom = await token_of(service.url, SUE), await token_of(service.url, TOM)
    await panel.ask(panel.lock(2, 5))
    seats = [{"seat": 2, **SEVENS}, {"seat": 5, **SEVENS}]
    await panel.ask(panel.settle(dealer=LOW, seats=seats))
    first = panel.state["last"]["awards"][0]["award"]
    for token in (sue, tom):
        await post(service.url, f"/v1/awards/{first}/void", token, {"reason": "unlit seat"})
    await panel.wait_state(lambda s: s["last"]["awards"][0]["step"] == "void")
    second = panel.state["last"]["awards"][1]
    assert (second["seat"], second["amount_cents"]) == (2, 10_000_120)


async def test_two_card_awards_are_paid_before_the_peek(panel: PanelClient) -> None:
    await panel.ask(panel.lock(3))
    early = panel.settle(
        early=True, dealer={"cards": ["Ks"]}, seats=[{"seat": 3, "cards": ["7d", "7h"]}]
    )
    assert (await panel.ask(early))["type"] == "done"
    opened = panel.state["round"]["early"]
    assert opened["dealer"] == {"cards": ["Ks"]}
    assert (opened["awards"][0]["due_cents"], opened["awards"][0]["step"]) == (12_500, "pay")
    assert (await panel.ask(panel.void()))["code"] == "ROUND_HAS_AWARDS"
    settled = panel.settle(
        dealer={"cards": ["Ks", "9d"]}, seats=[{"seat": 3, "cards": ["7d", "7h", "7s"]}]
    )
    assert (await panel.ask(settled))["type"] == "done"
    award = panel.state["last"]["awards"][0]
    assert (award["amount_cents"], award["due_cents"]) == (100_000, 87_500)


async def test_seat_paid_before_the_peek_is_not_asked_about_a_blackjack(
    panel: PanelClient,
) -> None:
    """Seats 2 and 3 have Buster bets; a bust of seven cards would earn a blackjack the bonus."""
    placed = [wager(3), wager(3, bet="buster"), wager(2, bet="buster")]
    await panel.ask(panel.lock(wagers=placed, chips_counted=1))
    two_sevens = [{"seat": 3, "cards": ["7d", "7h"]}]
    await panel.ask(panel.settle(early=True, dealer={"cards": ["As"]}, seats=two_sevens))
    bust_7 = {"cards": ["As", "2h", "Ac", "Ad", "2s", "8d", "9c"]}
    looked = await panel.ask({"type": "look", "id": an_id(), "seats": [], "dealer": bust_7})
    assert [each["seat"] for each in looked["guide"]["questions"]] == [2]
    said = [{"seat": 2, "blackjack": False}]
    assert (await panel.ask(panel.settle(dealer=bust_7, seats=said)))["type"] == "done"
    assert [(each["seat"], each["bonus_cents"]) for each in panel.state["last"]["awards"]] == [
        (3, 0),
        (2, 0),
    ]


# --- refused ----------------------------------------------------------------------------------


async def test_a_wrong_chip_count_is_refused_and_changes_nothing(panel: PanelClient) -> None:
    refused = await panel.ask(panel.lock(1, 2, chips_counted=1))
    assert (refused["type"], refused["code"], refused["expected"]) == (
        "refused",
        "CHIP_COUNT_MISMATCH",
        2,
    )
    assert (panel.state["round"], panel.state["seq"]) == (None, 0)


@pytest.mark.parametrize(
    "frame",
    [
        "{}",
        "no JSON",
        '{"type":"lock"}',
        '{"type":"lock","id":"short","after":0,"wagers":[],"chips_counted":0}',
        '{"type":"lock","id":"panel-x-1","after":-1,"wagers":[],"chips_counted":0}',
        '{"type":"lock","id":"panel-x-1","after":0,"seq":1,"wagers":[],"chips_counted":0}',
        '{"type":"settle","id":"panel-x-1","after":0}',
        '{"type":"pay","id":"panel-x-1"}',
    ],
)
async def test_a_frame_that_is_no_message_is_refused_and_the_panel_goes_on(
    panel: PanelClient, frame: str
) -> None:
    await panel.ws.send_str(frame)
    while (answer := await panel.receive())["type"] != "refused":
        pass
    assert answer["code"] == "BAD_MESSAGE"
    assert (await panel.ask(panel.lock(1)))["type"] == "done"


async def test_a_flood_is_closed(panel: PanelClient) -> None:
    for _ in range(panel_socket.MESSAGES_AT_ONCE + 1):
        await panel.ws.send_str("{}")
    assert await panel.receive_close() == 4400


@pytest.mark.slow
async def test_binary_frames_are_closed(panel: PanelClient) -> None:
    await panel.ws.send_bytes(b"{}")
    assert await panel.receive_close() == 4400


# --- who may ----------------------------------------------------------------------------------


async def test_without_a_session_or_with_another_role_nobody_gets_in(service: Running) -> None:
    await add_people(service, SUE)
    sue = await token_of(service.url, SUE)
    for token, code in (("", 4401), ("pss_made_up", 4401), (sue, 4403)):
        async with PanelClient.knock(service.url, "BJ-01", token) as client:
            assert await client.receive_close() == code


async def test_an_unknown_table_is_closed(service: Running, token: str) -> None:
    async with PanelClient.knock(service.url, "BJ-99", token) as client:
        assert await client.receive_close() == 4404


async def test_a_table_has_a_controller_or_panels_never_both(
    service: Running, token: str, tmp_path: Path
) -> None:
    key = issue_key(tmp_path, "BJ-01")
    async with TableClient.connect(service.url, "BJ-01", key) as table:
        await table.ask(lock(1, "r1"))
        async with PanelClient.knock(service.url, "BJ-01", token) as client:
            assert await client.receive_close() == 4409
    async with PanelClient.connect(service.url, "BJ-01", token) as panel:
        # What the controller left open the panel settles.
        assert panel.state["round"]["round"] == "r1"
        with pytest.raises(AssertionError):
            async with TableClient.connect(service.url, "BJ-01", key):
                pass
        assert (await panel.ask(panel.settle()))["seq"] == 2


async def test_a_disabled_dealer_does_nothing_more(service: Running, panel: PanelClient) -> None:
    await service.floor.reception.people.disable(DANA.name, where="here")
    await panel.send(panel.lock(1))
    assert await panel.receive_close() == 4401


async def test_a_relief_dealer_takes_over_and_the_first_one_only_looks_on(
    service: Running, panel: PanelClient
) -> None:
    await add_people(service, RAY)
    ray = await token_of(service.url, RAY)
    async with PanelClient.connect(service.url, "BJ-01", ray) as relief:
        # Coming in alone takes the table from nobody: a panel may only have lost its network.
        assert relief.state["dealer"]["name"] == "Dana"
        assert (await relief.ask(relief.lock(1)))["code"] == "NOT_SIGNED_ON"
        signed = await relief.ask({"type": "sign_on", "id": an_id()})
        assert (signed["type"], signed["dealer"]["name"]) == ("signed_on", "Ray")
        await panel.wait_state(lambda s: s["dealer"]["name"] == "Ray")
        assert (await panel.ask(panel.lock(1)))["code"] == "NOT_SIGNED_ON"
        assert (await relief.ask(relief.lock(1)))["type"] == "done"


async def test_signing_on_stands_in_the_act_log(service: Running, panel: PanelClient) -> None:
    acts = await service.floor.reception.people._store.acts(after_seq=0, limit=100)
    told = [json.loads(act) for act in acts]
    assert [(act["who"], act["details"]) for act in told if act["act"] == "sign_on_table"] == [
        ("Dana", {"table": "BJ-01", "on": True})
    ]


# --- never lost, never doubled ----------------------------------------------------------------


async def test_two_panels_of_a_table_see_the_same(
    service: Running, token: str, panel: PanelClient
) -> None:
    async with PanelClient.connect(service.url, "BJ-01", token) as second:
        await panel.wait_state(lambda s: s["contact"]["panels"] == 2)
        await panel.ask(panel.lock(3))
        await second.wait_state(lambda s: s["round"] is not None)
        assert second.state == panel.state
        await second.ask(second.settle())
        await panel.wait_state(lambda s: s["round"] is None)
        assert second.state == panel.state
    await panel.wait_state(lambda s: s["contact"]["panels"] == 1)


async def test_of_two_lock_outs_at_one_moment_one_comes_about(
    service: Running, token: str, panel: PanelClient
) -> None:
    async with PanelClient.connect(service.url, "BJ-01", token) as second:
        mine, other = panel.lock(1, 2), second.lock(1, 2)
        answers = await asyncio.gather(panel.ask(mine), second.ask(other))
        assert sorted(answer["type"] for answer in answers) == ["done", "refused"]
        assert {answer.get("code") for answer in answers} == {None, "MOVED_ON"}
        assert panel.state["meters"][0]["cents"] == 10_000_120


@pytest.mark.parametrize("times", [1, 2, 5])
async def test_a_message_sent_again_is_done_once(panel: PanelClient, times: int) -> None:
    message = panel.lock(1, 4)
    first = await panel.ask(message)
    for _ in range(times):
        again = await panel.ask(message)
        assert (again["type"], again["repeat"]) == ("done", True)
        assert again["journal_seq"] == first["journal_seq"]
    assert panel.state["meters"][0]["cents"] == 10_000_120


async def test_a_lock_out_that_comes_again_rounds_later_locks_nothing(
    service: Running, token: str, panel: PanelClient
) -> None:
    """A panel that was away for minutes sends what it was never answered."""
    late = panel.lock(1, 4)
    await panel.ask(late)
    async with PanelClient.connect(service.url, "BJ-01", token) as second:
        for _ in range(3):
            await second.ask(second.settle())
            await second.ask(second.lock(1))
        await second.ask(second.settle())
        again = await panel.ask(late)
        assert (again["type"], again["repeat"]) == ("done", True)
        assert panel.state["round"] is None
    assert panel.state["meters"][0]["cents"] == 10_000_000 + 120 + 3 * 60


async def test_a_lock_out_that_never_arrived_is_not_made_up_for_rounds_later(
    panel: PanelClient,
) -> None:
    late = panel.lock(1, 4)
    await panel.ask(panel.lock(2))
    await panel.ask(panel.settle())
    assert (await panel.ask(late))["code"] == "MOVED_ON"
    assert panel.state["round"] is None


async def test_a_settlement_of_one_round_never_settles_the_next(panel: PanelClient) -> None:
    await panel.ask(panel.lock(1))
    late = panel.settle(dealer=LOW, seats=[{"seat": 1, "cards": ["7s", "2c"]}])
    await panel.ask(panel.settle())
    await panel.ask(panel.lock(1))
    assert (await panel.ask(late))["code"] == "MOVED_ON"
    assert (await panel.ask({**late, "after": panel.state["seq"]}))["code"] == "WRONG_ROUND"
    assert panel.state["round"] is not None


async def test_an_answer_lost_with_the_connection_is_found_again(
    service: Running, token: str
) -> None:
    """The socket goes in the middle of each step; whatever became of it, it is done once."""
    async with PanelClient.connect(service.url, "BJ-01", token) as panel:
        message = panel.lock(1, 4)
        await panel.send(message)
    for expected in ("settle", "lock", "settle"):
        async with PanelClient.connect(service.url, "BJ-01", token) as panel:
            assert (await panel.ask(message))["type"] == "done"
            message = panel.settle() if expected == "settle" else panel.lock(1, 4)
            await panel.send(message)
    async with PanelClient.connect(service.url, "BJ-01", token) as panel:
        assert (await panel.ask(message))["type"] == "done"
        assert (panel.state["seq"], panel.state["round"]) == (4, None)
        assert panel.state["meters"][0]["cents"] == 10_000_240


async def test_meters_of_other_tables_reach_the_panel(
    service: Running, panel: PanelClient, tmp_path: Path
) -> None:
    key = issue_key(tmp_path, "BJ-02")
    async with TableClient.connect(service.url, "BJ-02", key) as table:
        await table.ask(lock(1, "r1", (1, 2, 3)))
        await panel.wait_state(lambda s: s["meters"][0]["cents"] == 10_000_180)


# --- lammers ----------------------------------------------------------------------------------

DEADWOOD = """
schema = 1
name = "Deadwood"
currency = "USD"
time_zone = "America/Denver"
gaming_day_starts = "06:00"
jurisdiction = "us-sd"

[[link]]
id = "main"
decks = 6
dealer_procedure = "no_peek"
soft17 = "stand"

[[link.bet]]
id = "buster"
game = "sd-buster"
paytable = "A"
min_cents = 100
max_cents = 10000
lammers = "{lammers}"

[[table]]
id = "BJ-01"
link = "main"
seats = 5
"""


@pytest.mark.parametrize(
    ("lammers", "before", "after"),
    [("before_deal", [1, 2, 4], [1, 2, 4]), ("after_hand", [], [2, 4])],
)
async def test_lammers_mark_the_bets_that_stay_in_action(
    tmp_path: Path, lammers: str, before: list[int], after: list[int]
) -> None:
    floor = tmp_path / "floor.toml"
    floor.write_text(DEADWOOD.format(lammers=lammers), encoding="utf-8")
    rules = load_floor(floor).rules
    async with running(rules, data=tmp_path / "data", host="127.0.0.1", port=0) as service:
        await add_people(service, DANA)
        token = await token_of(service.url, DANA)
        async with PanelClient.connect(service.url, "BJ-01", token) as panel:
            placed = [wager(seat, bet="buster") for seat in (1, 2, 4)]
            await panel.ask(panel.lock(wagers=placed, chips_counted=0))
            told = {"bet": "buster", "use": lammers}
            assert panel.state["round"]["lammers"] == [{**told, "seats": before}]
            seats = [
                {"seat": 1, "cards": ["Ts", "9h"]},
                {"seat": 2, "cards": ["Ts", "6h", "Kd"]},
                {"seat": 4, "cards": ["As", "Kh"]},
                {"seat": 5, "cards": ["2c"]},
            ]
            looked = await panel.ask({"type": "look", "id": an_id(), "seats": seats})
            assert looked["lammers"] == [{**told, "seats": after}]


SPOKANE = """
schema = 1
name = "Spokane"
currency = "USD"
time_zone = "America/Los_Angeles"
gaming_day_starts = "06:00"
jurisdiction = "us-wa"

[[link]]
id = "main"
decks = 6
dealer_procedure = "card_reader"
soft17 = "hit"

[[link.bet]]
id = "buster"
game = "wa-buster"
paytable = "WA"
free_bonus = "B2"
min_cents = 100
max_cents = 10000

[[table]]
id = "BJ-01"
link = "main"
seats = 7
"""


async def test_a_panel_is_told_what_the_dealers_hand_leaves_open(tmp_path: Path) -> None:
    floor = tmp_path / "floor.toml"
    floor.write_text(SPOKANE, encoding="utf-8")
    rules = load_floor(floor).rules
    async with running(rules, data=tmp_path / "data", host="127.0.0.1", port=0) as service:
        await add_people(service, DANA)
        token = await token_of(service.url, DANA)
        async with PanelClient.connect(service.url, "BJ-01", token) as panel:
            placed = [
                wager(1, bet="buster", amount_cents=400),
                wager(2, bet="buster", amount_cents=500),
            ]
            await panel.ask(panel.lock(wagers=placed, chips_counted=0))
            assert panel.state["bets"][0]["dealer_decides"] is True
            assert panel.state["round"]["dealer_decides"] is True
            assert panel.state["round"]["early_seats"] == []

            async def guided(*cards: str) -> Message:
                look = {"type": "look", "id": an_id(), "seats": [], "dealer": {"cards": cards}}
                guide: Message = (await panel.ask(look))["guide"]
                return guide

            assert (await guided())["hand"] == "missing"
            assert await guided("Ts", "6h") == {
                "hand": "unfinished",
                "words": "Dealer has 16: another card.",
                "questions": [],
            }
            assert (await guided("Ts", "8h", "2c"))["hand"] == "impossible"
            assert (await guided("Ts", "xx"))["hand"] == "impossible"
            assert (await guided("As", "Kh"))[
                "words"
            ] == "Dealer has a blackjack: Buster bets lose."
            assert await guided("Ts", "6h", "Kc") == {
                "hand": "bust",
                "words": "Dealer busts with 3 cards: Buster pays.",
                "questions": [
                    {"seat": 1, "points_max": 27, "blackjack": False},
                    {"seat": 2, "points_max": 27, "blackjack": False},
                ],
            }
            bust_6 = ("2s", "2h", "2d", "3c", "4d", "Kc")
            assert (await guided(*bust_6))["questions"][1] == {
                "seat": 2,
                "points_max": 27,
                "blackjack": True,
            }
            refused = await panel.ask(panel.settle(dealer={"cards": bust_6}))
            assert (refused["type"], refused["code"]) == ("refused", "INCOMPLETE_CARDS")
            assert "28 or more" in refused["message"]
            seats = [
                {"seat": 1, "points_over": True},
                {"seat": 2, "points_over": False, "blackjack": False},
            ]
            done = await panel.ask(panel.settle(dealer={"cards": bust_6}, seats=seats))
            assert done["type"] == "done"
            paid = [(each["seat"], each["amount_cents"]) for each in panel.state["last"]["awards"]]
            assert paid == [(2, 7500)]
