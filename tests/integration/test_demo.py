"""`progressive demo`: one command, a whole floor, and nothing lost between two runs of it."""

import asyncio
import contextlib
import os
import pty
import re
import signal
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from progressive.entry.commands.demo_people import DEMO_PEOPLE
from tests.support.panels import PanelClient

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
CONDITION_SECONDS = 300.0
"""A safety net for a hung test, never a measure of speed."""
DEMO_SHOE = "demo shoe: many sevens, few other cards: meters are won often, at no real odds\n"
SEALED = "the journal is sealed, for show, with a key that lies beside it: "
METERS = re.compile(r"Mega \$([\d,.]+),? +Major \$([\d,.]+),? +Minor \$([\d,.]+)")


def said(folder: Path) -> str:
    """What a demo says on standard error."""
    return f"{DEMO_SHOE}{SEALED}{folder / 'demo-seal-key'}\n"


@asynccontextmanager
async def a_demo(
    data: Path, *options: object, listen: str = "127.0.0.1:0", out: int = asyncio.subprocess.PIPE
) -> AsyncIterator[Process]:
    arguments = [f"--data={data}", f"--listen={listen}", *map(str, options)]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "progressive", "demo", *arguments,
        cwd=ROOT,
        env=os.environ | {"XDG_RUNTIME_DIR": str(data.parent), "TERM": "xterm", "COLUMNS": "120"},
        stdout=out,
        stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.communicate()


async def lines(process: Process) -> AsyncIterator[str]:
    async with asyncio.timeout(CONDITION_SECONDS):
        while line := await process.stdout.readline():  # type: ignore[union-attr]
            yield line.decode()


async def line_with(process: Process, text: str) -> str:
    async for line in lines(process):
        if text in line:
            return line
    _, err = await process.communicate()
    pytest.fail(f"no line with {text!r}: {err.decode()}")


def cents(line: str) -> tuple[int, ...]:
    found = METERS.search(line)
    assert found is not None, line
    return tuple(int(amount.replace(",", "").replace(".", "")) for amount in found.groups())


async def ended(process: Process) -> bytes:
    """Standard error of a demo that does not start."""
    async with asyncio.timeout(CONDITION_SECONDS):
        _, err = await process.communicate()
        return err


async def stopped(process: Process, by: signal.Signals) -> tuple[str, str]:
    """The last line and standard error, after a signal."""
    process.send_signal(by)
    async with asyncio.timeout(CONDITION_SECONDS):
        out, err = await process.communicate()
    return out.decode().splitlines()[-1], err.decode()


async def test_a_demo_moves_its_meters_and_the_next_one_carries_on(tmp_path: Path) -> None:
    data = tmp_path / "demo"
    async with a_demo(data) as first:
        address = await line_with(first, "/sign/entrance")
        url = re.search(r"(http://127\.0\.0\.1:\d+)/sign/entrance", address)
        assert url is not None
        opening = await line_with(first, "opening at")
        shown = cents(opening)
        async for line in lines(first):
            if cents(line) != shown:
                break
        async with (
            aiohttp.ClientSession() as session,
            session.get(f"{url[1]}/sign/entrance") as sign,
        ):
            assert sign.status == 200
            assert "Boardwalk Casino" in await sign.text()
        last, err = await stopped(first, signal.SIGINT)
    assert (first.returncode, err) == (0, said(tmp_path))
    assert last.startswith(f"stopped; the amounts are kept in {data}: ")
    assert cents(last) != shown

    async with a_demo(data) as second:
        carried = await line_with(second, "carrying on at")
        assert cents(carried) == cents(last)
        assert await line_with(second, "Mega")
        last, err = await stopped(second, signal.SIGTERM)
    assert (second.returncode, err) == (0, said(tmp_path))


async def test_meters_are_won_and_the_staff_pays(tmp_path: Path) -> None:
    async with a_demo(tmp_path / "demo", "--pace=0.3") as process:
        assert "demo shoe with many sevens" in await line_with(process, "simulated tables")
        won = await line_with(process, "last won: ")
        assert re.search(r"last won: (Mega|Major|Minor) \$[\d,.]+ at BJ-\d\d seat \d ", won), won
        paid = await line_with(process, " paid at the cage")
        assert "staff:" not in paid
        assert "mismatch" not in paid
        await stopped(process, signal.SIGINT)
    assert process.returncode == 0


