"""The whole way to an LED sign: a table locks a round, and the digits on the wall change.

The real service, the real feed, real lines; only the sign at their end is made of code.
"""

import asyncio
import contextlib
import re
import resource
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import aiohttp
import pytest

from display.app import running
from display.led import alpha, line
from display.led.composer import Look
from display.led.driver import LedDriver
from display.led.line import OpenLine, Pace
from display.led.planner import Planner
from display.led.reading import Reading
from display.led.running import Feeds, drive
from display.led.wins import WinQueue
from display.settings import settings
from tests.support.led_lines import PtySign, TcpSign
from tests.support.service import ServiceProcess, TableClient, issue_key, lock, settle
from tests.support.virtual_sign import VirtualSign

pytestmark = pytest.mark.slow

AT_ONCE = Pace(baud=10_000_000, rest_seconds=0.0, settles=False)
BEGINNING = "Mega $100,000.00 | Major $15,000.00 | Minor $3,000.00"
WIN_SECONDS = 60.0
Shown = Callable[[VirtualSign], bool]


class Clock:
    """Real time, which a test may turn forward."""

    def __init__(self) -> None:
        self.ahead_seconds = 0.0

    def __call__(self) -> float:
        return time.monotonic() + self.ahead_seconds


class Led:
    """A driver at work, and the clock it goes by."""

    def __init__(
        self, *urls: str, look: Look | None = None, pace: Pace = AT_ONCE, sign: str | None = None
    ) -> None:
        self.clock = Clock()
        checked = settings(upstreams=urls, name=sign, key_file=None)
        self.reading = Reading("main", checked.upstreams, clock=self.clock)
        self._feeds = Feeds(checked, "main", sign, self.reading)
        look = look or Look()
        self.driver = LedDriver(
            look,
            alpha.Address(),
            self.reading,
            pace=pace,
            planner=Planner(look.mode),
            wins=WinQueue(WIN_SECONDS),
            clock=self.clock,
        )

    async def pass_time(self, sign: VirtualSign, shown: Shown) -> None:
        """Faster than it does, until the sign shows that it has passed."""
        async with asyncio.timeout(60):
            while not shown(sign):
                self.clock.ahead_seconds += WIN_SECONDS / 10
                await asyncio.sleep(0.05)

    @asynccontextmanager
    async def on(self, open_line: OpenLine) -> AsyncIterator[None]:
        stop = asyncio.Event()
        driving = asyncio.create_task(drive(self._feeds, self.driver, open_line, stop))
        try:
            yield
        finally:
            stop.set()
            await driving


def over_tcp(sign: TcpSign) -> OpenLine:
    return partial(line.tcp_line, "127.0.0.1", sign.port)


def over_serial(sign: PtySign) -> OpenLine:
    return partial(line.serial_line, str(sign.device), 9_600, "7E1")


def limit_file_size(pid: int, limit: int) -> None:
    """A full disk, for this process alone."""
    _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (limit, hard))


def shows(text: str) -> Shown:
    return lambda sign: sign.glass == text


def says(text: str) -> Shown:
    return lambda sign: text in sign.glass


def a_table(service: ServiceProcess) -> contextlib.AbstractAsyncContextManager[TableClient]:
    key = issue_key(service.data, "BJ-01")
    return TableClient.connect(service.url, "BJ-01", key)


def amounts_seen(sign: VirtualSign, name: str) -> list[int]:
    """Every amount of a meter that was ever on the glass, in cents."""
    found = (re.search(rf"{name} \$([0-9,]+)\.([0-9]{{2}})", glass) for glass in sign.seen)
    return [int(match[1].replace(",", "") + match[2]) for match in found if match]


@pytest.fixture
def service(tmp_path: Path) -> Iterator[ServiceProcess]:
    with ServiceProcess(tmp_path / "data") as running:
        yield running


@pytest.mark.parametrize("kind", ["serial", "tcp"])
async def test_amounts_on_the_glass_are_the_durable_ones_and_never_beyond(
    service: ServiceProcess, tmp_path: Path, kind: str
) -> None:
    sign = PtySign(tmp_path / "ttyLED") if kind == "serial" else TcpSign()
    async with sign, a_table(service) as table:
        open_line = over_serial(sign) if kind == "serial" else over_tcp(sign)
        async with Led(service.url).on(open_line):
            await sign.until(shows(BEGINNING))
            durable = {10_000_000}
            for number in range(40):
                await table.ask(lock(2 * number + 1, f"r{number}"))
                # On its way to the sign before the answer is here: it is durable by then.
                durable.add(10_000_000 + 60 * (number + 1))
                last = await table.ask(settle(2 * number + 2, f"r{number}"))
            mega, major, minor = (meter["cents"] for meter in last["meters"])
            assert mega == max(durable)
            await sign.until(
                shows(
                    f"Mega ${mega // 100:,}.{mega % 100:02} | "
                    f"Major ${major // 100:,}.{major % 100:02} | "
                    f"Minor ${minor // 100:,}.{minor % 100:02}"
                )
            )
        seen = amounts_seen(sign.sign, "Mega")
        assert set(seen) <= durable
        assert seen == sorted(seen)
        assert sign.sign.faults == []
        assert sign.sign.glass == "OUT OF SERVICE - AMOUNTS NOT LIVE"


