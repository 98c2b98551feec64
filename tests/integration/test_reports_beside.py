"""Reports and explanations beside a service that runs, and after it was killed."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.evening import MAJOR, Pit
from tests.support.service import ServiceProcess, run_command

pytestmark = pytest.mark.slow


@pytest.fixture
def service(tmp_path: Path) -> Iterator[ServiceProcess]:
    with ServiceProcess(tmp_path / "data") as running:
        yield running


def reported(data: Path, kind: str) -> dict[str, object]:
    """Of the demo floor's own month, which is now."""
    month = run_command("report", kind, "--data", data, "--month", _month(data), "--format", "json")
    assert month.returncode == 0, month.stderr
    found: dict[str, object] = json.loads(month.stdout)
    return found


def _month(data: Path) -> str:
    first = run_command("export", "--data", data, "--link", "main", "--to", "1").stdout
    day: str = json.loads(first)["at"]
    return day[:7]


async def test_a_report_takes_nothing_from_a_running_service(service: ServiceProcess) -> None:
    async with Pit.open(service) as pit:
        await pit.play()
        await pit.play({3: MAJOR})
        before = reported(service.data, "reconciliation")
        await pit.play()
        after = reported(service.data, "reconciliation")
    for found in (before, after):
        rows = found["rows"]
        assert isinstance(rows, list)
        assert {row["difference_microcents"] for row in rows} == {0}
    assert isinstance(before["journal"], dict)
    assert isinstance(after["journal"], dict)
    assert after["journal"]["last_seq"] == before["journal"]["last_seq"] + 2
    explained = run_command("explain", "main", "major", "--data", service.data, "--json")
    assert explained.returncode == 0, explained.stderr
    assert json.loads(explained.stdout)["difference_microcents"] == 0


async def test_a_report_after_a_kill_has_all_that_was_answered(service: ServiceProcess) -> None:
    async with Pit.open(service) as pit:
        await pit.play()
        before = reported(service.data, "reconciliation")
        service.kill()
    after = reported(service.data, "reconciliation")
    assert after["rows"] == before["rows"]
    assert after["journal"] == before["journal"]
