"""The demo's staff at work over the real HTTP: validated, approved, paid, and some left alone."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from msgspec import structs

from progressive.entry.bootstrap import Running, running
from progressive.entry.commands.demo_people import DemoLogIn, renewed_people
from progressive.entry.commands.demo_staff import LEFT_OPEN, DemoStaff, StaffError
from tests.support.service import TableClient, issue_key, lock, settle, shipped_rules

pytestmark = pytest.mark.slow

DIAMONDS = {"seat": 1, "cards": ["7d", "7d", "7d"]}


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Running]:
    rules = shipped_rules()
    async with running(rules, data=tmp_path / "data", host="127.0.0.1", port=0) as service:
        yield service


@pytest.fixture
async def people(service: Running) -> list[DemoLogIn]:
    return await renewed_people(service.floor.reception.people)


@pytest.fixture
async def session(service: Running) -> AsyncIterator[aiohttp.ClientSession]:
    jar = aiohttp.DummyCookieJar()
    async with aiohttp.ClientSession(service.url, cookie_jar=jar) as session:
        yield session


async def win_megas(service: Running, data: Path, count: int) -> None:
    """So many Megas at one table, one after another."""
    key = issue_key(data, "BJ-01")
    async with TableClient.connect(service.url, "BJ-01", key) as table:
        for number in range(count):
            seq, name = 2 * number + 1, f"r{number}"
            await table.ask(lock(seq, name))
            await table.ask(settle(seq + 1, name, seats=[DIAMONDS], dealer={"cards": ["9s", "8s"]}))


async def awards(session: aiohttp.ClientSession, people: list[DemoLogIn]) -> list[dict[str, Any]]:
    auditor = next(each for each in people if each.person.name == "demo-auditor")
    credentials = {"user": "demo-auditor", "password": auditor.password}
    async with session.post("/v1/sessions", json=credentials) as response:
        token = (await response.json())["token"]
    headers = {"Authorization": f"Bearer {token}"}
    async with session.get("/v1/awards", headers=headers) as response:
        listed: list[dict[str, Any]] = (await response.json())["awards"]
        return listed


async def test_the_oldest_is_paid_with_all_its_signatures_and_the_newest_are_left(
    service: Running, people: list[DemoLogIn], session: aiohttp.ClientSession, tmp_path: Path
) -> None:
    await win_megas(service, tmp_path / "data", 1 + LEFT_OPEN)
    staff = DemoStaff(session, people)
    await staff.work_once()
    oldest, *newest = await awards(session, people)
    assert oldest["amount_cents"] > 10_000_000, "the whole Mega: two must approve it"
    assert (oldest["status"], oldest["document"]) == ("paid", "main-P000001")
    assert oldest["validated_by"]["name"] == "demo-supervisor"
    assert [each["name"] for each in oldest["approved_by"]] == ["demo-finance", "demo-accountant"]
    assert oldest["paid_by"]["name"] == "demo-cashier"
    assert [each["status"] for each in newest] == ["pending"] * LEFT_OPEN
    assert (staff.validated, staff.paid) == (1, 1)
    await staff.work_once()
    assert staff.paid == 1, "nothing new, nothing to do"


async def test_what_somebody_began_is_carried_on(
    service: Running, people: list[DemoLogIn], session: aiohttp.ClientSession, tmp_path: Path
) -> None:
    await win_megas(service, tmp_path / "data", 1 + LEFT_OPEN)
    staff = DemoStaff(session, people)
    first = (await awards(session, people))[0]["award"]
    await staff._ask("demo-supervisor", "POST", f"/v1/awards/{first}/validate")
    await staff._ask("demo-finance", "POST", f"/v1/awards/{first}/approve")
    await staff.work_once()
    assert (await awards(session, people))[0]["status"] == "paid"
    assert (staff.validated, staff.paid) == (0, 1)


async def test_an_award_that_somebody_wants_void_is_left_alone(
    service: Running, people: list[DemoLogIn], session: aiohttp.ClientSession, tmp_path: Path
) -> None:
    await win_megas(service, tmp_path / "data", 1 + LEFT_OPEN)
    staff = DemoStaff(session, people)
    first = (await awards(session, people))[0]["award"]
    await staff._log_in("demo-supervisor-2")
    headers = {"Authorization": f"Bearer {staff._tokens['demo-supervisor-2']}"}
    body = {"reason": "the card was misread"}
    async with session.post(f"/v1/awards/{first}/void", headers=headers, json=body) as response:
        assert response.status == 202
    await staff.work_once()
    assert staff.paid == 0


async def test_trouble_says_who_was_refused_what(
    service: Running, people: list[DemoLogIn], session: aiohttp.ClientSession
) -> None:
    wrong = [structs.replace(each, password="not this one") for each in people]
    with pytest.raises(StaffError, match=r"demo-supervisor cannot log in: 401 .*BAD_CREDENTIALS"):
        await DemoStaff(session, wrong).work_once()
    with pytest.raises(StaffError, match=r"demo-cashier: POST /v1/awards/main\.9\.9/pay: 404"):
        await DemoStaff(session, people)._ask("demo-cashier", "POST", "/v1/awards/main.9.9/pay")
