"""kill -9 between any two steps of an award's life: the state as before, the series whole."""

import asyncio
import json
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.support.awards import MEGA_HAND
from tests.support.cage import ANN, BEN, CARA, DORA, FRED, HUGH, Cage, staffed
from tests.support.service import (
    ANSWER_SECONDS,
    FLOOR,
    Message,
    ServiceProcess,
    TableClient,
    issue_key,
    lock,
    run_command,
    settle,
    void,
)

TABLE = "BJ-01"
FIRST, SECOND, MINOR = "main.4.1", "main.4.2", "main.4.3"
"""The awards of the round below, in the order of payment."""
MINOR_HAND = "7s 7c 7s"
KILLS = 6


def with_cards(seq: int, round_id: str, hands: dict[int, str]) -> Message:
    seats = [{"seat": seat, "cards": hand.split()} for seat, hand in hands.items()]
    return settle(seq, round_id, seats=seats, dealer={"cards": ["5s"]}, complete=True)


WINNERS = with_cards(2, "r1", {1: MINOR_HAND, 2: MEGA_HAND, 3: MEGA_HAND})

Step = Callable[[Cage, TableClient], Awaitable[object]]


def asks(who: Any, path: str, **body: object) -> Step:  # noqa: ANN401 - a person
    return lambda cage, _: cage.done(who, path, body)


def plays(message: Message) -> Step:
    async def play(_: Cage, table: TableClient) -> None:
        answer = await table.ask(message)
        assert answer["type"] != "error", answer

    return play


LIFE: list[tuple[str, Step]] = [
    ("a dealer signs on", asks(DORA, f"/v1/tables/{TABLE}/dealer")),
    ("lock-out", plays(lock(1, "r1", (1, 2, 3)))),
    ("settlement", plays(WINNERS)),
    ("validation", asks(ANN, f"/v1/awards/{SECOND}/validate")),
    ("doubt", asks(ANN, f"/v1/awards/{FIRST}/void", reason="the light was off")),
    ("void", asks(BEN, f"/v1/awards/{FIRST}/void/approve")),
    ("validation anew", asks(ANN, f"/v1/awards/{SECOND}/validate")),
    ("approval", asks(FRED, f"/v1/awards/{SECOND}/approve")),
    ("second approval", asks(HUGH, f"/v1/awards/{SECOND}/approve")),
    ("payment", asks(CARA, f"/v1/awards/{SECOND}/pay")),
    ("validation of the minor", asks(BEN, f"/v1/awards/{MINOR}/validate")),
    ("payment by a manual slip", asks(CARA, f"/v1/awards/{MINOR}/pay", document="A-4711")),
    (
        "correction",
        asks(
            FRED,
            "/v1/links/main/corrections",
            reason="misread at the change of boards",
            legs=[{"meter": "mega", "amount_cents": 12_345}],
        ),
    ),
    ("correction approved", asks(HUGH, "/v1/corrections/main.14/approve")),
]


async def told(cage: Cage) -> dict[str, Any]:
    """Everything that people can see of awards, corrections and meters."""
    seen = {
        path: await cage.read(path)
        for path in ("/v1/awards", "/v1/links/main/corrections", "/v1/links/main/meters")
    }
    # A restart has an epoch of its own.
    del seen["/v1/links/main/meters"]["epoch"]
    return seen


@asynccontextmanager
async def a_feed(url: str) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(f"{url}/v1/links/main/feed?sign=entrance") as feed,
    ):
        yield feed


@pytest.mark.slow
async def test_every_step_of_an_awards_life_survives_a_kill_behind_it(tmp_path: Path) -> None:
    data = tmp_path / "data"
    tokens = await staffed(data)
    key = issue_key(data, TABLE)
    before: dict[str, Any] | None = None
    for name, step in LIFE:
        with ServiceProcess(data) as service:
            async with (
                Cage.at(service.url, tokens) as cage,
                TableClient.connect(service.url, TABLE, key) as table,
            ):
                assert before in (None, await told(cage)), f"before {name}"
                await step(cage, table)
                before = await told(cage)
            service.kill()
    with ServiceProcess(data) as service:
        async with Cage.at(service.url, tokens) as cage:
            assert await told(cage) == before
            awards = {each["award"]: each for each in (await cage.read("/v1/awards"))["awards"]}
    assert {name: (each["status"], each["amount_cents"]) for name, each in awards.items()} == {
        FIRST: ("void", 10_000_180),
        # The second winner behind the void claim has the whole meter.
        SECOND: ("paid", 10_000_180),
        MINOR: ("paid", 300_060),
    }
    assert awards[SECOND]["document"] == "main-P000001"
    verified = run_command("verify", "--data", data)
    assert verified.returncode == 0, verified.stdout + verified.stderr


TWO_SEVENS, ONE_SEVEN = "7s 7h", "7c 2c"
AT = f"/v1/tables/{TABLE}/rounds"
CONFIRMED_LIFE: list[tuple[str, Step]] = [
    ("a dealer signs on", asks(DORA, f"/v1/tables/{TABLE}/dealer")),
    ("lock-out", plays(lock(1, "r1", (1, 2)))),
    ("settlement", plays(with_cards(2, "r1", {1: ONE_SEVEN, 2: TWO_SEVENS}))),
    ("confirmation", asks(ANN, f"{AT}/r1/validate")),
    ("next lock-out", plays(lock(3, "r2", (1,)))),
    ("void by a supervisor", asks(ANN, f"{AT}/r2/void", reason="card exposed")),
    ("the controller's own void", plays(void(4, "r2"))),
    ("another lock-out", plays(lock(5, "r3", (1,)))),
]