async def test_a_win_takes_the_sign_over_and_gives_it_back(service: ServiceProcess) -> None:
    async with TcpSign() as sign, a_table(service) as table:
        led = Led(service.url)
        async with led.on(over_tcp(sign)):
            await sign.until(shows(BEGINNING))
            await table.ask(lock(1, "r1", (1, 2)))
            winners = [{"seat": seat, "cards": ["7d", "7d", "7d"]} for seat in (1, 2)]
            await table.ask(settle(2, "r1", seats=winners, dealer={"cards": ["5s"]}))
            await sign.until(
                shows("Mega WON! $100,001.20 - TABLE BJ-01 SEAT 2 - STARTS AGAIN AT $25,000.10")
            )
            await led.pass_time(sign.sign, says("Mega WON! $25,000.10 - TABLE BJ-01 SEAT 1"))
            await led.pass_time(sign.sign, says("Mega $25,000.00"))
            await sign.until(shows("Mega $25,000.00 | Major $15,000.60 | Minor $3,000.40"))


async def test_a_sign_that_is_switched_on_in_the_middle_of_a_win_shows_it(
    service: ServiceProcess,
) -> None:
    async with TcpSign() as sign, a_table(service) as table:
        await table.ask(lock(1, "r1"))
        winner = [{"seat": 1, "cards": ["7d", "7d", "7d"]}]
        await table.ask(settle(2, "r1", seats=winner, dealer={"cards": ["5s"]}))
        async with Led(service.url).on(over_tcp(sign)):
            await sign.until(says("Mega WON!"))


async def test_a_killed_service_leaves_amounts_marked_with_their_age_until_it_is_back(
    tmp_path: Path,
) -> None:
    data = tmp_path / "data"
    service = ServiceProcess(data)
    port = service.port
    async with TcpSign() as sign:
        led = Led(service.url)
        async with led.on(over_tcp(sign)):
            await sign.until(shows(BEGINNING))
            service.kill()
            led.clock.ahead_seconds += 30
            await sign.until(lambda seen: seen.glass.count("30 S OLD") == 3)
            led.clock.ahead_seconds += 100
            await sign.until(lambda seen: seen.glass.count("2 MIN OLD") == 3)
            assert says("Mega $100,000.00 2 MIN OLD")(sign.sign)
            with ServiceProcess(data, port=port) as again:
                await sign.until(shows(BEGINNING))
                async with a_table(again) as table:
                    await table.ask(lock(1, "r1"))
                await sign.until(says("Mega $100,000.60"))


async def test_a_sign_without_a_service_says_that_it_has_no_amounts(tmp_path: Path) -> None:
    sign = PtySign(tmp_path / "ttyLED")
    async with sign, Led("http://127.0.0.1:1").on(over_serial(sign)):
        await sign.until(shows("PLEASE WAIT - NO AMOUNTS YET"))


async def test_a_link_out_of_service_gives_its_reason_until_it_is_back(
    service: ServiceProcess,
) -> None:
    async with TcpSign() as sign, Led(service.url).on(over_tcp(sign)):
        await sign.until(shows(BEGINNING))
        async with a_table(service) as table:
            await table.ask(lock(1, "r1"))
            await sign.until(says("Mega $100,000.60"))
            limit_file_size(service.pid, 1)
            await table.ws.send_json(settle(2, "r1"))
            await sign.until(says("OUT OF SERVICE - "))
            assert "journal" in sign.sign.glass
            limit_file_size(service.pid, resource.RLIM_INFINITY)
            await sign.until(shows("Mega $100,000.60 | Major $15,000.30 | Minor $3,000.20"))


