"""`python -m display.led` as an operator runs it: a process, its signals and its exit codes."""

import asyncio
import json
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from display.client import Client
from display.led import names_check
from display.led.expiry import EXPIRES_SECONDS
from display.led.names_check import UnknownNameError, check_names
from display.settings import Settings
from tests.support.led_lines import PtySign, TcpSign
from tests.support.relays import RunningRelay, a_relay, get
from tests.support.service import ROOT, ServiceProcess

pytestmark = pytest.mark.slow

BEGINNING = "Montaña: $100,000.00   Mini: $3,000.00"
FLOOR = (ROOT / "config" / "floor.toml").read_text("utf-8")


@asynccontextmanager
async def the_command(*options: str) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "display.led", *options, cwd=ROOT, stderr=asyncio.subprocess.PIPE
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


@pytest.fixture
def floor(tmp_path: Path) -> Path:
    """The floor with names in Spanish and in Chinese."""
    text = FLOOR.replace('name = "Mega"', 'name = "Montaña"').replace(
        'name = "Minor"', 'name = "迷你 Mini"'
    )
    path = tmp_path / "floor.toml"
    path.write_text(text, "utf-8")
    return path


async def test_a_sign_on_a_serial_line_from_start_to_stop(tmp_path: Path, floor: Path) -> None:
    options = ("--meters", "mega,minor", "--template", "{name}: {amount}", "--mode", "rotate")
    with ServiceProcess(tmp_path / "data", floor=floor) as service:
        async with PtySign(tmp_path / "ttyLED") as sign:
            where = ("--upstream", service.url, "--link", "main", "--serial", str(sign.device))
            async with the_command(*where, "--sign", "pit", "--language", "es", *options) as led:
                await sign.until(
                    lambda seen: seen.glass == "Montaña: $100,000.00   minor: $3,000.00"
                )
                written = len(sign.sign.commands)
                sign.sign.power_off()
                led.send_signal(signal.SIGHUP)
                await sign.until(lambda seen: seen.glass.startswith("Montaña: $100,000.00"))
                assert b"E$" in sign.sign.commands[written:]
                led.send_signal(signal.SIGTERM)
                assert await led.wait() == 0
                await sign.until(
                    lambda seen: seen.glass == "FUERA DE SERVICIO - IMPORTES NO ACTUALES"
                )
                assert sign.sign.faults == []


async def test_amounts_of_a_killed_driver_expire_on_the_sign_itself(tmp_path: Path) -> None:
    with ServiceProcess(tmp_path / "data") as service:
        async with TcpSign() as sign:
            where = ("--upstream", service.url, "--link", "main")
            line = ("--tcp", f"127.0.0.1:{sign.port}", "--meters", "mega", "--baud", "38400")
            async with the_command(*where, *line) as led:
                await sign.until(lambda seen: seen.glass == "Mega $100,000.00")
                led.kill()
                await led.wait()
            sign.sign.pass_seconds(EXPIRES_SECONDS - 1)
            assert sign.sign.glass == "Mega $100,000.00"
            sign.sign.pass_seconds(1)
            assert sign.sign.glass == "OUT OF SERVICE - AMOUNTS NOT LIVE"
            # A new driver finds the sign as it is, and brings the amounts back.
            async with the_command(*where, *line) as led:
                await sign.until(lambda seen: seen.glass == "Mega $100,000.00")
            assert sign.sign.faults == []


async def test_it_starts_before_the_service_and_before_the_sign(tmp_path: Path) -> None:
    sign = TcpSign()
    async with sign:
        port = sign.port
        await sign.unplug()
        where = ("--upstream", "http://127.0.0.1:1", "--link", "main", "--tcp", f"127.0.0.1:{port}")
        async with the_command(*where) as led:
            assert led.stderr is not None
            while b"line to the sign lost" not in await led.stderr.readline():
                pass
            await sign.plug_in()
            await sign.until(lambda seen: seen.glass == "PLEASE WAIT - NO AMOUNTS YET")
            led.send_signal(signal.SIGTERM)
            assert await led.wait() == 0


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--serial", "/dev/null", "--tcp", "127.0.0.1:1"),
        ("--tcp", "127.0.0.1"),
        ("--tcp", "127.0.0.1:0"),
        ("--tcp", "127.0.0.1:1", "--template", "{name}"),
        ("--tcp", "127.0.0.1:1", "--address", "zz"),
        ("--tcp", "127.0.0.1:1", "--type-code", "ZZ"),
        ("--tcp", "127.0.0.1:1", "--meters", "mega,../x"),
        ("--tcp", "127.0.0.1:1", "--currency", "dollars"),
        ("--tcp", "127.0.0.1:1", "--upstream", "ftp://x"),
        ("--tcp", "127.0.0.1:1", "--link", "a/b"),
    ],
)
async def test_bad_input_is_told_and_nothing_is_opened(options: tuple[str, ...]) -> None:
    where = ("--upstream", "http://127.0.0.1:1", "--link", "main")
    async with the_command(*where, *options) as led:
        _, error = await led.communicate()
        assert led.returncode == 2
        assert b"Error" in error


