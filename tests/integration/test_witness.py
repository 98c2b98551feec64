"""`progressive witness`: the real command over real sockets, killed, filled up and lied to."""

import asyncio
import base64
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import aiohttp
import pytest

from progressive.adapters.seals.key_file import new_signer, read_signer
from progressive.adapters.seals.signing import signatures_by
from progressive.adapters.seals.witness_client import add_checkpoint
from progressive.adapters.witness.evidence_file import FILE
from progressive.adapters.witness.logs_file import read_logs
from progressive.adapters.witness.seen_files import FOLDER
from progressive.application.seals.note import COSIGNATURE, read_key, read_note
from progressive.application.seals.witnessing import (
    Verdict,
    read_witness,
    request_body,
    verdict,
)
from progressive.entry.witness.http import BODY_BYTES_MAX
from progressive.entry.witness.running import witness_running
from progressive.live.entrance.limits import Limits
from tests.integration.test_metrics import documented, exposed
from tests.support.certificates import Certificates
from tests.support.service import ANSWER_SECONDS, ROOT, run_command
from tests.support.witnesses import LOG, SignedLog, WitnessFiles, WitnessProcess

pytestmark = pytest.mark.slow

STORING_STEPS = 5
"""Of one small file: made, written, synced, renamed, its folder synced."""


@pytest.fixture
def files(tmp_path: Path) -> WitnessFiles:
    return WitnessFiles(tmp_path / "w")


@pytest.fixture
def running(files: WitnessFiles) -> Iterator[WitnessProcess]:
    with WitnessProcess(files) as process:
        yield process


class Client:
    """A log that asks a witness."""

    def __init__(self, session: aiohttp.ClientSession, url: str) -> None:
        self._session = session
        self._url = url

    async def add(self, body: bytes) -> tuple[int, str, str]:
        """Status, content type and text."""
        async with self._session.post(f"{self._url}/add-checkpoint", data=body) as response:
            return response.status, response.content_type, await response.text()

    async def newest(self) -> str | None:
        """The newest note; None where none was cosigned."""
        asked = {"origin": LOG.name}
        async with self._session.get(f"{self._url}/checkpoint", params=asked) as response:
            return await response.text() if response.status == 200 else None

    async def get(self, path: str) -> tuple[int, str]:
        async with self._session.get(f"{self._url}{path}") as response:
            return response.status, await response.text()


async def add_all(url: str, *bodies: bytes) -> list[tuple[int, str, str]]:
    timeout = aiohttp.ClientTimeout(total=ANSWER_SECONDS)
    async with aiohttp.ClientSession(timeout=timeout) as session:
        return [await Client(session, url).add(body) for body in bodies]


async def newest(url: str) -> str | None:
    async with aiohttp.ClientSession() as session:
        return await Client(session, url).newest()


async def test_a_log_is_followed_from_its_first_checkpoint_on(
    running: WitnessProcess, files: WitnessFiles
) -> None:
    log, other = SignedLog.of(20), SignedLog.of(20, forked_at=7)
    assert read_key(running.vkey) == files.signer.key(COSIGNATURE)
    answers = await add_all(
        running.url,
        log.request(0, 5),
        log.request(5, 9),
        log.request(9, 9),
        log.request(0, 20),
        other.request(9, 20),
        other.request(9, 9),
        log.request(5, 5),
        SignedLog.of(9, signer=LOG.named("nobody/main")).request(0),
        b"old 5\n",
    )
    assert [status for status, _, _ in answers] == [200, 200, 200, 409, 422, 409, 409, 404, 400]
    assert {(kind, text) for status, kind, text in answers if status == 409} == {
        ("text/x.tlog.size", "9\n")
    }
    note = await newest(running.url)
    assert note is not None
    read = read_note(note.encode())
    assert read.text == log.checkpoint(9).text
    assert len(signatures_by(read, [LOG.key(), read_key(running.vkey)])) == 2
    # What came first is what the answer said.
    assert answers[2][2] in note
    kinds = [json.loads(line)["kind"] for line in (files.data / FILE).read_text().splitlines()]
    assert kinds == ["unproved", "fork", "smaller"]
    assert running.terminate() == 0


async def test_of_many_at_once_one_is_cosigned(running: WitnessProcess) -> None:
    """All follow the first five records, and no two of them each other."""
    await add_all(running.url, SignedLog.of(5).request(0))
    logs = [SignedLog("1", "2", "3", "4", "5", f"{at}") for at in range(20)]
    async with aiohttp.ClientSession() as session:
        client = Client(session, running.url)
        answers = await asyncio.gather(*[client.add(log.request(5)) for log in logs])
        statuses = [status for status, _, _ in answers]
        assert sorted(statuses) == [200] + [409] * 19
        note = await client.newest()
    assert note is not None
    assert read_note(note.encode()).text == logs[statuses.index(200)].checkpoint().text


@pytest.mark.parametrize("nth", range(1, STORING_STEPS + 1))
async def test_killed_at_any_step_it_contradicts_nothing_that_it_answered(
    files: WitnessFiles, nth: int
) -> None:
    log, other = SignedLog.of(9), SignedLog.of(9, forked_at=7)
    with WitnessProcess(files) as process:
        assert (await add_all(process.url, log.request(0, 5)))[0][0] == 200
        process.kill()
    with WitnessProcess(files, fault=("kill", nth)) as process:
        with pytest.raises(aiohttp.ClientError):
            await add_all(process.url, log.request(5))
        process.wait_killed()
    with WitnessProcess(files) as process:
        note = await newest(process.url)
        assert note is not None
        stored = read_note(note.encode()).text
        # Renamed is stored, whether anybody was answered or not.
        assert stored == log.checkpoint(9 if nth == STORING_STEPS else 5).text
        answers = await add_all(
            process.url,
            SignedLog.of(9, forked_at=3).request(5),
            other.request(5),
            log.request(5),
            log.request(9),
        )
    statuses = [status for status, _, _ in answers]
    # Whoever comes first is cosigned, and then nobody else: what extends record 5 may come.
    assert statuses == ([409, 409, 409, 200] if nth == STORING_STEPS else [422, 200, 409, 409])


@pytest.mark.parametrize("nth", range(1, STORING_STEPS + 1))
async def test_a_full_disk_gives_no_cosignature_and_loses_nothing(
    files: WitnessFiles, nth: int
) -> None:
    log = SignedLog.of(9)
    with WitnessProcess(files) as process:
        await add_all(process.url, log.request(0, 5))
        process.terminate()
    with WitnessProcess(files, fault=("full", nth)) as process:
        ((status, _, text),) = await add_all(process.url, log.request(5))
        assert (status, text) == (503, "the checkpoint cannot be stored: nothing was cosigned\n")
        if nth == STORING_STEPS:
            # It has its name by then, so it counts: the log is told, and asks again.
            answers = await add_all(process.url, log.request(5), log.request(9))
            assert [each[0] for each in answers] == [409, 200]
        else:
            assert (await add_all(process.url, log.request(5)))[0][0] == 200
        note = await newest(process.url)
        process.kill()
    with WitnessProcess(files) as process:
        assert await newest(process.url) == note
        assert (await add_all(process.url, log.request(9)))[0][0] == 200


@pytest.mark.parametrize("nth", range(1, 5))
async def test_evidence_that_cannot_be_stored_changes_no_answer(
    files: WitnessFiles, nth: int
) -> None:
    with WitnessProcess(files) as process:
        await add_all(process.url, SignedLog.of(5).request(0))
        process.terminate()
    fork, another = SignedLog.of(5, forked_at=3), SignedLog.of(5, forked_at=4)
    with WitnessProcess(files, fault=("full", nth)) as process:
        answers = await add_all(process.url, fork.request(5), another.request(5))
        assert [(status, text) for status, _, text in answers] == [(409, "5\n")] * 2
    lines = (files.data / FILE).read_bytes().split(b"\n")
    assert read_note(json.loads(lines[-2])["note"].encode()).text == another.checkpoint().text
    assert "No space left" in files.data.with_suffix(".log").read_text()


