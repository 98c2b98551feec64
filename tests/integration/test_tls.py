"""TLS by configuration, and tables that must show a certificate in their own name."""

import contextlib
import ssl
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
import trustme

from tests.support.certificates import Certificates
from tests.support.people import PASSWORD
from tests.support.service import ServiceProcess, issue_key, run_command


@pytest.fixture
def certificates(tmp_path: Path) -> Certificates:
    return Certificates(tmp_path)


@contextlib.asynccontextmanager
async def a_client(
    service: ServiceProcess, context: ssl.SSLContext
) -> AsyncIterator[aiohttp.ClientSession]:
    connector = aiohttp.TCPConnector(ssl=context)
    async with aiohttp.ClientSession(service.url, connector=connector) as session:
        yield session


@pytest.mark.slow
async def test_the_service_speaks_tls_and_its_cookie_is_secure(
    tmp_path: Path, certificates: Certificates
) -> None:
    data = tmp_path / "data"
    who = ("user", "add", "Ann", "--role", "admin", "--department", "IT", "--data", data)
    assert run_command(*who, input=PASSWORD).returncode == 0
    with ServiceProcess(data, *certificates.options) as service:
        assert service.url.startswith("https://127.0.0.1:")
        async with a_client(service, certificates.trusting()) as session:
            async with session.post(
                "/v1/sessions",
                json={"user": "Ann", "password": PASSWORD},
                headers={"Origin": service.url},
            ) as response:
                assert response.status == 200
                cookie = response.cookies["__Host-progressive"]
                assert (cookie["secure"], cookie["httponly"]) == (True, True)
                assert response.headers["Strict-Transport-Security"] == "max-age=31536000"
            async with session.ws_connect("/v1/links/main/feed") as feed:
                assert (await feed.receive_json(timeout=30))["type"] == "snapshot"
            # The page of the same host without TLS is another site.
            async with session.delete(
                "/v1/sessions", headers={"Origin": service.url.replace("https", "http")}
            ) as response:
                assert response.status == 403


@pytest.mark.slow
async def test_a_table_needs_its_own_certificate_where_one_is_asked_for(
    tmp_path: Path, certificates: Certificates
) -> None:
    data = tmp_path / "data"
    options = (*certificates.options, "--tls-client-ca", certificates.ca)
    shown = {
        "its own": certificates.issue("BJ-01"),
        "another table's": certificates.issue("BJ-02"),
        "none": None,
    }
    said = {}
    with ServiceProcess(data, *options) as service:
        headers = {"Authorization": f"Bearer {issue_key(data, 'BJ-01')}"}
        for whose, pair in shown.items():
            async with (
                a_client(service, certificates.trusting(pair)) as session,
                session.ws_connect("/v1/tables/BJ-01/socket", headers=headers) as ws,
            ):
                frame = await ws.receive(timeout=30)
                said[whose] = ws.close_code or frame.json()["type"]
        # Signs and people come without.
        async with a_client(service, certificates.trusting()) as session:
            async with session.ws_connect("/v1/links/main/feed") as feed:
                assert (await feed.receive_json(timeout=30))["type"] == "snapshot"
            async with session.get("/readyz") as response:
                assert response.status == 200
        # A certificate is not a key.
        async with (
            a_client(service, certificates.trusting(shown["its own"])) as session,
            session.ws_connect("/v1/tables/BJ-01/socket") as ws,
        ):
            await ws.receive(timeout=30)
            assert ws.close_code == 4401
    assert said == {"its own": "welcome", "another table's": 4401, "none": 4401}


@pytest.mark.slow
async def test_a_strangers_certificate_gets_no_connection(
    tmp_path: Path, certificates: Certificates
) -> None:
    options = (*certificates.options, "--tls-client-ca", certificates.ca)
    strangers = certificates.issue("BJ-01", trustme.CA())
    with ServiceProcess(tmp_path / "data", *options) as service:
        async with a_client(service, certificates.trusting(strangers)) as session:
            with pytest.raises((aiohttp.ClientError, OSError)):
                await session.get("/readyz")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--tls-cert", "{cert}"), "TLS needs both"),
        (("--tls-client-ca", "{ca}"), "TLS needs both"),
        (("--tls-cert", "{ca}", "--tls-key", "{key}"), "mismatch"),
        (("--tls-cert", "nothing.pem", "--tls-key", "{key}"), "nothing.pem"),
        (("--tls-cert", "{cert}", "--tls-key", "{key}", "--tls-client-ca", "{key}"), ".key"),
        (("--origin", "meters.example"), "is no origin"),
    ],
)
def test_what_cannot_be_served_exits_with_2(
    tmp_path: Path, certificates: Certificates, options: tuple[str, ...], why: str
) -> None:
    files = {"cert": certificates.cert, "key": certificates.key, "ca": certificates.ca}
    floor = Path(__file__).parents[2] / "config" / "floor.toml"
    told = run_command(
        *("serve", "--floor", floor, "--data", tmp_path / "data", "--listen", "127.0.0.1:0"),
        *[option.format(**files) for option in options],
    )
    assert told.returncode == 2, told
    assert why.lower() in told.stderr.lower()