@pytest.mark.parametrize(
    ("named", "why"),
    [
        (("--link", "mian"), "no link mian; nearest: main"),
        (("--link", "poker"), "no link poker; it has: main"),
        (("--link", "main", "--meters", "mega,mjaor"), "no meter mjaor; nearest: major, minor"),
    ],
)
async def test_an_unknown_link_or_meter_is_named_and_ends_the_driver(
    tmp_path: Path, named: tuple[str, ...], why: str
) -> None:
    with ServiceProcess(tmp_path / "data") as service:
        async with TcpSign() as sign:
            where = ("--upstream", service.url, "--tcp", f"127.0.0.1:{sign.port}")
            async with the_command(*where, *named, "--log-level", "error") as led:
                _, error = await led.communicate()
            assert error.decode() == f"Error: {service.url}: {why}\n"
            assert led.returncode == 2
            await sign.until(lambda seen: seen.glass == "OUT OF SERVICE - AMOUNTS NOT LIVE")


async def test_an_upstream_that_comes_later_decides_about_the_names(tmp_path: Path) -> None:
    with ServiceProcess(tmp_path / "data") as service:
        port = service.port
        service.terminate()
    where = ("--upstream", f"http://127.0.0.1:{port}", "--link", "mian", "--tcp", "127.0.0.1:1")
    async with the_command(*where) as led:
        assert led.stderr is not None
        while b"feed lost" not in await led.stderr.readline():
            pass
        assert led.returncode is None
        with ServiceProcess(tmp_path / "data", port=port):
            _, error = await led.communicate()
        assert b"no link mian" in error.splitlines()[-1]
        assert led.returncode == 2


async def test_one_of_two_upstreams_is_away_and_may_have_the_link(tmp_path: Path) -> None:
    with ServiceProcess(tmp_path / "data") as service:
        both = ("--upstream", service.url, "--upstream", "http://127.0.0.1:1")
        async with the_command(*both, "--link", "mian", "--tcp", "127.0.0.1:1") as led:
            assert led.stderr is not None
            while b"no link mian; nearest: main" not in await led.stderr.readline():
                pass
            assert led.returncode is None
            led.send_signal(signal.SIGTERM)
            assert await led.wait() == 0


async def test_a_relay_that_may_still_hear_of_the_link_is_waited_for(tmp_path: Path) -> None:
    with ServiceProcess(tmp_path / "data") as service:
        async with (
            a_relay(service.url, "http://127.0.0.1:1") as half,
            a_relay(service.url) as whole,
            a_relay(half.url) as behind,
        ):
            for relay, complete in ((half, False), (whole, True), (behind, False)):
                async with asyncio.timeout(60):
                    while [link["id"] for link in (await links_of(relay))["links"]] != ["main"]:
                        await asyncio.sleep(0.05)
                    while (await links_of(relay))["complete"] is not complete:
                        await asyncio.sleep(0.05)
            client = Client(Settings(upstreams=(behind.url,), name="led"))
            try:
                for relay in (half, behind):
                    assert await names_check._asked(client, relay.url, "mian", ()) is None
                with pytest.raises(UnknownNameError, match="no link mian; nearest: main"):
                    await check_names(client, (whole.url,), "mian", ())
                await check_names(client, (behind.url,), "main", ("mega",))
            finally:
                await client.close()


async def links_of(relay: RunningRelay) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads((await get(f"{relay.url}/v1/links"))[1])
    return answer