@pytest.mark.parametrize("nth", range(1, 5))
async def test_killed_while_evidence_is_stored_it_goes_on_refusing(
    files: WitnessFiles, nth: int
) -> None:
    with WitnessProcess(files) as process:
        await add_all(process.url, SignedLog.of(5).request(0))
        process.terminate()
    fork = SignedLog.of(5, forked_at=3)
    with WitnessProcess(files, fault=("kill", nth)) as process:
        with pytest.raises(aiohttp.ClientError):
            await add_all(process.url, fork.request(5))
        process.wait_killed()
    with WitnessProcess(files) as process:
        ((status, _, text),) = await add_all(process.url, fork.request(5))
    assert (status, text) == (409, "5\n")
    # Stored before it died or after the start, and once.
    (line,) = (files.data / FILE).read_text().splitlines()
    assert read_note(json.loads(line)["note"].encode()).text == fork.checkpoint().text


async def test_a_large_body_is_refused(running: WitnessProcess) -> None:
    large = SignedLog.of(5).request(0) + b"x" * BODY_BYTES_MAX
    ((status, _, _),) = await add_all(running.url, large)
    assert status == 413

    async def pieces() -> "Iterator[bytes]":
        for _ in range(64):
            yield b"x" * 1024

    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{running.url}/add-checkpoint", data=pieces()) as response,
    ):
        assert response.status == 413
    assert (await add_all(running.url, SignedLog.of(5).request(0)))[0][0] == 200


async def test_a_body_that_never_ends_is_sent_away(files: WitnessFiles) -> None:
    limits = Limits(body_seconds=0.05)
    async with witness_running(
        read_signer(files.key),
        read_logs(files.logs),
        data=files.data,
        host="127.0.0.1",
        port=0,
        limits=limits,
    ) as url:
        port = int(url.rpartition(":")[2])
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"POST /add-checkpoint HTTP/1.1\r\nHost: w\r\nContent-Length: 900\r\n\r\nold ")
        async with asyncio.timeout(ANSWER_SECONDS):
            assert (await reader.readline()).startswith(b"HTTP/1.1 408 ")
            await reader.read()
        writer.close()
        await writer.wait_closed()
        assert (await add_all(url, SignedLog.of(5).request(0)))[0][0] == 200


async def test_what_people_and_machines_are_shown(running: WitnessProcess) -> None:
    async with aiohttp.ClientSession() as session:
        client = Client(session, running.url)
        assert "No log has asked yet" in (await client.get("/"))[1]
        assert await client.newest() is None
        assert (await client.get("/checkpoint"))[0] == 400
        await client.add(SignedLog.of(5).request(0))
        await client.add(SignedLog.of(5, forked_at=2).request(0))
        status, page = await client.get("/")
        assert status == 200
        for text in (LOG.name, running.vkey.replace("+", "&#43;"), "refused since the start: 1"):
            assert text in page or text.replace("&#43;", "+") in page, text
        assert await client.get("/healthz") == (200, '{"status":"alive"}')
        _, metrics = await client.get("/metrics")
        async with session.get(running.url) as response:
            assert response.headers["Content-Security-Policy"].startswith("default-src 'none'")
        for asset in re.findall(r'href="(/assets/[^"]+)"', page):
            assert (await client.get(asset))[0] == 200, asset
    assert f'witness_log_records{{origin="{LOG.name}"}} 5.0' in metrics
    assert 'witness_answers_total{status="409"} 1.0' in metrics
    assert 'witness_refused_total{kind="fork"} 1.0' in metrics
    assert exposed(metrics) == documented((ROOT / "docs" / "witness.md").read_text("utf-8"))


def test_what_a_service_asks_is_understood_on_both_sides(
    running: WitnessProcess, files: WitnessFiles
) -> None:
    """The client of the sealer, from the first seal to a journal that was replaced."""
    asked_one = read_witness(f"{running.url} {running.vkey}")

    def ask(log: SignedLog, old: int, size: int) -> Verdict:
        proof = [base64.b64decode(each) for each in log.proof(old, size)]
        note = log.note(size)
        body = request_body(old, proof, note.encoded.encode())
        answer = add_checkpoint(asked_one.url, body)
        return verdict(answer, asked_one, note, log.checkpoint(size), old, signatures_by)

    log, other = SignedLog.of(20), SignedLog.of(20, forked_at=7)
    first = ask(log, 0, 5)
    assert (first.standing, first.size, len(first.signatures)) == ("agrees", 5, 1)
    assert ask(log, 0, 9) == Verdict("behind", 5)
    assert ask(log, 5, 9).standing == "agrees"
    assert ask(log, 5, 5).standing == "disagrees"
    assert ask(other, 9, 20).standing == "disagrees"
    # Another journal of the same length, from wherever it is asked.
    assert ask(other, 5, 9) == Verdict("behind", 9)
    assert ask(other, 9, 9).standing == "disagrees"
    stranger = SignedLog.of(9, signer=new_signer("nobody"))
    assert ask(stranger, 0, 9).standing == "refuses"
    assert ask(log, 9, 20).standing == "agrees"


async def test_it_speaks_tls(files: WitnessFiles, tmp_path: Path) -> None:
    certificates = Certificates(tmp_path)
    with WitnessProcess(files, *[str(each) for each in certificates.options]) as process:
        assert process.url.startswith("https://")
        connector = aiohttp.TCPConnector(ssl=certificates.trusting())
        async with aiohttp.ClientSession(connector=connector) as session:
            status, _, _ = await Client(session, process.url).add(SignedLog.of(5).request(0))
    assert status == 200
    half = run_command(*files.options(), "--tls-cert", certificates.cert)
    assert half.returncode == 2
    assert "both --tls-cert and --tls-key" in half.stderr


# --- the start ----------------------------------------------------------------------------------


def test_two_witnesses_never_share_a_directory(
    running: WitnessProcess, files: WitnessFiles
) -> None:
    second = run_command(*files.options())
    assert second.returncode == 2
    assert "is in use by another progressive" in second.stderr


def test_it_does_not_start_on_what_it_cannot_read(files: WitnessFiles) -> None:
    with WitnessProcess(files) as process:
        asyncio.run(add_all(process.url, SignedLog.of(5).request(0)))
        process.terminate()
    (path,) = (files.data / FOLDER).iterdir()
    half = path.read_bytes()[:-20]
    for make in (
        lambda: path.write_bytes(half),
        path.mkdir,
        lambda: os.mkfifo(path),
        lambda: path.symlink_to("nowhere"),
    ):
        path.unlink()
        make()
        started = run_command(*files.options())
        assert started.returncode == 1
        assert str(path) in started.stderr
        assert "docs/witness.md" in started.stderr
        if path.is_dir():
            path.rmdir()
            path.touch()


def test_bad_files_are_named_with_what_is_wrong(files: WitnessFiles, tmp_path: Path) -> None:
    good = files.logs.read_text()
    for text, expected in (
        ("", "names no log"),
        ("# only this\n\n", "names no log"),
        (f"{good}casino\n", "line 2: not a key: name+id+key is expected"),
        (good.replace("casino.example+", "another+"), "line 1: the key's id is"),
        (files.signer.key(COSIGNATURE).text, "line 1: the key of witness.example/w1 is a witness"),
    ):
        files.logs.write_text(text)
        started = run_command(*files.options())
        assert (started.returncode, started.stdout) == (2, ""), text
        assert expected in started.stderr
    files.logs.write_text(good)
    files.key.chmod(0o644)
    assert "can be read by others" in run_command(*files.options()).stderr
    files.key.chmod(0o600)
    files.data.mkdir()
    (files.data / "journal.sqlite3").touch()
    refused = run_command(*files.options())
    assert refused.returncode == 2
    assert "is the data directory of a service" in refused.stderr
