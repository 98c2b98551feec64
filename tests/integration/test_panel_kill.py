"""The power goes while a dealer works: kill -9 in the middle of each step of a panel's round."""

import asyncio
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.support.panels import DANA, PanelClient, token_of
from tests.support.people import PASSWORD
from tests.support.service import ServiceProcess, run_command

TABLE = "BJ-01"
EARLY = {
    "early": True,
    "dealer": {"cards": ["Ks"]},
    "seats": [{"seat": 5, "cards": ["7d", "7d"]}],
}
WON = {
    "dealer": {"cards": ["Ks", "9d"]},
    "seats": [{"seat": 2, "cards": ["7d", "7d", "7d"]}, {"seat": 5, "cards": ["7d", "7d", "7d"]}],
}
STEPS: list[tuple[str, dict[str, Any]]] = [
    ("lock", {}),
    ("void", {}),
    ("lock", {}),
    ("settle", EARLY),
    ("settle", WON),
    ("lock", {}),
    ("settle", {}),
]


class Mortal:
    """A service that dies and comes back at the same address."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.process = ServiceProcess(data)
        self.url = self.process.url

    async def die(self) -> None:
        await asyncio.to_thread(self.process.kill)

    async def rise(self) -> None:
        port = self.process.port
        self.process = await asyncio.to_thread(ServiceProcess, self.data, port=port)


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Mortal]:
    dealer_of(tmp_path / "data")
    mortal = Mortal(tmp_path / "data")
    yield mortal
    mortal.process.__exit__()


def next_message(panel: PanelClient, kind: str, changes: dict[str, Any]) -> dict[str, Any]:
    if kind == "lock":
        return panel.lock(2, 5, **changes)
    if kind == "void":
        return panel.void()
    return panel.settle(**changes)


def dealer_of(data: Path) -> None:
    added = run_command(
        *("user", "add", DANA.name, "--role", "dealer", "--department", DANA.department),
        *("--data", data),
        input=f"{PASSWORD}\n",
    )
    assert added.returncode == 0, added.stderr


@pytest.mark.slow
@pytest.mark.parametrize("moment", ["sent", "a little later", "answered"])
async def test_killed_in_the_middle_of_each_step_nothing_is_lost_or_doubled(
    service: Mortal, moment: str
) -> None:
    seed = random.SystemRandom().randrange(10**6)
    print(f"seed {seed}")
    moments = random.Random(seed)
    token = await token_of(service.url, DANA)
    for number, (kind, changes) in enumerate(STEPS, start=1):
        async with PanelClient.connect(service.url, TABLE, token) as panel:
            assert panel.state["seq"] == number - 1
            message = next_message(panel, kind, changes)
            await panel.send(message)
            if moment == "answered":
                await panel.answer_to(message["id"])
            elif moment != "sent":
                # A moment in the life of the process, not a time to wait for anything.
                await asyncio.sleep(moments.uniform(0, 0.01))
            await service.die()
        await service.rise()
        # The page comes back by itself and sends what it was not answered.
        async with PanelClient.connect(service.url, TABLE, token) as panel:
            assert (await panel.ask(message))["type"] == "done"
            assert panel.state["seq"] == number
            assert panel.state["dealer"]["name"] == "Dana"
    async with PanelClient.connect(service.url, TABLE, token) as panel:
        amounts = {meter["id"]: meter["cents"] for meter in panel.state["meters"]}
        # Three lock-outs of two wagers, one voided; Mega reset by the first of two winners, then
        # by the second: the house's part, and what the third lock-out brought.
        assert amounts["mega"] == 2_500_000 + 2 * 60
        assert [award["amount_cents"] for award in panel.state["waiting"]] == [
            10_000_120,
            2_500_010,
        ]
    assert await asyncio.to_thread(service.process.terminate) == 0
    verified = run_command("verify", "--data", service.data)
    assert verified.returncode == 0, verified.stdout + verified.stderr


@pytest.mark.slow
async def test_two_panels_and_a_service_that_keeps_dying_agree_in_the_end(
    service: Mortal,
) -> None:
    """Both press at once, each sends until it is answered: one of them was first, always."""
    token = await token_of(service.url, DANA)
    moments = random.Random(11)

    async def press(message: dict[str, Any], url: str) -> dict[str, Any]:
        while True:
            try:
                async with PanelClient.connect(url, TABLE, token) as panel:
                    return await panel.ask(message)
            except (aiohttp.ClientError, AssertionError, ConnectionError):
                await asyncio.sleep(0.05)

    for number in range(1, 7):
        async with PanelClient.connect(service.url, TABLE, token) as panel:
            kind = "lock" if number % 2 else "settle"
            messages = [next_message(panel, kind, {}) for _ in range(2)]
        pressing = [asyncio.create_task(press(each, service.url)) for each in messages]
        await asyncio.sleep(moments.uniform(0, 0.1))
        await service.die()
        await service.rise()
        answers = await asyncio.gather(*pressing)
        if kind == "lock":
            assert sorted(answer["type"] for answer in answers) == ["done", "refused"]
        else:
            # The same settlement of the same round: both are told that it is done.
            assert [answer["type"] for answer in answers] == ["done", "done"]
    async with PanelClient.connect(service.url, TABLE, token) as panel:
        assert panel.state["seq"] == 6
        assert panel.state["meters"][0]["cents"] == 10_000_000 + 3 * 120