async def test_every_run_has_passwords_of_its_own(tmp_path: Path) -> None:
    data = tmp_path / "demo"
    seen: list[dict[str, str]] = []
    for _ in range(2):
        async with a_demo(data) as process:
            address = await line_with(process, "/sign/entrance")
            url = re.search(r"(http://127\.0\.0\.1:\d+)/", address)
            assert url is not None
            seen.append({})
            async for line in lines(process):
                if found := re.search(r"(demo-\S+) +(\S+) +(\w+)", line):
                    seen[-1][found[1]] = found[2]
                if "opening at" in line or "carrying on at" in line:
                    break
            async with aiohttp.ClientSession(url[1]) as session:
                statuses = [
                    [await log_in_status(session, name, password) for name, password in run.items()]
                    for run in seen
                ]
            assert statuses[-1] == [200] * len(DEMO_PEOPLE)
            assert all(status == 401 for run in statuses[:-1] for status in run)
            await stopped(process, signal.SIGINT)
    assert not set(seen[0].values()) & set(seen[1].values())


async def log_in_status(session: aiohttp.ClientSession, name: str, password: str) -> int:
    credentials = {"user": name, "password": password}
    async with session.post("/v1/sessions", json=credentials) as response:
        return response.status


async def log_ins(process: Process) -> tuple[str, dict[str, str], list[str]]:
    """The address, everybody's password and the banner."""
    banner: list[str] = []
    async for line in lines(process):
        banner.append(line)
        if "opening at" in line or "carrying on at" in line:
            break
    text = "".join(banner)
    url = re.search(r"(http://127\.0\.0\.1:\d+)/", text)
    assert url is not None, text
    return url[1], dict(re.findall(r"(demo-\S+) +(\S+) +\w+", text)), banner


async def token_of(session: aiohttp.ClientSession, name: str, password: str) -> str:
    async with session.post("/v1/sessions", json={"user": name, "password": password}) as response:
        assert response.status == 200
        token: str = (await response.json())["token"]
        return token


async def test_the_banner_names_the_pages_and_the_free_table(tmp_path: Path) -> None:
    async with a_demo(tmp_path / "demo") as process:
        url, passwords, banner = await log_ins(process)
        # The same on a terminal of 80 columns: nothing is wider.
        assert max(len(line.rstrip("\n")) for line in banner) <= 80
        shown = [" ".join(re.findall(r"[^│\s]+", line)) for line in banner]
        assert f"start here {url}/" in shown
        assert f"pit console {url}/pit" in shown
        assert f"dealer panel, BJ-12 is free {url}/table/BJ-12" in shown
        dealer = f"demo-dealer {passwords['demo-dealer']} dealer Table games /table/BJ-12"
        assert dealer in shown
        assert (
            "11 simulated tables, play money, demo shoe with many sevens: no real odds"
        ) in shown
        async with aiohttp.ClientSession(url, cookie_jar=aiohttp.DummyCookieJar()) as session:
            for name, path in (("demo-dealer", "/table/BJ-12"), ("demo-supervisor", "/pit")):
                token = await token_of(session, name, passwords[name])
                headers = {"Authorization": f"Bearer {token}"}
                async with session.get(path, headers=headers) as page:
                    assert (page.status, page.url.path) == (200, path)


async def test_a_person_deals_at_the_free_table_beside_the_simulated_ones(tmp_path: Path) -> None:
    async with a_demo(tmp_path / "demo", "--pace=0.3") as process:
        url, passwords, _ = await log_ins(process)
        async with aiohttp.ClientSession(url, cookie_jar=aiohttp.DummyCookieJar()) as session:
            token = await token_of(session, "demo-dealer", passwords["demo-dealer"])
        async with PanelClient.connect(url, "BJ-12", token) as panel:
            assert panel.state["dealer"]["name"] == "demo-dealer"
            for _ in range(3):
                await panel.ask(panel.lock(1, 2, 3, 4, 5, 6, 7))
                seven = {"seat": 1, "cards": ["7d", "7d", "7d"]}
                answer = await panel.ask(
                    panel.settle(seats=[seven], dealer={"cards": ["9s", "8s"]})
                )
                assert answer["type"] == "done", answer
        # The tables go on, and find nothing wrong with what the person did.
        await line_with(process, " paid at the cage")
        _, err = await stopped(process, signal.SIGINT)
    assert (process.returncode, err) == (0, said(tmp_path))


