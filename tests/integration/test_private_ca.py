"""`--ca FILE`: every client of ours reaches a service whose certificate a private CA has signed."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.support.certificates import Certificates
from tests.support.led_lines import TcpSign
from tests.support.people import PASSWORD
from tests.support.relays import RelayProcess, a_sign
from tests.support.service import FLOOR, ROOT, ServiceProcess, run_command

pytestmark = pytest.mark.slow

PLAY = ("--tables", "2", "--rounds", "3", "--seed", "1")
BEGINNING = "Mega $100,000.00 | Major $15,000.00 | Minor $3,000.00"


@pytest.fixture
def certificates(tmp_path: Path) -> Certificates:
    return Certificates(tmp_path)


def test_simulate_plays_over_tls(tmp_path: Path, certificates: Certificates) -> None:
    with ServiceProcess(tmp_path / "data", *certificates.options) as service:
        ran = run_command("simulate", "--server", service.url, *PLAY, "--ca", certificates.ca)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("simulated 2 tables, 6 rounds")
    assert ran.stdout.endswith(" 0 mismatches\n")


@pytest.mark.parametrize(
    "command",
    [("simulate", *PLAY), ("approve", "main", "--user", "Ann", "--reason", "agreed")],
    ids=lambda c: c[0],
)
def test_a_certificate_that_is_not_trusted_is_one_line_in_plain_words(
    tmp_path: Path, certificates: Certificates, command: tuple[str, ...]
) -> None:
    another = Certificates(_made(tmp_path / "another"))
    for_another_host = certificates.authority.issue_cert("localhost")
    cert, key = tmp_path / "host.pem", tmp_path / "host.key"
    for_another_host.cert_chain_pems[0].write_to_path(cert)
    for_another_host.private_key_pem.write_to_path(key)

    def told(url: str, *options: str | Path) -> str:
        ran = run_command(*command, "--server", url, *options, input=PASSWORD)
        assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (2, "", 1)
        return ran.stderr

    with ServiceProcess(tmp_path / "data", *certificates.options) as service:
        start = f"Error: {service.url} cannot be reached: "
        start += "the certificate of 127.0.0.1 is not trusted: "
        hint = "(--ca FILE trusts a private CA)\n"
        for options in ((), ("--ca", another.ca)):
            said = told(service.url, *options)
            assert said.startswith(start)
            assert said.endswith(hint)
            assert "_ssl.c" not in said
    with ServiceProcess(tmp_path / "host", "--tls-cert", cert, "--tls-key", key) as service:
        said = told(service.url, "--ca", certificates.ca)
        assert "is not trusted: IP address mismatch" in said
        assert "--ca FILE" not in said
    with ServiceProcess(tmp_path / "plain") as service:
        said = told(service.url.replace("http:", "https:"), "--ca", certificates.ca)
        where = service.url.removeprefix("http://")
        assert f"{where} does not answer with TLS (" in said


def test_two_people_approve_over_tls(tmp_path: Path, certificates: Certificates) -> None:
    data = tmp_path / "data"
    approvers = (("Ann", "supervisor", "Table games"), ("Bob", "compliance", "Compliance"))
    for name, role, department in approvers:
        who = ("user", "add", name, "--role", role, "--department", department, "--data", data)
        assert run_command(*who, input=PASSWORD).returncode == 0
    with ServiceProcess(data, *certificates.options) as service:
        # Something was wagered: from here on other terms are a matter for two people.
        ran = run_command("simulate", "--server", service.url, *PLAY, "--ca", certificates.ca)
        assert ran.returncode == 0, ran
        assert service.terminate() == 0
    floor = tmp_path / "floor.toml"
    text = FLOOR.read_text("utf-8")
    assert "wager_cents = 500" in text
    floor.write_text(text.replace("wager_cents = 500", "wager_cents = 100"), "utf-8")
    with ServiceProcess(data, *certificates.options, floor=floor) as service:

        def approve(name: str, **options: object) -> tuple[int, str, str]:
            server = ("--server", service.url, "--ca", certificates.ca)
            ran = run_command(
                "approve", "main", "--user", name, "--reason", "agreed", *server, **options
            )
            return ran.returncode, ran.stdout, ran.stderr

        # Nobody to ask, and no password: nothing is approved.
        code, out, error = approve("Ann", preexec_fn=lambda: os.close(0))
        assert (code, out) == (2, "")
        assert error.splitlines()[-1] == "Error: standard input is closed"
        assert approve("Ann", input="not the password")[0] == 2
        code, out, _ = approve("Ann", input=PASSWORD)
        assert code == 1, out
        code, out, _ = approve("Bob", input=PASSWORD)
        assert (code, out) == (0, "main: approved by two people: live\n")


async def test_a_relay_reads_a_service_over_tls(tmp_path: Path, certificates: Certificates) -> None:
    with (
        ServiceProcess(tmp_path / "data", *certificates.options) as service,
        RelayProcess(
            tmp_path / "relay.log", service.url, options=("--ca", certificates.ca)
        ) as relay,
    ):
        async with a_sign(relay.url) as sign:
            first = await sign.next()
        assert (first["type"], first["meters"][0]["cents"]) == ("snapshot", 10_000_000)


async def test_a_relay_that_does_not_trust_its_service_says_why_and_waits(
    tmp_path: Path, certificates: Certificates
) -> None:
    log = tmp_path / "relay.log"
    with (
        ServiceProcess(tmp_path / "data", *certificates.options) as service,
        RelayProcess(log, service.url) as relay,
    ):
        async with asyncio.timeout(60):
            while not log.read_text():
                await asyncio.sleep(0.05)
        why = json.loads(log.read_text().splitlines()[0])["why"]
        assert why.startswith("the certificate of 127.0.0.1 is not trusted: ")
        assert why.endswith("(--ca FILE trusts a private CA)")
        assert relay.terminate() == 0


@asynccontextmanager
async def a_led(*options: str | Path) -> AsyncIterator[asyncio.subprocess.Process]:
    words = [sys.executable, "-m", "display.led", *map(str, options)]
    process = await asyncio.create_subprocess_exec(*words, cwd=ROOT)
    try:
        yield process
    finally:
        process.kill()
        await process.wait()


async def test_a_led_sign_shows_the_amounts_of_a_service_over_tls(
    tmp_path: Path, certificates: Certificates
) -> None:
    with ServiceProcess(tmp_path / "data", *certificates.options) as service:
        async with TcpSign() as sign:
            line = ("--tcp", f"127.0.0.1:{sign.port}", "--ca", certificates.ca)
            async with a_led("--upstream", service.url, "--link", "main", *line):
                await sign.until(lambda seen: seen.glass == BEGINNING)


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder
