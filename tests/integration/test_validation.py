"""A floor where a supervisor confirms every payout: over HTTP, at the panel, on the table socket.

NJ 13:69F-2.28(g)3, `validation = "every"` on the bet.
"""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from msgspec import structs

from progressive.domain.rulebook.rules import FloorRules
from progressive.entry.bootstrap import Running, running
from progressive.entry.table import panel_supervisor
from tests.support.panels import PanelClient, an_id, token_of
from tests.support.people import PASSWORD
from tests.support.service import (
    ANSWER_SECONDS,
    TableClient,
    issue_key,
    lock,
    run_command,
    settle,
    shipped_rules,
    void,
)
from tests.support.staff import ANN, BOB, DAN, JOE, SUE, Staff, working

ONE_SEVEN, TWO_SEVENS, THREE_SEVENS = ["7c", "2c"], ["7s", "7h"], ["7d", "7d", "7d"]
AT = "/v1/tables/BJ-01/rounds/r1"


def strict(rules: FloorRules) -> FloorRules:
    """The demo floor with every payout of its first bet confirmed."""
    link = rules.links[0]
    bets = (structs.replace(link.terms.bets[0], validation="every"), *link.terms.bets[1:])
    link = structs.replace(link, terms=structs.replace(link.terms, bets=bets))
    return structs.replace(rules, links=(link, *rules.links[1:]))


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Running]:
    rules = strict(shipped_rules())
    async with running(rules, data=tmp_path, host="127.0.0.1", port=0) as service:
        yield service


@pytest.fixture
async def staff(service: Running, tmp_path: Path) -> AsyncIterator[Staff]:
    async with working(service.url, tmp_path) as staff:
        yield staff


@pytest.fixture
async def table(service: Running, tmp_path: Path) -> AsyncIterator[TableClient]:
    key = issue_key(tmp_path, "BJ-01")
    async with TableClient.connect(service.url, "BJ-01", key) as client:
        yield client


async def settled(table: TableClient, hands: dict[int, list[str]]) -> list[dict[str, Any]]:
    await table.ask(lock(1, "r1", seats=tuple(hands)))
    seats = [{"seat": seat, "cards": cards} for seat, cards in hands.items()]
    answer = await table.ask(settle(2, "r1", dealer={"cards": ["9c"]}, seats=seats, complete=True))
    assert answer["type"] == "settled", answer
    return list(answer["awards"])


def verified(data: Path) -> str:
    done = run_command("verify", "--data", data)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


async def acts(staff: Staff) -> list[tuple[str | None, str, str]]:
    _, answer = await staff.ask(JOE, "GET", "/v1/acts?limit=1000")
    return [(each["who"], each["act"], each["outcome"]) for each in answer["acts"]]


# --- over HTTP --------------------------------------------------------------------------------


async def test_two_for_one_waits_for_one_tap_and_is_then_paid_from_the_rack(
    staff: Staff, table: TableClient, tmp_path: Path
) -> None:
    awards = await settled(table, {1: ONE_SEVEN, 2: TWO_SEVENS, 3: THREE_SEVENS})
    assert [(each["seat"], each["status"], each["pays_from"]) for each in awards] == [
        (3, "pending", "cage"),
        (2, "pending", "rack"),
        (1, "pending", "rack"),
    ]
    mega, two, one = [each["award"] for each in awards]
    status, answer = await staff.post(ANN, f"/v1/awards/{one}/validate")
    assert (status, answer["error"]["code"]) == (409, "WRONG_STATUS")
    status, answer = await staff.post(ANN, f"{AT}/validate", {"awards": [one]})
    assert (status, answer["error"]["code"]) == (409, "WRONG_STATUS")
    status, answer = await staff.post(ANN, f"{AT}/validate", {"awards": [one, two]})
    assert status == 200
    assert [(each["award"], each["status"]) for each in answer["awards"]] == [
        (two, "paid"),
        (one, "paid"),
    ]
    assert all(each["validated_by"]["name"] == "Ann" for each in answer["awards"])
    _, listed = await staff.ask(BOB, "GET", "/v1/awards?status=pending")
    assert [each["award"] for each in listed["awards"]] == [mega]
    assert ("Ann", "validate_award", "done") in await acts(staff)
    _, read = await staff.ask(ANN, "GET", f"/v1/awards/{one}/sheet")
    assert [
        (each["award"], each["what"], each["by"]["name"]) for each in read["sheet"]["history"]
    ] == [
        (two, "validated", "Ann"),
        (one, "validated", "Ann"),
    ]
    by_seat = {each["made"]["seat"]: each["status"] for each in read["sheet"]["awards"]}
    assert by_seat == {3: "pending", 2: "paid", 1: "paid"}


