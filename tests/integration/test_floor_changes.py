"""Money does not leave with the floor file: what was dropped, moved or renamed is refused or kept.

Each part starts the real service on one data directory with another floor file, over HTTP.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from progressive.adapters.config.floor import load_floor
from progressive.entry.bootstrap import running
from tests.support.service import TableClient, issue_key, lock, void

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
