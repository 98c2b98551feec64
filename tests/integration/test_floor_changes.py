"""Money does not leave with the floor file: what was dropped, moved or renamed is refused or kept.

Each part starts the real service on one data directory with another floor file, over HTTP.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from progressive.adapters.clock import SystemClock
from progressive.adapters.config.files import shipped_config
from progressive.adapters.config.floor import load_floor
from progressive.domain.people.roles import Person, Role
from progressive.entry.bootstrap import running
from tests.support.people import PASSWORD, a_people_desk
from tests.support.service import TableClient, issue_key, lock, run_command, settle, void

pytestmark = pytest.mark.slow

Json = dict[str, Any]

HEAD = """
schema = 1
name = "Boardwalk Casino"
currency = "USD"
time_zone = "America/New_York"
gaming_day_starts = "06:00"
jurisdiction = "us-nj"
"""


def a_floor(
    *links: str,
    tables: str = "",
    mega: str = "Mega",
    minor: str = "Minor",
    rack_limit_cents: int = 200_000,
    head: str = HEAD,
    paytable: str = "3",
) -> str:
    """A floor file with these links, and a table of each."""
    text = head
    for link in links:
        meters = (
            f"""
[[link.bet.meter]]
id = "mega"
name = "{mega}"
rate_ppm = 200000
initial_cents = 10000000
reset_cents = 2500000
[[link.bet.meter]]
id = "major"
name = "Major"
rate_ppm = 10000
initial_cents = 1500000
reset_cents = 500000
[[link.bet.meter]]
id = "minor"
name = "{minor}"
rate_ppm = 10000
initial_cents = 300000
reset_cents = 250000
"""
            if paytable == "3"
            else """
[[link.bet.meter]]
id = "progressive"
name = "Progressive"
rate_ppm = 200000
initial_cents = 10000000
reset_cents = 2500000
"""
        )
        text += f"""
