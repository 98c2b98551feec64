"""`--store memory` says loudly that nothing is kept; the embedded store says nothing of it."""

from pathlib import Path

import aiohttp
import pytest

from tests.support.service import ServiceProcess
from tests.support.staff import PAT, working

pytestmark = pytest.mark.slow

SAYS = "TEST - NOTHING IS KEPT"


@pytest.mark.parametrize(("store", "loud"), [("memory", True), ("sqlite", False)])
async def test_every_page_sign_and_the_log_say_that_nothing_is_kept(
    tmp_path: Path, store: str, loud: bool
) -> None:
    with ServiceProcess(tmp_path / "data", "--store", store) as service:
        async with aiohttp.ClientSession(service.url) as session:
            for path in ("/", "/sign-in", "/table/BJ-01", "/pit", "/nowhere"):
                async with session.get(path, headers={"Accept": "text/html"}) as page:
                    assert (SAYS in await page.text()) is loud, path
            async with session.ws_connect("/v1/links/main/feed") as feed:
                snapshot = await feed.receive_json()
        assert service.terminate() == 0
        log = (tmp_path / "data.log").read_text()
    assert snapshot["type"] == "snapshot"
    assert snapshot.get("nothing_kept", False) is loud
    assert (SAYS in log) is loud


async def test_nothing_is_reported_from_a_store_that_keeps_nothing(tmp_path: Path) -> None:
    with ServiceProcess(tmp_path / "data", "--store", "memory") as service:
        async with working(service.url, service.data) as staff:
            for path in ("/v1/reports", "/v1/days", "/v1/links/main/records"):
                status, answer = await staff.ask(PAT, "GET", path)
                assert (status, answer["error"]["code"]) == (503, "NOTHING_IS_KEPT"), path
