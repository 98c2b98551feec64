"""The award proof as staff fetch and print it: the file, its refusals, the code on the sheet."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import aiohttp
import pytest

from progressive.adapters.seals.key_file import new_signer, write_key
from progressive.adapters.seals.signing import signatures_by
from progressive.application.seals.merkle import leaf_hash
from progressive.application.seals.note import COSIGNATURE, read_checkpoint, read_note
from progressive.application.seals.witnessing import read_witness
from progressive.entry.awards.qr_code import qr_of, qr_svg
from progressive.entry.bootstrap import Running, running
from progressive.entry.seals import SealSettings
from tests.support.people import PASSWORD
from tests.support.sealed_award import seal
from tests.support.service import (
    ANSWER_SECONDS,
    TableClient,
    issue_key,
    lock,
    settle,
    shipped_rules,
)
from tests.support.staff import DAN, JOE, Staff, working
from tests.support.witnesses import WitnessFiles, WitnessProcess


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Running]:
    async with running(shipped_rules(), data=tmp_path, host="127.0.0.1", port=0) as service:
        yield service


@pytest.fixture
async def staff(service: Running, tmp_path: Path) -> AsyncIterator[Staff]:
    async with working(service.url, tmp_path) as staff:
        yield staff


@pytest.fixture
async def award(service: Running, staff: Staff, tmp_path: Path) -> str:
    """Three 7s of diamonds at seat 5; Dan deals."""
    assert (await staff.post(DAN, "/v1/tables/BJ-01/dealer"))[0] == 200
    key = issue_key(tmp_path, "BJ-01")
    async with TableClient.connect(service.url, "BJ-01", key) as table:
        await table.ask(lock(1, "r1", seats=(5,)))
        seats = [{"seat": 5, "cards": ["7d", "7d", "7d"]}]
        settled = await table.ask(settle(2, "r1", dealer={"cards": ["9c"]}, seats=seats))
    return str(settled["awards"][0]["award"])


async def fetched(url: str, path: str) -> tuple[int, aiohttp.typedefs.LooseHeaders, str]:
    """As a script of the auditor does it."""
    async with aiohttp.ClientSession() as session:
        log_in = {"user": JOE.name, "password": PASSWORD}
        async with session.post(f"{url}/v1/sessions", json=log_in) as response:
            token = (await response.json())["token"]
        headers = {"Authorization": f"Bearer {token}"}
        async with session.get(f"{url}{path}", headers=headers) as response:
            return response.status, response.headers, await response.text()


async def test_refusals_say_why_and_what_to_do(staff: Staff, award: str, tmp_path: Path) -> None:
    path = f"/v1/awards/{award}/proof"

    async def refused() -> tuple[int, str, str]:
        status, answer = await staff.ask(JOE, "GET", path)
        return status, answer["error"]["code"], answer["error"]["message"]

    status, code, message = await refused()
    assert (status, code) == (404, "NOT_SEALED")
    assert "without a seal key" in message
    _, page = await staff.ask(JOE, "GET", f"/sheet/{award}")
    assert "is not sealed" in page
    assert "<svg" not in page
    link, record, _ = award.rsplit(".", 2)
    status, answer = await staff.ask(JOE, "GET", f"/v1/awards/{link}.{record}.9/proof")
    assert (status, answer["error"]["code"]) == (404, "UNKNOWN_AWARD")


async def test_award_after_the_newest_seal_is_sealed_in_a_minute(
    service: Running, staff: Staff, award: str, tmp_path: Path
) -> None:
    await seal(tmp_path)
    key = issue_key(tmp_path, "BJ-02")
    async with TableClient.connect(service.url, "BJ-02", key) as table:
        await table.ask(lock(1, "r1", seats=(1,)))
        seats = [{"seat": 1, "cards": ["7d", "7h", "7d"]}]
        settled = await table.ask(settle(2, "r1", dealer={"cards": ["9c"]}, seats=seats))
    later = settled["awards"][0]["award"]
    status, answer = await staff.ask(JOE, "GET", f"/v1/awards/{later}/proof")
    assert (status, answer["error"]["code"]) == (409, "NOT_SEALED_YET")
    assert "try again in a minute" in answer["error"]["message"]
    await seal(tmp_path)
    for each in (award, later):
        status, _, text = await fetched(service.url, f"/v1/awards/{each}/proof")
        assert (status, text.split("\n")[1]) == (200, f"award {each}")


async def test_the_file_has_a_name_and_the_sheet_its_code(
    service: Running, staff: Staff, award: str, tmp_path: Path
) -> None:
    note = await seal(tmp_path)
    status, headers, text = await fetched(service.url, f"/v1/awards/{award}/proof")
    assert status == 200
    assert headers["Content-Disposition"] == f'attachment; filename="{award}.award-proof"'
    assert headers["Content-Type"] == "text/plain; charset=utf-8"
    assert headers["Cache-Control"] == "no-store"
    assert text.endswith(note)
    assert DAN.name not in text
    _, page = await staff.ask(JOE, "GET", f"/sheet/{award}")
    checkpoint = read_checkpoint(read_note(note.encode()).text)
    settlement = next(line for line in text.split("\n") if '"round_settled"' in line)
    facts = {
        "award": award,
        "leaf": leaf_hash(settlement.encode()).hex(),
        "size": str(checkpoint.size),
        "root": checkpoint.root.hex(),
    }
    # The code on the sheet is the one of the address with just these facts, dot by dot.
    url = f"{service.url}/proof#" + "&".join([f"{name}={value}" for name, value in facts.items()])
    assert str(qr_svg(url)) in page
    assert {name: value for name, (value,) in parse_qs(urlsplit(url).fragment).items()} == facts
    assert qr_of(url).matrix != qr_of(url.replace(facts["leaf"], facts["root"])).matrix
    assert "style=" not in str(qr_svg(url))
    # The whole of it, with its quiet zone of four dots on each side, in whatever size.
    dots = len(qr_of(url).matrix) + 8
    assert f'viewBox="0 0 {dots} {dots}"' in str(qr_svg(url))
    assert " width=" not in str(qr_svg(url)).partition(">")[0]


async def test_anybody_may_open_the_page_that_checks(service: Running) -> None:
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"{service.url}/proof") as response,
    ):
        assert response.status == 200
        assert "Check an award proof" in await response.text()


@pytest.mark.slow
async def test_a_service_seals_the_award_and_a_witness_cosigns_it(tmp_path: Path) -> None:
    """Nobody but the real ones: the service, the process that seals, the witness."""
    house = new_signer("casino.example")
    write_key(tmp_path / "seal-key", house)
    files = WitnessFiles(tmp_path / "w", house)
    data = tmp_path / "data"
    with WitnessProcess(files) as witness:
        settings = SealSettings(
            key=tmp_path / "seal-key",
            witnesses=(read_witness(f"{witness.url} {witness.vkey}"),),
            period_seconds=0.05,
        )
        rules = shipped_rules()
        async with (
            running(rules, data=data, host="127.0.0.1", port=0, seals=settings) as service,
            working(service.url, data) as staff,
            TableClient.connect(service.url, "BJ-01", issue_key(data, "BJ-01")) as table,
        ):
            await table.ask(lock(1, "r1", seats=(5,)))
            seats = [{"seat": 5, "cards": ["7d", "7d", "7d"]}]
            settled = await table.ask(settle(2, "r1", dealer={"cards": ["9c"]}, seats=seats))
            path = f"/v1/awards/{settled['awards'][0]['award']}/proof"
            async with asyncio.timeout(ANSWER_SECONDS):
                while True:
                    status, answer = await staff.ask(JOE, "GET", path)
                    if status == 200 and files.signer.name in answer:
                        break
                    assert status == 200 or answer["error"]["code"] == "NOT_SEALED_YET", answer
                    await asyncio.sleep(0.02)
    note = read_note(str(answer).partition("\n\n")[2].encode())
    keys = [house.named("casino.example/main").key(), files.signer.key(COSIGNATURE)]
    assert len(signatures_by(note, keys)) == 2
