"""Starting, stopping, and refusing to start from anything but the truth."""

import json
import sqlite3
from pathlib import Path

import aiohttp
import pytest

from tests.support.service import (
    ANSWER_SECONDS,
    FLOOR,
    ServiceProcess,
    TableClient,
    issue_key,
    lock,
    run_command,
    settle,
)

pytestmark = pytest.mark.slow


async def play_a_round(service: ServiceProcess, table: str = "BJ-01") -> list[int]:
    """One round of three wagers; the meters after it."""
    key = issue_key(service.data, table)
    async with TableClient.connect(service.url, table, key) as client:
        seq = client.welcome["next_seq"]
        await client.ask(lock(seq, f"r{seq}", (1, 2, 3)))
        answer = await client.ask(settle(seq + 1, f"r{seq}"))
        return [meter["cents"] for meter in answer["meters"]]


async def get(url: str) -> tuple[int, str]:
    async with aiohttp.ClientSession() as session, session.get(url) as response:
        return response.status, await response.text()


async def meters(service: ServiceProcess) -> list[int]:
    _, body = await get(f"{service.url}/v1/links/main/meters")
    return [meter["cents"] for meter in json.loads(body)["meters"]]


async def test_the_amounts_survive_any_number_of_restarts(tmp_path: Path) -> None:
    data = tmp_path / "data"
    left = [10_000_000, 1_500_000, 300_000]
    for turn in range(3):
        with ServiceProcess(data) as service:
            assert await meters(service) == left
            left = await play_a_round(service)
            if turn % 2:
                service.kill()
            else:
                assert service.terminate() == 0
    assert left == [10_000_000 + 540, 1_500_000 + 270, 300_000 + 180]


async def test_a_second_process_on_the_same_data_is_refused(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with ServiceProcess(data) as service:
        second = run_command("serve", "--floor", FLOOR, "--data", data, "--listen", "127.0.0.1:0")
        assert second.returncode == 2
        assert "in use" in second.stderr
        assert str(service.pid) in second.stderr
        assert second.stdout == ""
        # The first one did not notice.
        await play_a_round(service)
    with ServiceProcess(data) as service:
        assert (await meters(service))[0] == 10_000_000 + 180


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--floor", "nowhere.toml", "--data", "d"], "nowhere.toml"),
        (["--floor", FLOOR, "--data", "d", "--listen", "8080"], "HOST:PORT"),
        (["--floor", FLOOR, "--data", "d", "--listen", "localhost:99999"], "HOST:PORT"),
        (
            ["--floor", FLOOR, "--data", "d", "--store", "postgres"],
            "unknown store 'postgres' (use sqlite, memory or redis://HOST:PORT)",
        ),
        (["--data", "d"], "--floor"),
    ],
)
def test_bad_input_is_refused_in_words(
    tmp_path: Path, arguments: list[str | Path], says: str
) -> None:
    ended = run_command("serve", *arguments, cwd=tmp_path)
    assert ended.returncode == 2
    assert says in ended.stderr
    assert "Traceback" not in ended.stderr


def damage_record(path: Path) -> None:
    """Someone makes the Mega a hundred times richer, in the file."""
    with sqlite3.connect(path) as db:
        row, body = db.execute(
            "SELECT rowid, body FROM batch ORDER BY first_seq LIMIT 1"
        ).fetchone()
        changed = bytes(body).replace(b'"mega",10000000000000', b'"mega",99000000000000')
        assert changed != body
        db.execute("UPDATE batch SET body = ? WHERE rowid = ?", (changed, row))
    db.close()


def delete_last_batch(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("DELETE FROM batch WHERE last_seq = (SELECT max(last_seq) FROM batch)")
    db.close()


def enrich_snapshot(path: Path) -> None:
    with sqlite3.connect(path) as db:
        (body,) = db.execute("SELECT body FROM snapshot").fetchone()
        changed = bytes(body).replace(b'["primary","mega",1', b'["primary","mega",9')
        assert changed != body
        db.execute("UPDATE snapshot SET body = ?", (changed,))
    db.close()


def scribble(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(b"not a database at all" * 10)


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (damage_record, "record 2 does not follow record 1"),
        (delete_last_batch, "the journal ends"),
        (enrich_snapshot, "the snapshot at"),
        (scribble, "damaged"),
    ],
)
async def test_a_link_that_cannot_be_proved_is_inoperable_with_the_reason(
    tmp_path: Path, damage: object, says: str
) -> None:
    data = tmp_path / "data"
    with ServiceProcess(data) as service:
        await play_a_round(service)
        assert service.terminate() == 0
    damage(data / "journal.sqlite3")  # type: ignore[operator]
    with ServiceProcess(data) as service:
        status, body = await get(f"{service.url}/readyz")
        assert status == 503
        reason = json.loads(body)["links"]["main"]["reason"]
        assert says in reason
        # Never an invented amount: nothing is known, so nothing is shown.
        assert await meters(service) == []
        async with (
            aiohttp.ClientSession() as session,
            session.ws_connect(f"{service.url}/v1/links/main/feed") as feed,
        ):
            snapshot = await feed.receive_json(timeout=ANSWER_SECONDS)
            assert (snapshot["state"], snapshot["reason"]) == ("inoperable", reason)
            assert snapshot["meters"] == []
        async with TableClient.connect(service.url, "BJ-01", issue_key(data, "BJ-01")) as table:
            refused = await table.ask(lock(3, "r9"))
            assert refused["code"] == "LINK_INOPERABLE"
            assert reason in refused["message"]
        assert service.terminate() == 0
    verified = run_command("verify", "--data", data)
    assert verified.returncode == 1


