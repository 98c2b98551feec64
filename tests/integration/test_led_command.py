"""`python -m display.led` as an operator runs it: a process, its signals and its exit codes."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.support.led_lines import PtySign, TcpSign
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