async def test_only_a_supervisor_who_did_not_deal_confirms(
    staff: Staff, table: TableClient
) -> None:
    assert (await staff.post(DAN, "/v1/tables/BJ-01/dealer"))[0] == 200
    await settled(table, {1: ONE_SEVEN})
    for who in (DAN, BOB):
        status, answer = await staff.post(who, f"{AT}/validate")
        assert (status, answer["error"]["code"]) == (403, "WRONG_ROLE")
    assert (await staff.post(ANN, f"{AT}/validate"))[0] == 200
    status, answer = await staff.post(ANN, "/v1/tables/BJ-99/rounds/r1/validate")
    assert (status, answer["error"]["code"]) == (404, "UNKNOWN_TABLE")


@pytest.mark.slow
async def test_payout_of_a_table_that_left_the_floor_is_still_confirmed(tmp_path: Path) -> None:
    rules = strict(shipped_rules())
    key = issue_key(tmp_path, "BJ-01")
    async with (
        running(rules, data=tmp_path, host="127.0.0.1", port=0) as service,
        working(service.url, tmp_path),
        TableClient.connect(service.url, "BJ-01", key) as table,
    ):
        [made] = await settled(table, {1: ONE_SEVEN})
    link = rules.links[0]
    left = structs.replace(link, tables=link.tables[1:])
    async with running(
        structs.replace(rules, links=(left,)), data=tmp_path, host="127.0.0.1", port=0
    ) as service:
        headers = {"Authorization": f"Bearer {await own_token(service.url, 'Ann')}"}
        async with (
            aiohttp.ClientSession(headers=headers) as session,
            session.post(f"{service.url}{AT}/validate", json={}) as response,
        ):
            assert response.status == 200, await response.text()
            [paid] = (await response.json())["awards"]
            assert (paid["award"], paid["status"]) == (made["award"], "paid")
    verified(tmp_path)


async def test_award_before_the_peek_has_a_sheet_of_its_own(
    staff: Staff, table: TableClient
) -> None:
    await table.ask(lock(1, "r1", seats=(2,)))
    seats = [{"seat": 2, "cards": TWO_SEVENS}]
    early = settle(2, "r1", dealer={"cards": ["As"]}, seats=seats, complete=False, early=True)
    answer = await table.ask(early)
    [made] = answer["awards"]
    assert (answer["early"], made["status"], made["pays_from"]) == (True, "pending", "rack")
    assert (await staff.post(SUE, f"{AT}/validate"))[0] == 200
    _, read = await staff.ask(ANN, "GET", f"/v1/awards/{made['award']}/sheet")
    assert [each["by"]["name"] for each in read["sheet"]["history"]] == ["Sue"]
    final = settle(3, "r1", dealer={"cards": ["As", "9h"]}, seats=seats, complete=False)
    assert (await table.ask(final))["awards"] == []


async def test_void_of_a_locked_round_is_a_supervisors_and_answers_the_controller(
    staff: Staff, table: TableClient, service: Running, tmp_path: Path
) -> None:
    assert (await staff.post(DAN, "/v1/tables/BJ-01/dealer"))[0] == 200
    locked = await table.ask(lock(1, "r1", seats=(1, 2)))
    refused = await table.ask(void(2, "r1"))
    assert (refused["code"], refused["seq"]) == ("NEEDS_APPROVAL", 2)
    assert "POST /v1/tables/BJ-01/rounds/r1/void" in refused["message"]
    status, answer = await staff.post(BOB, f"{AT}/void", {"reason": "misdeal"})
    assert (status, answer["error"]["code"]) == (403, "WRONG_ROLE")
    status, answer = await staff.post(ANN, f"{AT}/void", {"reason": "card exposed"})
    assert (status, answer["round"]) == (200, "r1")
    again = await table.ask(void(2, "r1"))
    assert (again["type"], again["repeat"]) == ("voided", True)
    assert again["meters"] != locked["meters"]
    assert ("Ann", "void_round", "done") in await acts(staff)
    assert (await table.ask(lock(3, "r2")))["type"] == "locked"


# --- at the panel -----------------------------------------------------------------------------


@pytest.fixture
async def panel(service: Running, staff: Staff) -> AsyncIterator[PanelClient]:
    token = await token_of(service.url, DAN)
    async with PanelClient.connect(service.url, "BJ-01", token) as client:
        yield client


