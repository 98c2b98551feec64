"""`progressive simulate` against a real service: real sockets, real SQLite, real processes."""

import asyncio
import contextlib
import os
import re
import signal
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
from click.testing import CliRunner

from progressive.adapters import service_note
from progressive.adapters.config.floor import load_floor, shipped_config
from progressive.adapters.keys.tables import TableKeys
from progressive.domain.ids import TableId
from progressive.entry.bootstrap import running
from progressive.entry.cli import main
from progressive.entry.commands.demo_people import DemoLogIn, renewed_people
from progressive.simulator.public_floor import read_floor
from tests.support.lying_proxy import Message, a_lying_proxy
from tests.support.service import TableClient, lock, settle, shipped_rules

ROOT = Path(__file__).parents[2]
FLOOR = shipped_config() / "floor.toml"
CONDITION_SECONDS = 30.0


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
async def url(data: Path) -> AsyncIterator[str]:
    """A service in this process, on a port of its own."""
    rules = shipped_rules()
    async with running(rules, data=data, host="127.0.0.1", port=0) as service:
        yield service.url


@asynccontextmanager
async def a_process(*arguments: object, **environment: str) -> AsyncIterator[Process]:
    """`progressive …`, gone at the end of the block whatever happened."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "progressive", *map(str, arguments),
        cwd=ROOT,
        env=os.environ | environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.communicate()


async def simulate(
    server: str, *arguments: object, tables: int = 12, rounds: int = 20, **environment: str
) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a run."""
    command = ["simulate", "--server", server, "--tables", tables, "--rounds", rounds]
    async with a_process(*command, "--seed", 1, *arguments, **environment) as process:
        out, err = await process.communicate()
        return process.returncode, out.decode(), err.decode()


async def journal_reaches(url: str, seq: int) -> None:
    """Wait until the link has so many records."""
    async with asyncio.timeout(CONDITION_SECONDS), aiohttp.ClientSession() as session:
        while True:
            with contextlib.suppress(aiohttp.ClientError):
                async with session.get(f"{url}/v1/links/main/meters") as response:
                    if (await response.json())["seq"] >= seq:
                        return
            await asyncio.sleep(0.01)


# --- a service that is right --------------------------------------------------------------------


@pytest.mark.slow
async def test_twelve_tables_find_nothing_wrong(url: str, data: Path) -> None:
    code, out, err = await simulate(url, "--data", data)
    assert (code, err) == (0, "")
    assert re.fullmatch(
        r"simulated 12 tables, 240 rounds \(\d+ voided\), [\d,]+ wagers, \$[\d,]+\.00, "
        r"\d+ awards, \$[\d,]+\.\d\d \(\d+ from meters\) in [\d.]+ s "
        r"\(\d+ messages\): \d+ reconnects, \d+ repeats, \d+ refusals as expected, 0 mismatches\n",
        out,
    )


@pytest.mark.slow
async def test_meters_are_won_to_the_cent_from_the_demo_shoe(url: str, data: Path) -> None:
    code, out, err = await simulate(url, "--data", data, "--demo-shoe", rounds=60)
    assert (code, out[-14:]) == (0, " 0 mismatches\n"), out
    assert err == "demo shoe: many sevens among few other cards; no odds are like that\n"
    won = re.search(r"\((\d+) from meters\)", out)
    assert won is not None
    assert int(won[1]) > 0


@pytest.mark.slow
async def test_payouts_and_voids_that_wait_for_a_supervisor_are_no_mismatch(tmp_path: Path) -> None:
    floor = tmp_path / "floor.toml"
    strict = 'dealing_option = 1\nvalidation = "every"'
    floor.write_text(FLOOR.read_text("utf-8").replace("dealing_option = 1", strict, 1), "utf-8")
    data = tmp_path / "data"
    async with running(load_floor(floor).rules, data=data, host="127.0.0.1", port=0) as service:
        code, out, err = await simulate(service.url, "--data", data, "--demo-shoe", tables=3)
    assert code == 0, out + err
    assert "0 mismatches" in out


@pytest.mark.slow
async def test_the_data_folder_is_found_by_the_services_note(
    url: str, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with service_note.noted(url, data):
        code, out, _ = await simulate(url, tables=3, rounds=2)
    assert code == 0
    assert out.endswith(" 0 mismatches\n")


@pytest.mark.slow
async def test_keys_can_come_from_a_file(url: str, data: Path, tmp_path: Path) -> None:
    keys = TableKeys(data)
    issued = {table: keys.issue(TableId(table)) for table in ("BJ-04", "BJ-09")}
    file = tmp_path / "keys.json"
    file.write_text(str(issued).replace("'", '"'))
    code, out, _ = await simulate(
        url, "--keys", file, tables=2, rounds=5, PROGRESSIVE_DATA=str(tmp_path)
    )
    assert code == 0
    assert out.startswith("simulated 2 tables, 10 rounds")
    assert keys.fits(TableId("BJ-04"), issued["BJ-04"])


@pytest.mark.slow
async def test_other_tables_at_play_are_allowed_for_and_mentioned(url: str, data: Path) -> None:
    key = TableKeys(data).issue(TableId("BJ-12"))
    async with (
        aiohttp.ClientSession(headers={"Authorization": f"Bearer {key}"}) as session,
        session.ws_connect(f"{url}/v1/tables/BJ-12/socket") as table,
    ):
        assert (await table.receive_json())["type"] == "welcome"
        run = asyncio.create_task(simulate(url, "--data", data, tables=3, rounds=40))
        await journal_reaches(url, 20)
        wager = {"seat": 1, "bet": "blazing7", "amount_cents": 500, "base_cents": 1000}
        locked = {"type": "lock", "seq": 1, "round": "x", "wagers": [wager], "chips_counted": 1}
        await table.send_json(locked)
        assert (await table.receive_json())["type"] == "locked"
        # It wins the Mega: a jump for the others, and the signs say why.
        jackpot = {"seat": 1, "cards": ["7d", "7d", "7d"]}
        cards = {"seats": [jackpot], "dealer": {"cards": ["9s", "8s"]}}
        await table.send_json(settle(2, "x", **cards))
        assert (await table.receive_json())["awards"][0]["meter"] == "mega"
        code, out, _ = await run
    assert code == 0
    assert "others play too, so meters are only bounded; 1 jump of meters by records of" in out
    assert out.endswith(" 0 mismatches\n")


@pytest.mark.slow
@pytest.mark.parametrize("told", [True, False], ids=["allowed for", "not allowed for"])
async def test_an_award_voided_meanwhile_is_a_jump_where_people_may_act(
    data: Path, told: bool
) -> None:
    rules = shipped_rules()
    async with running(rules, data=data, host="127.0.0.1", port=0) as service:
        people = await renewed_people(service.floor.reception.people)
        key = TableKeys(data).issue(TableId("BJ-12"))
        async with TableClient.connect(service.url, "BJ-12", key) as table:
            await table.ask(lock(1, "x"))
            jackpot = {"seat": 1, "cards": ["7d", "7d", "7d"]}
            cards = {"seats": [jackpot], "dealer": {"cards": ["9s", "8s"]}}
            settled = await table.ask(settle(2, "x", **cards))
        (award,) = settled["awards"]
        flags = ["--people-act"] if told else []
        # Slow enough for people, and without end until they are done.
        command = ["simulate", "--server", service.url, "--data", data, "--pace", 0.05, *flags]
        command += ["--tables", 3, "--rounds", 100_000, "--seed", 1]
        async with a_process(*command) as process:
            await journal_reaches(service.url, 20)
            await void_by_two(service.url, people, award["award"])
            after = (await read_floor([service.url])).links[0].seq
            await journal_reaches(service.url, after + 20)
            process.send_signal(signal.SIGINT)
            out, _ = await process.communicate()
    if told:
        assert process.returncode == 0, out
        assert b"; 1 jump of meters by records of others: " in out
    else:
        assert process.returncode == 1, out
        assert re.search(
            rb"expected mega at \$25,.*, came \$100,.* after \d records? of others", out
        )
        assert out.endswith(b" 1 mismatch\n")


async def void_by_two(url: str, people: Sequence[DemoLogIn], award: str) -> None:
    passwords = {each.person.name: each.password for each in people}
    async with aiohttp.ClientSession(url, cookie_jar=aiohttp.DummyCookieJar()) as session:
        for name, status in (("demo-supervisor", 202), ("demo-supervisor-2", 200)):
            credentials = {"user": name, "password": passwords[name]}
            async with session.post("/v1/sessions", json=credentials) as response:
                token = (await response.json())["token"]
            async with session.post(
                f"/v1/awards/{award}/void",
                json={"reason": "the card was misread"},
                headers={"Authorization": f"Bearer {token}"},
            ) as response:
                assert response.status == status, await response.text()


@pytest.mark.slow
async def test_rounds_that_a_killed_run_left_open_are_taken_over(url: str, data: Path) -> None:
    command = ["simulate", "--server", url, "--tables", 12, "--rounds", 100_000, "--seed", 9]
    async with a_process(*command, "--data", data):
        await journal_reaches(url, 100)
    code, out, _ = await simulate(url, "--data", data, rounds=3)
    assert code == 0
    assert out.endswith(" 0 mismatches\n")


@pytest.mark.slow
async def test_ctrl_c_ends_a_run_with_its_totals(url: str, data: Path) -> None:
    command = ["simulate", "--server", url, "--tables", 12, "--rounds", 100_000, "--seed", 9]
    async with a_process(*command, "--data", data) as process:
        await journal_reaches(url, 50)
        process.send_signal(signal.SIGINT)
        out, _ = await process.communicate()
    assert process.returncode == 0
    assert out.endswith(b" 0 mismatches\n")


@pytest.mark.slow
async def test_a_service_that_is_killed_and_started_again_loses_nothing(data: Path) -> None:
    serve = ["serve", "--floor", FLOOR, "--data", data, "--log-level", "error", "--listen"]
    async with a_process(*serve, "127.0.0.1:0") as first:
        url = (await first.stdout.readline()).decode().split()[1]
        address = url.removeprefix("http://")
        run = asyncio.create_task(simulate(url, "--data", data, rounds=150))
        await journal_reaches(url, 300)
        first.kill()
    async with a_process(*serve, address) as second:
        assert (await second.stdout.readline()).startswith(b"ready")
        await journal_reaches(url, 1000)
        second.kill()
    async with a_process(*serve, address) as third:
        assert (await third.stdout.readline()).startswith(b"ready")
        await journal_reaches(url, 2000)
        # A stop that says goodbye, with a checkpoint in the journal.
        third.send_signal(signal.SIGTERM)
        await third.wait()
    async with a_process(*serve, address) as fourth:
        assert (await fourth.stdout.readline()).startswith(b"ready")
        code, out, _ = await run
    assert (code, out[-14:]) == (0, " 0 mismatches\n"), out
    assert "1,800 rounds" in out
    reconnects = re.search(r"(\d+) reconnects", out)
    assert reconnects is not None
    assert int(reconnects[1]) >= 3 * 12


# --- a service that lies ------------------------------------------------------------------------

Told = Callable[[Message], list[Message]]


def more(by: int) -> Told:
    def lie(message: Message) -> list[Message]:
        first, *rest = message["meters"]
        return [message | {"meters": [first | {"cents": first["cents"] + by}, *rest]}]

    return lie


LIES = {
    "a cent too much": (more(1), r"expected mega at \$[\d,.]+, came \$[\d,.]+"),
    "a cent too little": (more(-1), r"expected mega at \$[\d,.]+, came \$[\d,.]+"),
    "an answer twice": (lambda m: [m, m], r"expected .+, came \{\"type\":\"locked\""),
    "another's number": (lambda m: [m | {"seq": m["seq"] + 1}], r"expected the answer to seq \d+"),
    "an old record": (lambda m: [m | {"journal_seq": 1}], r"expected a journal_seq above"),
    "a first time called repeat": (lambda m: [m | {"repeat": True}], r"expected a first answer"),
    "a refusal": (
        lambda m: [{"type": "error", "seq": m["seq"], "code": "ROUND_OPEN", "message": "no"}],
        r"expected locked, came \{\"type\":\"error\"",
    ),
    "no message at all": (lambda m: [{"type": "hello"}], r"expected a message of the protocol"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("told", "found"), LIES.values(), ids=LIES)
async def test_a_lie_in_one_answer_is_caught(url: str, data: Path, told: Told, found: str) -> None:
    answers = 0

    def lie(table: str, message: Message) -> list[Message]:
        nonlocal answers
        if table != "BJ-02" or message["type"] != "locked" or "repeat" in message:
            return [message]
        answers += 1
        return told(message) if answers == 4 else [message]

    async with a_lying_proxy(url, lie) as proxied:
        code, out, _ = await simulate(proxied, "--data", data, tables=3, rounds=8)
    assert code == 1, out
    *mismatches, totals = out.splitlines()
    assert re.match(rf"mismatch: BJ-02 seq \d+: {found}", mismatches[0]), out
    assert totals.endswith(" 1 mismatch"), out


def of_a_meter(**by: int) -> Callable[[Message], Message]:
    """The first award from a meter, told with other numbers."""

    def lie(message: Message) -> Message:
        awards = [*message["awards"]]
        place = next(n for n, award in enumerate(awards) if award["kind"] == "meter")
        awards[place] = awards[place] | {key: awards[place][key] + by[key] for key in by}
        return message | {"awards": awards}

    return lie


AWARD_LIES = {
    "a cent more": (
        of_a_meter(amount_cents=1, due_cents=1),
        r"BJ-\d+ seq \d+: expected \$[\d,.]+ of \w+ for three_7_\w+ at seat \d, came",
    ),
    "another meter before": (
        of_a_meter(meter_before_cents=-1),
        r"BJ-\d+ seq \d+: expected \w+ at [$\d,. or]+ before three_7_\w+ at seat \d, came",
    ),
    "another meter after": (
        of_a_meter(meter_after_cents=100),
        r"BJ-\d+ seq \d+: expected \w+ at [$\d,. or]+ after three_7_\w+ at seat \d, came",
    ),
    "another seat": (of_a_meter(seat=-1), r"BJ-\d+ seq \d+: expected award \d with seat \d, came"),
    "another place in the order": (
        of_a_meter(order=1),
        r"BJ-\d+ seq \d+: expected award \d with order \d, came",
    ),
    "no award at all": (
        lambda message: message | {"awards": []},
        r"BJ-\d+ seq \d+: expected \d+ awards \(.*three_7_.* at seat \d.*\), came",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(("told", "found"), AWARD_LIES.values(), ids=AWARD_LIES)
async def test_a_lie_about_one_award_is_caught(
    url: str, data: Path, told: Callable[[Message], Message], found: str
) -> None:
    lied = False

    def lie(table: str, message: Message) -> list[Message]:
        nonlocal lied
        of_meters = [a for a in message.get("awards", []) if a["kind"] == "meter"]
        if lied or not of_meters or "repeat" in message:
            return [message]
        lied = True
        return [told(message)]

    async with a_lying_proxy(url, lie) as proxied:
        code, out, _ = await simulate(proxied, "--data", data, "--demo-shoe", tables=6, rounds=80)
    assert lied
    assert code == 1, out
    # The sign tells the truth: where it shows what was lied about, it differs too.
    first = next(line for line in out.splitlines() if "on the signs" not in line)
    assert re.match(f"mismatch: {found}", first), out


SIGN_LIES = {
    "a win kept back": (lambda win: [], "at once on the signs|on the signs, came none"),
    "a win shown twice": (lambda win: [win, win], "expected every win once"),
    "another amount": (
        lambda win: [win | {"amount_cents": win["amount_cents"] + 1}],
        r"expected win main\.",
    ),
    "another next amount": (lambda win: [win | {"next_cents": 1}], r"expected win main\."),
    "a win that nobody had": (
        lambda win: [win | {"award": "main.1.1"}, win],
        "expected no such award",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(("told", "found"), SIGN_LIES.values(), ids=SIGN_LIES)
async def test_a_lie_on_the_signs_is_caught(url: str, data: Path, told: Told, found: str) -> None:
    lied = False

    def on_signs(_: str, message: Message) -> list[Message]:
        nonlocal lied
        if lied or message["type"] != "win":
            return [message]
        lied = True
        return told(message)

    async with a_lying_proxy(url, on_signs=on_signs) as proxied:
        code, out, _ = await simulate(proxied, "--data", data, "--demo-shoe", tables=6, rounds=80)
    assert lied
    assert code == 1, out
    assert re.search(f"mismatch: BJ-\\d+ on the signs: .*({found})", out), out
    assert out.endswith(" 1 mismatch\n"), out


@pytest.mark.slow
async def test_money_that_comes_from_nowhere_is_caught(url: str, data: Path) -> None:
    def lie(table: str, message: Message) -> list[Message]:
        if message["type"] not in ("locked", "settled", "voided") or message["journal_seq"] < 20:
            return [message]
        return more(1)(message)

    async with a_lying_proxy(url, lie) as proxied:
        code, out, _ = await simulate(proxied, "--data", data, tables=3, rounds=8)
    assert code == 1, out
    # The last reading, of the true meters, does not agree either.
    assert "the link at the end: expected mega at" in out


# --- bad input ----------------------------------------------------------------------------------


@pytest.mark.slow
async def test_keys_of_real_tables_are_not_replaced_unasked(url: str, data: Path) -> None:
    keys = TableKeys(data)
    real = keys.issue(TableId("BJ-03"))
    code, out, err = await simulate(url, "--data", data, tables=4, rounds=1)
    assert (code, out) == (2, "")
    assert "real tables hold the keys of BJ-03" in err
    assert keys.fits(TableId("BJ-03"), real)
    assert keys.holder(TableId("BJ-01")) is None, "none is issued where one must not be"
    code, out, _ = await simulate(url, "--data", data, "--replace-keys", tables=4, rounds=1)
    assert code == 0, out
    assert not keys.fits(TableId("BJ-03"), real)


@pytest.mark.slow
async def test_more_tables_than_the_floor_has(url: str, data: Path) -> None:
    code, out, err = await simulate(url, "--data", data, tables=13)
    assert (code, out, err) == (2, "", "Error: the floor has 12 tables, not 13\n")


@pytest.mark.slow
async def test_tables_that_others_sit_at_are_not_taken(url: str, data: Path) -> None:
    key = TableKeys(data).issue(TableId("BJ-02"), holder="simulator")
    async with (
        aiohttp.ClientSession(headers={"Authorization": f"Bearer {key}"}) as session,
        session.ws_connect(f"{url}/v1/tables/BJ-02/socket") as table,
    ):
        await table.receive_json()
        # Whoever does not listen does not answer pings either, and is taken for dead.
        listening = asyncio.create_task(table.receive())
        code, _, err = await simulate(url, "--data", data)
        assert code == 2
        assert "only 11 of 12 tables are free; others are connected at: BJ-02" in err
        code, out, _ = await simulate(url, "--data", data, tables=11, rounds=2)
        assert code == 0, out
        listening.cancel()
    assert TableKeys(data).fits(TableId("BJ-02"), key)


@pytest.mark.slow
async def test_keys_issued_in_the_wrong_folder(url: str, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    code, out, err = await simulate(url, "--data", elsewhere, tables=2, rounds=1)
    assert (code, out) == (2, "")
    assert "the service does not know this key" in err


async def test_nobody_answers_there(data: Path, tmp_path: Path) -> None:
    code, out, err = await simulate("http://127.0.0.1:9", "--data", tmp_path)
    assert (code, out) == (2, "")
    assert "http://127.0.0.1:9 cannot be reached" in err


@pytest.mark.slow
async def test_no_keys_and_no_note(url: str, tmp_path: Path) -> None:
    code, _, err = await simulate(url, XDG_RUNTIME_DIR=str(tmp_path), TMPDIR=str(tmp_path))
    assert code == 2
    assert "give --data DIR (its data directory) or --keys FILE" in err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--server", "localhost:8080"], "is not http://HOST:PORT"),
        (["--server", "http://127.0.0.1:99999"], "is not http://HOST:PORT"),
        (["--tables", "0"], "0 is not in the range"),
        (["--rounds", "0"], "0 is not in the range"),
        (["--pace", "-1"], "-1.0 is not in the range"),
        (["--data", "/nowhere/at/all"], "does not exist"),
        (["--keys", __file__], "is not a JSON object"),
        (["--keys", __file__, "--data", "/"], "either --data or --keys"),
    ],
)
def test_bad_options(arguments: list[str], told: str) -> None:
    good = ["--server", "http://127.0.0.1:9", "--tables", "1", "--rounds", "1", "--seed", "1"]
    result = CliRunner().invoke(main, ["simulate", *good, *arguments])
    assert (result.exit_code, result.stdout) == (2, "")
    assert told in result.stderr