async def test_other_terms_than_the_journals_are_named_and_not_played(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with ServiceProcess(data) as service:
        await play_a_round(service)
        assert service.terminate() == 0
    floor = tmp_path / "floor.toml"
    floor.write_text(FLOOR.read_text().replace("rate_ppm = 120000", "rate_ppm = 110000", 1))
    with ServiceProcess(data, floor=floor) as service:
        _, body = await get(f"{service.url}/readyz")
        assert "bet.blazing7.meter.mega.rate_ppm: 120000 in the journal, 110000" in body
    # With the terms it was opened with, the link is there again, untouched.
    with ServiceProcess(data) as service:
        assert (await get(f"{service.url}/readyz"))[0] == 200
        assert (await meters(service))[0] == 10_000_000 + 180


async def test_metrics_and_logs_tell_what_an_operator_needs(tmp_path: Path) -> None:
    with ServiceProcess(tmp_path / "data") as service:
        await play_a_round(service)
        status, text = await get(f"{service.url}/metrics")
        assert status == 200
        for line in (
            'progressive_wagers_total{link="main"} 3.0',
            'progressive_rounds_total{link="main"} 1.0',
            'progressive_records_total{link="main"} 2.0',
            'progressive_meter_cents{link="main",meter="minor"} 300060.0',
            'progressive_link_up{link="main"} 1.0',
            'progressive_queue_depth{link="main"} 0.0',
            'progressive_signs_connected{link="main"} 0.0',
        ):
            assert line in text
        for series in (
            "progressive_append_seconds_bucket",
            "progressive_batch_records_bucket",
            "progressive_feed_lag_seconds_bucket",
            "progressive_refusals",
            "progressive_sign_lag_records",
        ):
            assert series in text
        before = len(service.log().splitlines())
        for _ in range(5):
            await play_a_round(service)
        lines = service.log().splitlines()
        assert len(lines) == before, "a round must not log"
        assert {"at", "level", "from", "message"} <= json.loads(lines[0]).keys()
        assert service.terminate() == 0


async def test_http_errors_have_one_form(tmp_path: Path) -> None:
    with ServiceProcess(tmp_path / "data") as service:
        for path, status in (
            ("/v1/links/nowhere/meters", 404),
            ("/v1/links/nowhere/feed", 404),
            ("/nowhere", 404),
            ("/v1/links/main/feed", 400),
            ("/v1/tables/BJ-01/socket", 400),
        ):
            found, body = await get(service.url + path)
            assert found == status, path
            assert {"code", "message"} == json.loads(body)["error"].keys(), path


async def test_the_meters_of_an_earlier_time_are_read_from_the_journal(tmp_path: Path) -> None:
    with ServiceProcess(tmp_path / "data") as service:
        seen: list[tuple[str, list[int]]] = []
        for _ in range(4):
            await play_a_round(service)
            _, body = await get(f"{service.url}/v1/links/main/meters")
            now = json.loads(body)
            seen.append((now["at"], [meter["cents"] for meter in now["meters"]]))
        address = f"{service.url}/v1/links/main/meters?at="
        for at, cents in seen:
            status, body = await get(address + at)
            assert status == 200
            then = json.loads(body)
            assert ([meter["cents"] for meter in then["meters"]], then["at"]) == (cents, at)
        status, body = await get(address + "2999-01-01T00:00:00+05:00")
        assert [meter["cents"] for meter in json.loads(body)["meters"]] == seen[-1][1]
        for at, status in (
            ("2000-01-01T00:00:00Z", 404),
            ("yesterday", 400),
            ("2026-01-01T00:00:00", 400),
            ("0001-01-01T00:00:00+23:59", 400),
        ):
            found, body = await get(address + at)
            assert found == status, (at, body)
            assert {"code", "message"} == json.loads(body)["error"].keys()