async def own_token(url: str, name: str) -> str:
    """A session beside whoever the browser is signed in as: that one's cookie stays."""
    async with (
        aiohttp.ClientSession() as session,
        session.post(
            f"{url}/v1/sessions?cookie=none", json={"user": name, "password": PASSWORD}
        ) as response,
    ):
        assert response.status == 200
        assert "progressive" not in response.cookies
        return str((await response.json())["token"])


def comes(token: str | None) -> dict[str, Any]:
    return {"type": "supervisor", "id": an_id(), "token": token}


def confirms(awards: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "type": "validate_round",
        "id": an_id(),
        "round": awards[0]["round"],
        "awards": [each["award"] for each in awards],
    }


async def won(panel: PanelClient) -> list[dict[str, Any]]:
    await panel.ask(panel.lock(1, 2))
    seats = [{"seat": 1, "cards": ONE_SEVEN}, {"seat": 2, "cards": TWO_SEVENS}]
    await panel.ask(panel.settle(dealer={"cards": ["9c"]}, seats=seats))
    return list(panel.state["last"]["awards"])


async def test_supervisor_signs_in_at_the_panel_and_confirms_round_after_round(
    service: Running, staff: Staff, panel: PanelClient, tmp_path: Path
) -> None:
    awards = await won(panel)
    assert [(each["step"], each["pays_from"]) for each in awards] == [("hold", "rack")] * 2
    assert (
        awards[0]["todo"]
        == "hold the cards of seat 2: a supervisor confirms, then pay from the rack"
    )
    refused = await panel.ask(confirms(awards))
    assert (refused["type"], refused["code"]) == ("refused", "NEEDS_APPROVAL")
    came = await panel.ask(comes(await own_token(service.url, "Ann")))
    assert (came["type"], came["supervisor"]["name"]) == ("supervised", "Ann")
    assert came["until"] > "2"
    assert (await panel.ask(confirms(awards)))["type"] == "done"
    assert [(each["step"], each["todo"]) for each in panel.state["last"]["awards"]] == [
        ("pay", "confirmed by Ann: pay from the rack")
    ] * 2
    # One tap for the next round too; it holds up nobody, and what waits stays listed meanwhile.
    awards = await won(panel)
    await panel.ask(panel.lock(1))
    await panel.ask(panel.settle())
    assert [each["award"] for each in panel.state["waiting"]] == [each["award"] for each in awards]
    assert (await panel.ask(confirms(awards)))["type"] == "done"
    assert panel.state["waiting"] == []
    assert [each["step"] for each in panel.state["confirmed"]][-2:] == ["pay", "pay"]
    left = await panel.ask(comes(None))
    assert left["supervisor"] is None
    seen = await acts(staff)
    assert seen.count(("Ann", "validate_award", "done")) == 2
    assert ("Ann", "log_out", "done") in seen


async def test_early_award_is_confirmed_at_the_panel_before_the_peek(
    service: Running, panel: PanelClient
) -> None:
    await panel.ask(panel.lock(2))
    seats = [{"seat": 2, "cards": TWO_SEVENS}]
    await panel.ask(panel.settle(dealer={"cards": ["As"]}, seats=seats, early=True))
    [early] = panel.state["round"]["early"]["awards"]
    assert (early["step"], early["awaits_round"]) == ("hold", True)
    # Shown once, with its round: a supervisor confirms what she sees, and it is paid once.
    assert panel.state["waiting"] == []
    await panel.ask(comes(await own_token(service.url, "Ann")))
    assert (await panel.ask(confirms([early])))["type"] == "done"
    [early] = panel.state["round"]["early"]["awards"]
    assert (early["step"], early["todo"]) == ("pay", "confirmed by Ann: pay from the rack")
    assert early["award"] not in [each["award"] for each in panel.state["confirmed"]]
    final = panel.settle(dealer={"cards": ["As", "9h"]}, seats=seats)
    assert (await panel.ask(final))["type"] == "done"
    assert (panel.state["last"]["awards"], panel.state["waiting"]) == ([], [])


