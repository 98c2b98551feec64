"""What is exposed is what is documented: name, type and labels, of the service and of the relay."""

import re
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import NamedTuple

import aiohttp
import pytest
import pytest_asyncio
from prometheus_client.parser import text_string_to_metric_families

from progressive import __version__
from progressive.adapters.seals.key_file import new_signer, write_key
from progressive.application.seals.note import COSIGNATURE
from tests.support.relays import RelayProcess, a_sign
from tests.support.service import ROOT, ServiceProcess, TableClient, issue_key

OPERATIONS = (ROOT / "docs" / "operations.md").read_text("utf-8")
RELAY = (ROOT / "docs" / "relay.md").read_text("utf-8")
ROW = re.compile(
    r"^\| `([a-z_]+)(?:\{([a-z_,]+)\})?` \| (gauge|counter|histogram) \|", re.MULTILINE
)
OF_A_COMMAND = re.compile(r"^\| `(progressive_[a-z_]+)` \| [^|]+ \|$", re.MULTILINE)
IN_A_SAMPLE = re.compile(r"\b((?:progressive|relay|process)_[a-z_]+)\b")

pytestmark = pytest.mark.asyncio(loop_scope="module")


class Exposed(NamedTuple):
    """One series, as an engineer would look for it."""

    name: str
    kind: str
    labels: frozenset[str]


def documented(page: str) -> set[Exposed]:
    rows = ROW.findall(page)
    assert len({name for name, _, _ in rows}) == len(rows), "a series stands there twice"
    return {
        Exposed(name, kind, frozenset(labels.split(",")) if labels else frozenset())
        for name, labels, kind in rows
        if sys.platform == "linux" or not name.startswith("process_")
    }


def exposed(text: str) -> set[Exposed]:
    found = set()
    for family in text_string_to_metric_families(text):
        name = f"{family.name}_total" if family.type == "counter" else family.name
        labels = {frozenset(sample.labels) - {"le"} for sample in family.samples}
        assert len(labels) == 1, f"{name} has no sample, or samples of several shapes: {labels}"
        assert family.documentation, name
        found.add(Exposed(name, family.type, labels.pop()))
    return found


async def scraped(url: str) -> str:
    async with aiohttp.ClientSession() as session, session.get(f"{url}/metrics") as response:
        assert response.status == 200
        assert response.headers["Content-Type"].startswith("text/plain; version=")
        return await response.text()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceProcess]:
    """With a key and a witness, though nobody answers there: their series have samples then."""
    folder = tmp_path_factory.mktemp("metrics")
    write_key(folder / "key", new_signer("house"))
    witness = f"http://127.0.0.1:1 {new_signer('witness').key(COSIGNATURE).text}"
    options = ("--seal-key", folder / "key", "--witness", witness)
    with ServiceProcess(folder / "data", *options) as running:
        yield running


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def of_service(service: ServiceProcess) -> str:
    """After one refusal of a person and one of a table: before, nobody knows their codes."""
    async with aiohttp.ClientSession(service.url) as session, session.get("/v1/acts") as refused:
        assert refused.status == 401
    key = issue_key(service.data, "BJ-01")
    async with TableClient.connect(service.url, "BJ-01", key) as table:
        assert (await table.ask({"type": "dance"}))["code"] == "BAD_MESSAGE"
    return await scraped(service.url)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def of_relay(
    service: ServiceProcess, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[str]:
    log = tmp_path_factory.mktemp("relay") / "relay.log"
    with RelayProcess(log, service.url) as relay:
        async with a_sign(relay.url) as sign:
            # The relay has the link's amounts.
            assert (await sign.next())["type"] == "snapshot"
            yield await scraped(relay.url)


async def test_the_service_exposes_what_is_documented_and_nothing_else(of_service: str) -> None:
    assert exposed(of_service) == documented(OPERATIONS)


async def test_the_relay_exposes_what_is_documented_and_nothing_else(of_relay: str) -> None:
    assert exposed(of_relay) == documented(RELAY)


async def test_what_is_counted_since_the_start_is_a_counter(of_service: str) -> None:
    counters = {each.name for each in exposed(of_service) if each.kind == "counter"}
    assert counters >= {
        f"progressive_{counted}_total"
        for counted in (
            *("table_pauses", "log_ins", "door_refusals", "signs_dropped", "sign_key_refusals"),
            *("sign_log_entries", "sign_log_lost"),
        )
    }
    assert not [line for line in of_service.splitlines() if "_created" in line]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("store", "expected"), [("sqlite", 'store="sqlite"'), ("memory", 'store="memory"')]
)
async def test_build_info_says_what_runs(tmp_path: Path, store: str, expected: str) -> None:
    with ServiceProcess(tmp_path / "data", "--store", store) as service:
        text = await scraped(service.url)
    line = next(line for line in text.splitlines() if line.startswith("progressive_build_info{"))
    assert line.endswith("} 1.0")
    python = ".".join(map(str, sys.version_info[:3]))
    for fact in (expected, f'version="{__version__}"', f'python="{python}'):
        assert fact in line


def alerts() -> list[str]:
    block = re.search(r"```yaml\ngroups:\n(.+?)```", OPERATIONS, re.DOTALL)
    assert block is not None
    return [line for line in block[1].splitlines() if line.strip().startswith("expr:")]


async def test_every_alert_asks_for_a_series_that_is_there() -> None:
    there = documented(OPERATIONS) | documented(RELAY)
    names = {each.name for each in there if each.kind != "histogram"}
    names |= {f"{each.name}_bucket" for each in there if each.kind == "histogram"}
    counters = {each.name for each in there if each.kind == "counter"}
    assert len(alerts()) >= 8
    for line in alerts():
        asked = set(IN_A_SAMPLE.findall(line))
        assert asked, line
        assert asked <= names, line
        for counter in asked & counters:
            assert re.search(rf"\b(rate|increase)\({counter}\[", line), line


async def test_no_page_speaks_of_a_series_that_is_not_there() -> None:
    there = {each.name for each in documented(OPERATIONS) | documented(RELAY)}
    # Figures that `backup` and `restore` write: tests/entry/commands/test_backup_slips.py.
    there |= set(OF_A_COMMAND.findall((ROOT / "docs" / "backup.md").read_text("utf-8")))
    pages = sorted([*(ROOT / "docs").glob("*.md"), *ROOT.glob("*.md"), ROOT / "deploy/README.md"])
    spoken = {
        (page.name, name)
        for page in pages
        if page.name != "CHANGELOG.md"
        for name in re.findall(r"`((?:progressive|relay)_[a-z_]+)[`{]", page.read_text("utf-8"))
    }
    assert len(spoken) >= 30
    assert {(page, name) for page, name in spoken if name not in there} == set()