[[link]]
id = "{link}"
name = "{link}"
decks = 6
dealer_procedure = "card_reader"
soft17 = "hit"
rack_limit_cents = {rack_limit_cents}
[[link.bet]]
id = "blazing7"
game = "nj-blazing-7s"
paytable = "{paytable}"
dealing_option = 1
wager_cents = 500
{meters}
"""
    return text + (tables or "".join(a_table(f"{link}-1", link) for link in links))


def a_table(table: str, link: str, seats: int = 7) -> str:
    return f'[[table]]\nid = "{table}"\nlink = "{link}"\nseats = {seats}\n'


class Service:
    """A running service, as those outside see it."""

    def __init__(self, url: str, data: Path) -> None:
        self.url = url
        self._data = data

    async def get(self, path: str) -> tuple[int, Json]:
        async with aiohttp.ClientSession() as session, session.get(self.url + path) as answer:
            return answer.status, await answer.json()

    async def links(self) -> dict[str, Json]:
        _, body = await self.get("/v1/links")
        return {link["id"]: link for link in body["links"]}

    async def ask(self, table: str, *messages: Json) -> list[Json]:
        key = issue_key(self._data, table)
        async with TableClient.connect(self.url, table, key) as client:
            return [await client.ask(message) for message in messages]

    async def alarms(self, who: Person) -> list[Json]:
        async with aiohttp.ClientSession(self.url) as session:
            body = {"user": who.name, "password": PASSWORD}
            async with session.post("/v1/sessions", json=body) as answer:
                token = (await answer.json())["token"]
            headers = {"Authorization": f"Bearer {token}"}
            async with session.get("/v1/alarms", headers=headers) as answer:
                found: list[Json] = (await answer.json())["alarms"]
                return found


@asynccontextmanager
async def served(tmp_path: Path, text: str) -> AsyncIterator[Service]:
    floor = tmp_path / "floor.toml"
    floor.write_text(text)
    data = tmp_path / "data"
    async with running(load_floor(floor).rules, data=data, host="127.0.0.1", port=0) as service:
        yield Service(service.url, data)


async def test_link_that_left_the_floor_file_stays_in_sight_with_its_money(tmp_path: Path) -> None:
    async with served(tmp_path, a_floor("main", "high")) as service:
        await service.ask("main-1", lock(1, "r1", (1, 2)), void(2, "r1"), lock(3, "r2", (1,)))
        await service.ask("main-1", void(4, "r2"))
    async with served(tmp_path, a_floor("high")) as service:
        links = await service.links()
        ready, body = await service.get("/readyz")
        answer = await service.ask("high-1", lock(1, "r1"))
        _, meters = await service.get("/v1/links/main/meters")
    assert links["main"]["state"] == "inoperable"
    assert links["main"]["reason"] == (
        "link main holds $118,000.00 and is not in the floor file: put it back or retire it"
    )
    assert [meter["cents"] for meter in links["main"]["meters"]] == [10_000_000, 1_500_000, 300_000]
    assert [meter["cents"] for meter in meters["meters"]] == [10_000_000, 1_500_000, 300_000]
    # The other link goes on; the service as a whole says that something is missing.
    assert (links["high"]["state"], answer[0]["type"]) == ("live", "locked")
    assert (ready, body["links"]["main"]["state"]) == (503, "inoperable")
    async with served(tmp_path, a_floor("main", "high")) as service:
        assert (await service.links())["main"]["state"] == "live"


async def test_table_does_not_leave_with_a_round_open(tmp_path: Path) -> None:
    tables = a_table("main-1", "main") + a_table("main-2", "main") + a_table("high-1", "high")
    async with served(tmp_path, a_floor("main", "high", tables=tables)) as service:
        await service.ask("main-1", lock(1, "r77", (1, 6)))
    without = a_table("main-2", "main") + a_table("high-1", "high")
    moved = without + a_table("main-1", "high")
    smaller = without + a_table("main-1", "main", seats=5)
    gone = "table main-1 is not among the tables of link main in the floor file"
    for text, what in ((without, gone), (moved, gone), (smaller, "table main-1 has 5 seats")):
        async with served(tmp_path, a_floor("main", "high", tables=text)) as service:
            links = await service.links()
        assert links["main"]["state"] == "inoperable"
        assert what in links["main"]["reason"]
        assert "its round r77 is open: put it back" in links["main"]["reason"]
        assert links["high"]["state"] == "live"
    async with served(tmp_path, a_floor("main", "high", tables=tables)) as service:
        (answer,) = await service.ask("main-1", void(2, "r77"))
        assert answer["type"] == "voided"
    async with served(tmp_path, a_floor("main", "high", tables=without)) as service:
        assert (await service.links())["main"]["state"] == "live"


async def test_names_policy_zone_and_day_wait_for_approval_and_a_table_does_not(
    tmp_path: Path,
) -> None:
    async with served(tmp_path, a_floor("main")) as service:
        await service.ask("main-1", lock(1, "r1"), void(2, "r1"))
    approval = (
        '[[payment_approval]]\nfrom = "2020-01-01"\nclause = "house"\n'
        "step = [{ from_cents = 1, approvers = 1 }]\n"
    )
    for text, what in (
        (a_floor("main", mega="Minor", minor="Mega"), "meter.mega.name: Mega in the journal"),
        (a_floor("main", rack_limit_cents=10**9), "rack_limit_cents: 200000 in the journal"),
        (a_floor("main", head=HEAD + approval), "payment_approval: none in the journal"),
        (a_floor("main", head=HEAD.replace("New_York", "Chicago")), "time_zone: America/New"),
        (a_floor("main", head=HEAD.replace("06:00", "07:00")), "gaming_day_starts: 06:00"),
    ):
        async with served(tmp_path, text) as service:
            link = (await service.links())["main"]
        assert link["state"] == "inoperable"
        assert what in link["reason"]
    more = a_floor("main", tables=a_table("main-1", "main") + a_table("new-1", "main"))
    async with served(tmp_path, more) as service:
        assert (await service.links())["main"]["state"] == "live"


# --- what people do about it -------------------------------------------------------------------

CLEO = Person("Cleo", Role.COMPLIANCE, "Compliance")
SUE = Person("Sue", Role.SUPERVISOR, "Table games")


async def staffed(tmp_path: Path) -> None:
    async with a_people_desk(tmp_path / "data", SystemClock()) as desk:
        await desk.add(CLEO, SUE)


async def command(service: Service, name: str, who: Person, *options: str) -> str:
    """Run a command as somebody, against the service in this process."""
    ran = await asyncio.to_thread(
        run_command,
        *(name, "main", "--server", service.url, "--user", who.name, *options),
        input=PASSWORD,
    )
    return str(ran.stdout + ran.stderr)


async def test_names_are_swapped_by_two_departments_with_a_reason(tmp_path: Path) -> None:
    await staffed(tmp_path)
    async with served(tmp_path, a_floor("main")) as service:
        await service.ask("main-1", lock(1, "r1"), void(2, "r1"))
    async with served(tmp_path, a_floor("main", mega="Minor", minor="Mega")) as service:
        assert "--reason" in await command(service, "approve", CLEO)
        assert "Expected `str` of length >= 3" in await command(
            service, "approve", CLEO, "--reason", ""
        )
        first = await command(service, "approve", CLEO, "--reason", "the contract of 1 May")
        assert "approved by Cleo; it takes a second person" in first
        second = await command(service, "approve", SUE, "--reason", "seen and agreed")
        assert "approved by two people: live" in second
        assert (await service.links())["main"]["meters"][0]["name"] == "Minor"


async def test_longer_odds_under_a_grown_meter_are_not_even_two_people_s_to_approve(
    tmp_path: Path,
) -> None:
    """New Jersey, paytable 1 to 2 with players' money on the meter: the whole gets rarer."""
    await staffed(tmp_path)
    async with served(tmp_path, a_floor("main", paytable="1")) as service:
        await service.ask("main-1", lock(1, "r1"), settle(2, "r1"))
    async with served(tmp_path, a_floor("main", paytable="2")) as service:
        said = await command(service, "approve", CLEO, "--reason", "a new paytable")
        assert "100 percent of progressive is 1 in 65,855 now and would be 1 in 263,420" in said
        assert "N.J.A.C. 13:69D-1.39" in said
        assert (await service.links())["main"]["state"] == "inoperable"