async def test_what_is_confirmed_later_is_told_beside_a_jackpot_that_still_waits(
    service: Running, panel: PanelClient
) -> None:
    await panel.ask(panel.lock(1, 2))
    seats = [{"seat": 1, "cards": THREE_SEVENS}, {"seat": 2, "cards": TWO_SEVENS}]
    await panel.ask(panel.settle(dealer={"cards": ["9c", "8h"]}, seats=seats))
    small = [each for each in panel.state["last"]["awards"] if each["awaits_round"]]
    await panel.ask(panel.lock(1))
    await panel.ask(panel.settle())
    await panel.ask(comes(await own_token(service.url, "Ann")))
    assert (await panel.ask(confirms(small)))["type"] == "done"
    assert [each["line"] for each in panel.state["waiting"]] == ["three_7_diamonds"]
    assert [(each["award"], each["step"]) for each in panel.state["confirmed"]] == [
        (small[0]["award"], "pay")
    ]


async def test_nobody_else_confirms_at_the_panel(service: Running, panel: PanelClient) -> None:
    awards = await won(panel)
    for name, code in (("Bob", "WRONG_ROLE"), ("Dan", "WRONG_ROLE")):
        refused = await panel.ask(comes(await own_token(service.url, name)))
        assert (refused["type"], refused["code"]) == ("refused", code)
    refused = await panel.ask(comes("pss_nonsense"))
    assert refused["code"] == "NO_SESSION"
    assert (await panel.ask(confirms(awards)))["code"] == "NEEDS_APPROVAL"
    # The dealer is still there.
    assert (await panel.ask(panel.lock(3)))["type"] == "done"


@pytest.mark.slow
async def test_supervisors_session_ends_with_her_time_and_with_the_panel(
    service: Running, panel: PanelClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    awards = await won(panel)
    token = await own_token(service.url, "Ann")
    monkeypatch.setattr(panel_supervisor, "SUPERVISOR_MINUTES", 0)
    await panel.ask(comes(token))
    while (message := await panel.receive())["type"] != "supervised":
        pass
    assert (message["id"], message["supervisor"]) == (None, None)
    assert (await panel.ask(confirms(awards)))["code"] == "NEEDS_APPROVAL"
    assert await service.floor.reception.door.holder(token) is None
    monkeypatch.setattr(panel_supervisor, "SUPERVISOR_MINUTES", 10)
    token = await own_token(service.url, "Ann")
    await panel.ask(comes(token))
    await panel.ws.close()
    async with asyncio.timeout(ANSWER_SECONDS):
        while await service.floor.reception.door.holder(token) is not None:
            await asyncio.sleep(0)


async def test_misdeal_at_the_panel_takes_the_supervisor(
    service: Running, staff: Staff, panel: PanelClient, tmp_path: Path
) -> None:
    await panel.ask(panel.lock(1, 2))
    assert panel.state["round"]["void_needs_supervisor"] is True
    misdeal = panel.void()
    refused = await panel.ask(misdeal)
    assert (refused["type"], refused["code"]) == ("refused", "NEEDS_APPROVAL")
    await panel.ask(comes(await own_token(service.url, "Ann")))
    done = await panel.ask(misdeal | {"id": an_id()})
    assert (done["type"], done["seq"]) == ("done", 2)
    assert panel.state["round"] is None
    # Sent again, because the answer was lost: it is answered as done, and nothing happens twice.
    again = await panel.ask(misdeal)
    assert (again["type"], again["seq"], again["repeat"]) == ("done", 2, True)
    assert ("Ann", "void_round", "done") in await acts(staff)


# --- the whole of it, read again --------------------------------------------------------------


@pytest.mark.slow
async def test_journal_of_such_an_evening_verifies(tmp_path: Path) -> None:
    rules = strict(shipped_rules())
    data = tmp_path / "data"
    async with (
        running(rules, data=data, host="127.0.0.1", port=0) as service,
        working(service.url, data) as staff,
        TableClient.connect(service.url, "BJ-01", issue_key(data, "BJ-01")) as table,
    ):
        await settled(table, {1: ONE_SEVEN, 2: TWO_SEVENS})
        assert (await staff.post(ANN, f"{AT}/validate"))[0] == 200
        await table.ask(lock(3, "r2", seats=(1,)))
        void_at = "/v1/tables/BJ-01/rounds/r2/void"
        assert (await staff.post(ANN, void_at, {"reason": "misdeal"}))[0] == 200
    assert "main" in verified(data)
    # Killed or stopped, it goes on where it was.
    async with (
        running(rules, data=data, host="127.0.0.1", port=0) as service,
        TableClient.connect(service.url, "BJ-01", issue_key(data, "BJ-01")) as table,
    ):
        assert (await table.ask(lock(5, "r3")))["type"] == "locked"
