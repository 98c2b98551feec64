"""`serve --accounts` and `--cage-mappings`: what the house sets up for its finance people."""

from pathlib import Path

import pytest

from tests.support.service import FLOOR, ServiceProcess, TableClient, issue_key, lock, run_command
from tests.support.staff import PAT, working

pytestmark = pytest.mark.slow


async def test_accounts_of_the_house_stand_in_the_ledger(tmp_path: Path) -> None:
    accounts = tmp_path / "accounts.toml"
    accounts.write_text('[gl]\ndisplay = "2999-77"\n', "utf-8")
    with ServiceProcess(tmp_path / "data", "--accounts", accounts) as service:
        key = issue_key(service.data, "BJ-01")
        async with (
            working(service.url, service.data) as staff,
            TableClient.connect(service.url, "BJ-01", key) as table,
        ):
            await table.ask(lock(1, "r1"))
            _, days = await staff.ask(PAT, "GET", "/v1/days")
            _, ledger = await staff.ask(PAT, "GET", f"/v1/reports/gl?day={days['today']}")
    assert "2999-77" in {row["account"] for row in ledger["rows"]}


@pytest.mark.parametrize(
    ("text", "says"),
    [("[gl]\nno_such_account = 1\n", "no_such_account"), ("[gl\n", "accounts.toml")],
)
def test_a_bad_file_is_said_at_the_start(tmp_path: Path, text: str, says: str) -> None:
    """And not when somebody asks for a report."""
    accounts = tmp_path / "accounts.toml"
    accounts.write_text(text, "utf-8")
    done = run_command(
        *("serve", "--floor", FLOOR, "--data", tmp_path / "data", "--listen", "127.0.0.1:0"),
        *("--accounts", accounts),
    )
    assert done.returncode == 2
    assert says in done.stderr
    assert not (tmp_path / "data").exists()