async def test_behind_a_relay_that_lost_its_service_amounts_are_as_old_as_they_are(
    tmp_path: Path,
) -> None:
    with ServiceProcess(tmp_path / "data") as service:
        checked = settings(upstreams=(service.url,), name="relay", key_file=None)
        async with running(checked, host="127.0.0.1", port=0) as (url, _), TcpSign() as sign:
            async with Led(url).on(over_tcp(sign)):
                await sign.until(shows(BEGINNING))
            service.kill()
            led = Led(url)
            async with led.on(over_tcp(sign)):
                # Without its service a relay does not tick, and the sign's amounts grow old.
                await sign.until(says("Mega $100,000.00"))
                await led.pass_time(sign.sign, lambda seen: seen.glass.count("OLD") == 3)


async def test_of_two_upstreams_one_is_enough(service: ServiceProcess) -> None:
    led = Led("http://127.0.0.1:1", service.url)
    async with TcpSign() as sign, a_table(service) as table, led.on(over_tcp(sign)):
        await sign.until(shows(BEGINNING))
        await table.ask(lock(1, "r1"))
        await sign.until(says("Mega $100,000.60"))


@pytest.mark.parametrize("kind", ["serial", "tcp"])
async def test_a_sign_unplugged_and_back_is_written_from_the_memory_up(
    service: ServiceProcess, tmp_path: Path, kind: str
) -> None:
    sign = PtySign(tmp_path / "ttyLED") if kind == "serial" else TcpSign()
    async with sign, a_table(service) as table:
        open_line = over_serial(sign) if kind == "serial" else over_tcp(sign)
        led = Led(service.url)
        async with led.on(open_line):
            await sign.until(shows(BEGINNING))
            if isinstance(sign, PtySign):
                sign.unplug()
            else:
                await sign.unplug()
            await table.ask(lock(1, "r1"))
            async with asyncio.timeout(30):
                while led.driver.showing() is not None:
                    await asyncio.sleep(0.05)
            sign.sign.power_off()
            if isinstance(sign, PtySign):
                sign.plug_in()
            else:
                await sign.plug_in()
            await sign.until(shows("Mega $100,000.60 | Major $15,000.30 | Minor $3,000.20"))
        assert sign.sign.faults == []


async def test_a_sign_that_lost_its_memory_unnoticed_is_whole_again(
    service: ServiceProcess,
) -> None:
    async with TcpSign() as sign:
        led = Led(service.url)
        async with led.on(over_tcp(sign)):
            await sign.until(shows(BEGINNING))
            sign.sign.power_off()
            led.driver.rewrite()
            await sign.until(shows(BEGINNING))
            sign.sign.texts.clear()
            await led.pass_time(sign.sign, says("Mega $100,000.00"))


async def test_a_slow_line_skips_amounts_and_shows_the_newest(service: ServiceProcess) -> None:
    rounds = 100
    async with TcpSign(bytes_per_second=960) as sign, a_table(service) as table:
        pace = Pace(baud=9_600, rest_seconds=0.0, settles=False)
        async with Led(service.url, pace=pace).on(over_tcp(sign)):
            await sign.until(shows(BEGINNING))
            before = len(sign.sign.commands)
            for number in range(rounds):
                await table.ask(lock(2 * number + 1, f"r{number}"))
                await table.ask(settle(2 * number + 2, f"r{number}"))
            await sign.until(shows("Mega $100,060.00 | Major $15,030.00 | Minor $3,020.00"))
            strings = [c for c in sign.sign.commands[before:] if c.startswith(b"G")]
            assert len(strings) < 3 * rounds
        assert amounts_seen(sign.sign, "Mega") == sorted(amounts_seen(sign.sign, "Mega"))
        assert sign.sign.faults == []


async def test_the_service_is_told_what_was_written(service: ServiceProcess) -> None:
    async with TcpSign() as sign, a_table(service) as table, aiohttp.ClientSession() as http:
        led = Led(service.url, sign="entrance")
        async with led.on(over_tcp(sign)):
            await sign.until(shows(BEGINNING))
            answer = await table.ask(lock(1, "r1"))
            await sign.until(shows("Mega $100,000.60 | Major $15,000.30 | Minor $3,000.20"))
            durable = [("mega", 10_000_060), ("major", 1_500_030), ("minor", 300_020)]
            wanted = 'progressive_sign_lag_records{link="main"} 0.0'
            async with asyncio.timeout(30):
                # The driver takes note of a command a moment after the sign has it.
                while (showing := led.driver.showing()) is None or durable != [
                    (meter.id, meter.cents) for meter in showing.meters
                ]:
                    await asyncio.sleep(0.02)
                while wanted not in await metrics(http, service):
                    await asyncio.sleep(0.1)
            assert (showing.seq, showing.state) == (answer["journal_seq"], "live")


async def metrics(http: aiohttp.ClientSession, service: ServiceProcess) -> str:
    async with http.get(f"{service.url}/metrics") as response:
        return await response.text()