async def test_every_simulated_table_has_a_dealer_and_awards_say_who_dealt(tmp_path: Path) -> None:
    async with a_demo(tmp_path / "demo", "--pace=0.3") as process:
        url, passwords, _ = await log_ins(process)
        await line_with(process, "last won: ")
        async with aiohttp.ClientSession(url, cookie_jar=aiohttp.DummyCookieJar()) as session:
            token = await token_of(session, "demo-supervisor", passwords["demo-supervisor"])
            headers = {"Authorization": f"Bearer {token}"}
            async with session.get("/v1/awards", headers=headers) as response:
                awards = (await response.json())["awards"]
            async with session.ws_connect("/v1/pit/socket", headers=headers) as pit:
                tables = (await pit.receive_json(timeout=CONDITION_SECONDS))["tables"]
        await stopped(process, signal.SIGINT)
    assert {table["id"]: table["dealer"] for table in tables} == {
        f"BJ-{n:02}": None if n == 12 else f"demo-dealer-BJ-{n:02}" for n in range(1, 13)
    }
    dealt = {(award["table"], award["dealt_by"]["name"]) for award in awards}
    assert dealt
    assert all(name == f"demo-dealer-{table}" for table, name in dealt)


async def test_a_folder_of_other_terms_says_what_to_do(tmp_path: Path) -> None:
    data, floor = tmp_path / "demo", tmp_path / "floor.toml"
    async with a_demo(data, "--pace=0.3") as process:
        # Until the first wager another floor file is no matter.
        async for line in lines(process):
            if re.search(r" [1-9][\d,]* rounds", line):
                break
        await stopped(process, signal.SIGINT)
    shipped = (ROOT / "config" / "floor.toml").read_text()
    floor.write_text(shipped.replace("rate_ppm = 120000", "rate_ppm = 110000", 1))
    async with a_demo(data, f"--floor={floor}") as process:
        err = await ended(process)
    assert process.returncode == 2
    assert err.decode().endswith(
        "rate_ppm: 120000 in the journal, 110000 in the floor; "
        "use another folder (--data DIR, or make run DATA=DIR), "
        f"or move {data} away to begin again\n"
    )


async def test_on_a_terminal_there_is_one_line_that_moves(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    try:
        async with a_demo(tmp_path / "demo", out=theirs) as process:
            os.close(theirs)
            text = await asyncio.to_thread(_read_until, ours, r"\r\x1b\[2K.*Mega", b"")
            process.send_signal(signal.SIGINT)
            text = await asyncio.to_thread(_read_until, ours, r"the amounts are kept in .*\n", text)
            async with asyncio.timeout(CONDITION_SECONDS):
                assert await process.wait() == 0
    finally:
        os.close(ours)
    assert b"Boardwalk Casino" in text
    # Nothing is left of the moving line but the amounts that were kept.
    assert text.count(b"stopped; the amounts are kept in") == 1


def _read_until(terminal: int, pattern: str, text: bytes) -> bytes:
    """What a terminal gets; it ends when the pattern is there or the process is gone."""
    while not re.search(pattern.encode(), text):
        try:
            text += os.read(terminal, 4096)
        except OSError:
            break
    return text


async def test_a_data_folder_in_use_is_said_so(tmp_path: Path) -> None:
    async with a_demo(tmp_path / "demo") as first:
        await line_with(first, "opening at")
        async with a_demo(tmp_path / "demo") as second:
            err = await ended(second)
    assert second.returncode == 2
    assert b"is in use by another progressive" in err


async def test_a_bad_floor_file_is_listed_problem_by_problem(tmp_path: Path) -> None:
    floor = tmp_path / "floor.toml"
    floor.write_text("schema = 1\n")
    async with a_demo(tmp_path / "demo", f"--floor={floor}") as process:
        err = await ended(process)
    assert process.returncode == 2
    assert err.decode().startswith(f"{floor}: ")