async def test_link_is_retired_and_may_leave(tmp_path: Path) -> None:
    """Dropped with its money, retired by two departments, then gone for good and still proved."""
    await staffed(tmp_path)
    rules = tmp_path / "jurisdictions"
    rules.mkdir()
    text = (shipped_config() / "jurisdictions" / "us-nj.toml").read_text("utf-8")
    (rules / "us-nj.toml").write_text(text.replace("notice_days = 30", "notice_days = 0"))
    async with served(tmp_path, a_floor("main", "high")) as service:
        await service.ask("main-1", lock(1, "r1", (1, 2)), void(2, "r1"), lock(3, "r2"))
        await service.ask("main-1", settle(4, "r2"))
    async with served(tmp_path, a_floor("high")) as service:
        # What was paid in since: 22 percent of $5 on the three meters.
        assert "holds $118,001.10" in (await service.links())["main"]["reason"]
        assert "posted until" in await command(service, "retire", CLEO, "--reason", "it closes")
        link = (await service.links())["main"]
        assert link["retires_at"] is not None
        _, posted = await service.get("/v1/links/main/posted")
        assert posted["retires_at"] == link["retires_at"]
        alone = await command(service, "retire", CLEO, "--reason", "it closes")
        assert "it takes a second one" in alone
        done = await command(service, "retire", SUE, "--reason", "agreed")
        assert "11800110 cents are parked" in done
        link = (await service.links())["main"]
        assert "link main is retired, $118,001.10 are parked" in link["reason"]
        assert (link["parked_cents"], [m["cents"] for m in link["meters"]]) == (11800110, [0, 0, 0])
    async with served(tmp_path, a_floor("high")) as service:
        assert list(await service.links()) == ["high"]
        assert (await service.get("/readyz"))[0] == 200
    # A new link is not taken for the retired one under another name.
    async with served(tmp_path, a_floor("high", "new")) as service:
        assert {link["state"] for link in (await service.links()).values()} == {"live"}
    async with served(tmp_path, a_floor("main", "high", "new")) as service:
        assert "is retired" in (await service.links())["main"]["reason"]
    proved = run_command("verify", "--data", tmp_path / "data")
    assert (proved.returncode, "are parked" in proved.stdout) == (0, True), proved.stdout


async def test_local_rules_that_ask_for_less_are_an_alarm(tmp_path: Path) -> None:
    await staffed(tmp_path)
    rules = tmp_path / "jurisdictions"
    rules.mkdir()
    text = (shipped_config() / "jurisdictions" / "us-nj.toml").read_text("utf-8")
    (rules / "us-nj.toml").write_text(text.replace("ppm = 200000", "ppm = 40000"))
    async with served(tmp_path, a_floor("main")) as service:
        alarms = await service.alarms(SUE)
    (alarm,) = [each for each in alarms if each["kind"] == "lesser_rules"]
    assert alarm["message"] == (
        "us-nj: combined_min_ppm 40000, shipped 200000, N.J.A.C. 13:69F-2.28(i)"
    )