@pytest.mark.slow
async def test_confirmed_round_and_supervised_void_survive_a_kill_behind_them(
    tmp_path: Path,
) -> None:
    """Every payout is confirmed on this floor, and voids are a supervisor's."""
    floor = tmp_path / "floor.toml"
    strict = 'dealing_option = 1\nvalidation = "every"'
    floor.write_text(FLOOR.read_text("utf-8").replace("dealing_option = 1", strict, 1), "utf-8")
    data = tmp_path / "data"
    tokens = await staffed(data)
    key = issue_key(data, TABLE)
    before: dict[str, Any] | None = None
    for name, step in CONFIRMED_LIFE:
        with ServiceProcess(data, floor=floor) as service:
            async with (
                Cage.at(service.url, tokens) as cage,
                TableClient.connect(service.url, TABLE, key) as table,
            ):
                assert before in (None, await told(cage)), f"before {name}"
                await step(cage, table)
                before = await told(cage)
            service.kill()
    assert before is not None
    awards = before["/v1/awards"]["awards"]
    assert [(each["seat"], each["status"], each["validated_by"]["name"]) for each in awards] == [
        (2, "paid", ANN.name),
        (1, "paid", ANN.name),
    ]
    verified = run_command("verify", "--data", data)
    assert verified.returncode == 0, verified.stdout + verified.stderr


@pytest.mark.slow
async def test_win_is_shown_once_and_the_answer_stays_the_same(tmp_path: Path) -> None:
    data = tmp_path / "data"
    key = issue_key(data, TABLE)
    with ServiceProcess(data) as service:
        async with (
            a_feed(service.url) as feed,
            TableClient.connect(service.url, TABLE, key) as table,
        ):
            await table.ask(lock(1, "r1", (1, 2, 3)))
            first = await table.ask(WINNERS)
            wins = [each["award"] for each in await frames_until(feed, wins=3)]
        service.kill()
    assert wins == [award["award"] for award in first["awards"]]
    with ServiceProcess(data) as service:
        async with (
            a_feed(service.url) as feed,
            TableClient.connect(service.url, TABLE, key) as table,
        ):
            snapshot = json.loads((await feed.receive()).data)
            assert (snapshot["type"], snapshot["wins"]) == ("snapshot", [])
            assert await table.ask(WINNERS) == first | {"repeat": True}
            seq = (await table.ask(lock(3, "r2")))["journal_seq"]
            assert await frames_until(feed, seq=seq) == []


async def frames_until(
    feed: aiohttp.ClientWebSocketResponse, *, wins: int = 0, seq: int = 0
) -> list[Message]:
    """The wins among the frames, up to so many of them or up to an update that new."""
    found: list[Message] = []
    async with asyncio.timeout(ANSWER_SECONDS):
        async for frame in feed:
            message: Message = json.loads(frame.data)
            if message["type"] == "win":
                found.append(message)
            new_enough = message["type"] == "update" and seq and message["seq"] >= seq
            if new_enough or (wins and len(found) == wins):
                break
    return found


@pytest.mark.slow
async def test_series_of_documents_has_no_gap_and_no_repeat_however_payments_are_cut_off(
    tmp_path: Path,
) -> None:
    seed = random.SystemRandom().randrange(10**6)
    print(f"seed {seed}")
    moments = random.Random(seed)
    data = tmp_path / "data"
    tokens = await staffed(data)
    key = issue_key(data, TABLE)
    awards: list[str] = []
    with ServiceProcess(data) as service:
        async with (
            Cage.at(service.url, tokens) as cage,
            TableClient.connect(service.url, TABLE, key) as table,
        ):
            for number in range(KILLS):
                await table.ask(lock(2 * number + 1, f"r{number}"))
                hit = with_cards(2 * number + 2, f"r{number}", {1: MINOR_HAND})
                awards.append((await table.ask(hit))["awards"][0]["award"])
                await cage.done(ANN, f"/v1/awards/{awards[-1]}/validate")
        service.kill()
    for award in awards:
        with ServiceProcess(data) as service:
            async with Cage.at(service.url, tokens) as cage:
                paying = asyncio.create_task(
                    cage.asks(CARA, "POST", f"/v1/awards/{award}/pay", {}, key=award)
                )
                # A moment in the life of the request, not a time to wait for anything.
                await asyncio.sleep(moments.uniform(0, 0.02))
                service.kill()
                await asyncio.gather(paying, return_exceptions=True)
        with ServiceProcess(data) as service:
            async with Cage.at(service.url, tokens) as cage:
                # Whoever was not answered sends it again; it is paid now, by one document.
                status, answer = await cage.asks(
                    CARA, "POST", f"/v1/awards/{award}/pay", {}, key=award
                )
                assert status == 200 or answer["error"]["code"] == "WRONG_STATUS", answer
                view = (await cage.read(f"/v1/awards/{award}"))["award"]
                assert view["status"] == "paid"
    with ServiceProcess(data) as service:
        async with Cage.at(service.url, tokens) as cage:
            paid = (await cage.read("/v1/awards?status=paid"))["awards"]
    assert [each["document"] for each in paid] == [
        f"main-P{number:06}" for number in range(1, KILLS + 1)
    ]
    verified = run_command("verify", "--data", data)
    assert verified.returncode == 0, verified.stdout + verified.stderr
