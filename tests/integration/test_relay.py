"""Relays of the real service: killed, restored, lied about, chained; no sign ever goes back."""

import asyncio
import contextlib
import json
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from display import mirror
from tests.support.lying_proxy import a_lying_proxy
from tests.support.relays import RelayProcess, a_relay, a_sign
from tests.support.service import (
    ROOT,
    Message,
    ServiceProcess,
    TableClient,
    issue_key,
    lock,
    settle,
)
from tests.support.upstreams import until

pytestmark = pytest.mark.slow

WINNER = {"seats": [{"seat": 1, "cards": ["7d", "7d", "7d"]}], "dealer": {"cards": ["5s"]}}


@pytest.fixture(autouse=True)
def quick_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    """For relays inside the test; those in processes of their own wait as they always do."""
    monkeypatch.setattr("progressive.common.backoff.LONGEST_SECONDS", 0.2)


class Table:
    """Plays rounds at BJ-01."""

    def __init__(self, client: TableClient) -> None:
        self._client = client
        self._seq: int = client.welcome["next_seq"]

    async def play(self, rounds: int = 1, *, wins: bool = False) -> Message:
        answer: Message = {}
        for _ in range(rounds):
            name = f"r{self._seq}"
            await self._client.ask(lock(self._seq, name))
            answer = await self._client.ask(settle(self._seq + 1, name, **(WINNER if wins else {})))
            assert answer["type"] == "settled"
            self._seq += 2
        return answer


@contextlib.asynccontextmanager
async def a_table(service: ServiceProcess) -> AsyncIterator[Table]:
    key = issue_key(service.data, "BJ-01")
    async with TableClient.connect(service.url, "BJ-01", key) as client:
        yield Table(client)


@pytest.fixture
def service(tmp_path: Path) -> Iterator[ServiceProcess]:
    with ServiceProcess(tmp_path / "data") as running:
        yield running


async def test_same_bytes_arrive_three_relays_deep(service: ServiceProcess) -> None:
    async with (
        a_relay(service.url, name="first") as first,
        a_relay(first.url, name="second") as second,
        a_relay(second.url, name="third") as third,
        a_sign(service.url) as near,
        a_sign(third.url) as far,
        a_table(service) as table,
    ):
        await table.play(5)
        await table.play(wins=True)
        last = await table.play(5)
        for sign in (near, far):
            await sign.until_seq(last["journal_seq"])
            await sign.next_of("tick")
        # Late by a moment it may be, and it may have skipped; but it says nothing of its own.
        await near.next_of("tick")
        assert set(far.texts[1:]) <= set(near.texts)
        assert far.awards == near.awards == ["main.13.1"]
        shown = [message for message in far.heard if message["type"] == "update"]
        assert shown[-1]["meters"] == last["meters"]
        async with a_sign(third.url, "?epoch=1&seq=1") as late, a_sign(service.url) as there:
            snapshot, its = await late.next(), await there.next()
            assert snapshot.pop("age_ms") < mirror.FRESH_MS
            assert its.pop("age_ms") == 0
            assert snapshot == its


@pytest.mark.slow
async def test_service_killed_and_restarted_heals_without_a_step_back(
    service: ServiceProcess,
) -> None:
    async with (
        a_relay(service.url, name="first") as first,
        a_relay(first.url, name="second") as second,
        a_sign(second.url) as sign,
    ):
        async with a_table(service) as table:
            before = await table.play(3)
            await sign.until_seq(before["journal_seq"])
        for killed in range(1, 4):
            service.kill()
            with ServiceProcess(service.data, port=service.port) as again:
                async with a_table(again) as table:
                    after = await table.play(2, wins=killed == 2)
                    shown = await sign.until_seq(after["journal_seq"])
                    assert shown["epoch"] == killed + 1
                    amounts = {meter["id"]: meter["cents"] for meter in shown["meters"]}
                    assert amounts == {meter["id"]: meter["cents"] for meter in after["meters"]}
                if killed < 3:
                    again.kill()
        assert sign.places == sorted(sign.places)
        assert len(sign.awards) == len(set(sign.awards)) == 2


@pytest.mark.slow
async def test_relay_killed_in_the_middle_of_a_chain_comes_back(
    service: ServiceProcess, tmp_path: Path
) -> None:
    log = tmp_path / "relay.log"
    with RelayProcess(log, service.url, name="first") as first:
        with RelayProcess(log, first.url, name="middle") as middle:
            async with a_relay(middle.url, name="last") as last, a_sign(last.url) as sign:
                async with a_table(service) as table:
                    told = await table.play(2)
                    await sign.until_seq(told["journal_seq"])
                    middle.kill()
                    # Nobody tells the end of the chain; the service plays on, and is won.
                    told = await table.play(wins=True)
                    told = await table.play(3)
                    with RelayProcess(log, first.url, name="middle", port=middle.port):
                        shown = await sign.until_seq(told["journal_seq"])
                        assert [m["cents"] for m in shown["meters"]] == [
                            m["cents"] for m in told["meters"]
                        ]
                        while not sign.awards:
                            await sign.next()
                        assert sign.awards == [f"main.{told['journal_seq'] - 6}.1"]
                assert sign.places == sorted(sign.places)
        assert first.terminate() == 0


class Unruly:
    """Delays some frames, repeats others, and swaps their order: never the same way twice."""

    def __init__(self) -> None:
        self._held: list[Message] = []
        self._past: list[Message] = []
        self._count = 0

    def __call__(self, _: str, message: Message) -> list[Message]:
        self._count += 1
        self._past = [*self._past, message][-40:]
        if self._count % 3 == 0 and message["type"] != "tick":
            self._held.append(message)
            return []
        old = self._past[(self._count * 7) % len(self._past)]
        held, self._held = self._held[::-1], []
        return [message, old, *held, self._past[0], message]


