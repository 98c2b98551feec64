"""The audit pack of a day over HTTP: the same zip that the command makes."""

import io
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from progressive.domain.people.roles import Act, Role, may
from tests.support.ended_day import FRIDAY, EndedDay, ended_day
from tests.support.service import run_command
from tests.support.staff import BY_ROLE, JOE

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.slow]

PACK = f"/v1/days/main/{FRIDAY}/pack"
PRINTED = "printed_at=2026-03-08T09:00:00Z"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def floor(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[EndedDay]:
    async with ended_day(tmp_path_factory.mktemp("pack")) as floor:
        yield floor


async def test_the_pack_is_the_one_that_the_command_makes(floor: EndedDay, tmp_path: Path) -> None:
    sent = await floor.staff.file(JOE, f"{PACK}?sample=3&seed=7&{PRINTED}")
    assert (sent.status, sent.headers["Content-Type"]) == (200, "application/zip")
    name = f"audit-pack_main_{FRIDAY}_OPEN"
    assert sent.headers["Content-Disposition"] == f'attachment; filename="{name}.zip"'
    by_http = zipfile.ZipFile(io.BytesIO(sent.body))
    out = tmp_path / "pack.zip"
    made = run_command(
        *("audit-pack", "--data", floor.data, "--day", FRIDAY, "--sample", "3", "--seed", "7"),
        *("--printed-at", "2026-03-08T09:00:00Z", "-o", out),
    )
    assert made.returncode == 0, made.stderr
    by_command = zipfile.ZipFile(out)
    assert by_http.namelist() == by_command.namelist()
    different = [each for each in by_http.namelist() if by_http.read(each) != by_command.read(each)]
    assert different == []


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/v1/days/none/2026-03-06/pack", (404, "UNKNOWN_LINK")),
        ("/v1/days/main/2026-03-05/pack", (400, "BAD_DAY")),
        (f"{PACK}?sample=many", (400, "BAD_QUESTION")),
        (f"{PACK}?sample=999999999", (400, "BAD_QUESTION")),
        (f"{PACK}?printed_at=noon", (400, "BAD_TIME")),
    ],
)
async def test_a_pack_that_cannot_be_meant_is_refused(
    floor: EndedDay, path: str, expected: tuple[int, str]
) -> None:
    status, answer = await floor.staff.ask(JOE, "GET", path)
    assert (status, answer["error"]["code"]) == expected


@pytest.mark.parametrize("role", [role for role in Role if not may(role, Act.VIEW_REPORTS)])
async def test_the_pit_gets_no_pack(floor: EndedDay, role: Role) -> None:
    status, answer = await floor.staff.ask(BY_ROLE[role], "GET", PACK)
    assert (status, answer["error"]["code"]) == (403, "WRONG_ROLE")