@pytest.mark.slow
async def test_proxy_that_delays_repeats_and_reorders_never_makes_a_sign_go_back(
    service: ServiceProcess,
) -> None:
    async with (
        a_lying_proxy(service.url, on_signs=Unruly()) as proxy,
        a_relay(proxy) as relay,
        a_sign(relay.url) as sign,
        a_table(service) as table,
    ):
        known: dict[int, list[int]] = {}
        for number in range(40):
            answer = await table.play(wins=number % 10 == 9)
            known[answer["journal_seq"]] = [meter["cents"] for meter in answer["meters"]]
            # Spread over several updates; nothing is waited for here.
            await asyncio.sleep(0.02)
        shown = await sign.until_seq(answer["journal_seq"])
        assert [meter["cents"] for meter in shown["meters"]] == known[answer["journal_seq"]]
        for message in sign.heard:
            if message["type"] == "update" and message["seq"] in known:
                cents = [meter["cents"] for meter in message["meters"]]
                assert cents == known[message["seq"]], "the amounts of that very place"
        while len(sign.awards) < 4:
            await sign.next()
        assert sign.places == sorted(sign.places)
        assert len(set(sign.awards)) == len(sign.awards) == 4


async def test_of_two_ways_to_the_service_the_one_ahead_counts(service: ServiceProcess) -> None:
    kept: list[Message] = []

    def behind(_: str, message: Message) -> list[Message]:
        """Says what it is told three messages later."""
        kept.append(message)
        return [message] if message["type"] == "snapshot" else kept[-4:-3]

    async with (
        a_lying_proxy(service.url, on_signs=behind) as proxy,
        a_relay(proxy, service.url) as relay,
        a_sign(relay.url) as sign,
        a_table(service) as table,
    ):
        await until(lambda: all(up.feeds["main"].up for up in relay.relay.upstreams.values()))
        for _ in range(5):
            answer = await table.play()
            shown = await sign.until_seq(answer["journal_seq"])
            assert shown["meters"] == answer["meters"]
        assert sign.places == sorted(sign.places)


@pytest.mark.slow
async def test_service_restored_from_an_older_copy_is_believed_once_nobody_vouches_for_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mirror, "STALE_MS", 1_500)
    data, copy = tmp_path / "data", tmp_path / "copy"
    with ServiceProcess(data) as service:
        async with a_table(service) as table:
            old = await table.play(2)
        service.terminate()
    shutil.copytree(data, copy)
    # Restarts since then: the restored one is behind in epoch as well as in sequence.
    with ServiceProcess(data) as service:
        service.terminate()
    with ServiceProcess(data, port=service.port) as service:
        async with (
            a_relay(service.url, name="first") as first,
            a_relay(first.url, name="second") as second,
            a_sign(second.url) as sign,
        ):
            async with a_table(service) as table:
                new = await table.play(5)
                await sign.until_seq(new["journal_seq"])
            service.kill()
            shutil.rmtree(data)
            shutil.copytree(copy, data)
            with ServiceProcess(data, port=service.port) as restored:
                before = sign.places[-1]
                assert before[0] == 3
                while sign.places[-1] >= before:
                    await sign.next()
                believed = sign.heard[-1]
                # An update with them may come first; readers wait for the snapshot.
                if believed["type"] != "snapshot":
                    believed = await sign.next_of("snapshot")
                assert (believed["epoch"], believed["state"]) == (2, "live")
                assert believed["age_ms"] < mirror.FRESH_MS
                assert [m["cents"] for m in believed["meters"]] == [
                    m["cents"] for m in old["meters"]
                ]
                async with a_table(restored) as table:
                    told = await table.play()
                    shown = await sign.until_seq(told["journal_seq"])
                    assert shown["epoch"] == 2


async def test_relay_boots_first_says_ready_and_stops_cleanly(tmp_path: Path) -> None:
    log = tmp_path / "relay.log"
    with ServiceProcess(tmp_path / "data") as service:
        service.terminate()
    with (
        RelayProcess(log, service.url) as relay,
        ServiceProcess(tmp_path / "data", port=service.port),
    ):
        async with a_sign(relay.url) as sign:
            assert (await sign.next())["type"] == "snapshot"
            await sign.next_of("tick")
            assert relay.terminate() == 0
            async for _ in sign.ws:
                pass
            assert sign.ws.close_code == 1001
    # One line for each thing that happened, none for each frame.
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert "feed up" in {line["message"] for line in lines}
    assert len(lines) < 20


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ([], "--upstream"),
        (["--upstream", "ftp://host"], "is not http(s)://HOST:PORT"),
        (["--upstream", "http://a", "--listen", "nowhere"], "is not HOST:PORT"),
        (["--upstream", "http://a", "--name", "two words"], "is not a valid name"),
        (["--upstream", "http://a", "--key-file", "/nowhere/key"], "/nowhere/key"),
    ],
)
def test_bad_options_are_refused_with_exit_2(options: list[str], complaint: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "display", *options],
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert complaint in done.stderr


def test_taken_port_is_exit_2(service: ServiceProcess) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "display", "--upstream", "http://127.0.0.1:9",
         "--listen", f"127.0.0.1:{service.port}"],
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert f"127.0.0.1:{service.port} is in use" in done.stderr
    assert "Traceback" not in done.stderr
