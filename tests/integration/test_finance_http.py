"""Finance over HTTP: the service, its bookkeeper, and the people who may ask."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from progressive.adapters.config.floor import load_floor
from progressive.domain.people.roles import Act, Role, may
from progressive.entry.bootstrap import Running, running
from tests.support.service import FLOOR, TableClient, issue_key, lock, settle
from tests.support.set_clock import SetClock
from tests.support.staff import ANN, BY_ROLE, CLEO, JOE, PAT, Staff, working

pytestmark = pytest.mark.asyncio(loop_scope="module")

NOON = "2026-11-17T17:00:00.000000Z"
PRINTED_AT = "2026-12-01T09:00:00-05:00"

READS = (
    "/v1/reports",
    "/v1/reports/reconciliation?day=2026-01-01",
    "/v1/reports/nothing",
    "/v1/links/main/meters/mega/explain",
    "/v1/links/main/records",
    "/v1/days",
    "/v1/days/main/2026-01-01",
)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("finance")


@pytest.fixture(scope="module")
def clock() -> SetClock:
    """In the middle of a gaming day, whenever it really is: none of them ends among the tests."""
    clock = SetClock()
    clock.set_to(NOON)
    return clock


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def service(data: Path, clock: SetClock) -> AsyncIterator[Running]:
    """Of all the tests here: they only look."""
    rules = load_floor(FLOOR).rules
    async with running(rules, data=data, host="127.0.0.1", port=0, clock=clock) as service:
        yield service


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def staff(service: Running, data: Path, clock: SetClock) -> AsyncIterator[Staff]:
    async with working(service.url, data, clock=clock) as staff:
        yield staff


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def today(service: Running, staff: Staff, data: Path) -> str:
    """A round was played; the gaming day it belongs to."""
    async with TableClient.connect(service.url, "BJ-01", issue_key(data, "BJ-01")) as table:
        await table.ask(lock(1, "r1", seats=(1, 2)))
        await table.ask(settle(2, "r1"))
    _, days = await staff.ask(PAT, "GET", "/v1/days")
    day: str = days["today"]
    return day


async def refused_code(staff: Staff, path: str) -> tuple[int, str]:
    status, answer = await staff.ask(PAT, "GET", path)
    return status, answer["error"]["code"]


# --- reports ------------------------------------------------------------------------------------


async def test_a_report_has_what_was_just_answered_and_says_that_the_day_is_open(
    staff: Staff, today: str
) -> None:
    status, report = await staff.ask(PAT, "GET", f"/v1/reports/reconciliation?day={today}")
    assert status == 200
    assert (report["link"], report["from"], report["to"]) == ("main", today, today)
    assert report["journal"]["last_seq"] == 3
    assert {row["difference_microcents"] for row in report["rows"]} == {0}
    assert report["closed"] is False
    assert any(note.startswith("DAY NOT OVER") for note in report["notes"])


@pytest.mark.parametrize(
    ("kind", "form", "media_type", "name", "begins"),
    [
        ("wagers", "csv", "text/csv", "attachment; filename=*.csv", b"report_link,"),
        ("wagers", "xlsx", "application/vnd.openx", "attachment; filename=*.xlsx", b"PK"),
        ("wagers", "pdf", "application/pdf", "inline; filename=*.pdf", b"%PDF"),
        ("wagers", "html", "text/html", "inline; filename=*.html", b"<!doctype html>"),
        ("wagers", "table", "text/plain", "inline; filename=*.txt", b""),
        ("wagers", "json", "application/json", "inline; filename=*.json", b"{"),
        ("gl", "sap", "text/csv", "attachment; filename=*_sap.csv", b"DocumentReference"),
        ("gl", "beancount", "text/plain", "attachment; filename=*.beancount", b""),
        ("gl", "hledger", "text/plain", "attachment; filename=*.journal", b""),
    ],
)
async def test_every_format_comes_as_a_file_with_a_speaking_name(
    staff: Staff, today: str, kind: str, form: str, media_type: str, name: str, begins: bytes
) -> None:
    path = f"/v1/reports/{kind}?day={today}&format={form}&printed_at={PRINTED_AT}"
    first, again = await staff.file(PAT, path), await staff.file(PAT, path)
    assert first.status == 200
    assert first.headers["Content-Type"].startswith(media_type)
    shown = first.headers["Content-Disposition"]
    before, after = name.split("*")
    assert shown.startswith(f'{before}"{kind}_main_{today}_OPEN')
    assert shown.endswith(f'{after}"')
    assert first.body.lower().startswith(begins.lower())
    assert first.body == again.body


async def test_a_report_as_html_is_shown_with_its_own_style_and_no_script(
    staff: Staff, today: str
) -> None:
    found = await staff.file(PAT, f"/v1/reports/wagers?day={today}&format=html")
    policy = found.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "style-src 'unsafe-inline'" in policy
    assert "script-src" not in policy


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("reports/dance", (404, "UNKNOWN_REPORT")),
        ("reports/wagers", (400, "BAD_DAY")),
        ("reports/wagers?day=yesterday", (400, "BAD_DAY")),
        ("reports/wagers?day=2026-02-30", (400, "BAD_DAY")),
        ("reports/wagers?day=2001-01-01", (400, "BAD_DAY")),
        ("reports/wagers?day=2999-01-01", (400, "BAD_DAY")),
        ("reports/wagers?from=TODAY", (400, "BAD_DAY")),
        ("reports/wagers?month=2026-13", (400, "BAD_DAY")),
        ("reports/wagers?day=TODAY&month=2026-11", (400, "BAD_DAY")),
        ("reports/wagers?day=TODAY&link=none", (404, "UNKNOWN_LINK")),
        ("reports/wagers?day=TODAY&table=BJ-99", (404, "UNKNOWN_TABLE")),
        ("reports/hold?day=TODAY&table=BJ-01", (400, "BAD_QUESTION")),
        ("reports/wagers?day=TODAY&format=doc", (400, "UNKNOWN_FORMAT")),
        ("reports/wagers?day=TODAY&format=sap", (400, "UNKNOWN_FORMAT")),
        ("reports/wagers?day=TODAY&printed_at=noon", (400, "BAD_TIME")),
        ("reports/wagers?day=TODAY&tabel=BJ-01", (400, "BAD_QUESTION")),
        ("reports/wagers?day=TODAY&day=TODAY", (400, "BAD_QUESTION")),
        ("links/none/meters/mega/explain", (404, "UNKNOWN_LINK")),
        ("links/main/meters/none/explain", (404, "UNKNOWN_METER")),
        ("links/main/meters/mega/explain?at=noon", (400, "BAD_TIME")),
        ("links/main/meters/mega/explain?at=9999", (400, "BAD_QUESTION")),
        ("links/main/meters/mega/explain?at=2001-01-01T00:00:00Z", (400, "BAD_QUESTION")),
        ("links/main/meters/mega/explain?at=2199-01-01T00:00:00Z", (400, "BAD_QUESTION")),
        ("links/none/records", (404, "UNKNOWN_LINK")),
        ("links/main/records?from=9999", (400, "BAD_QUESTION")),
        ("links/main/records?from=0", (400, "BAD_QUESTION")),
        ("links/main/records?from=2&to=1", (400, "BAD_QUESTION")),
        ("links/main/records?limit=1001", (400, "BAD_QUESTION")),
        ("days?link=none", (404, "UNKNOWN_LINK")),
        ("days/none/TODAY", (404, "UNKNOWN_LINK")),
        ("days/main/2001-01-01", (400, "BAD_DAY")),
        ("days/main/someday", (400, "BAD_DAY")),
    ],
)
async def test_a_question_without_an_answer_is_refused_in_words(
    staff: Staff, today: str, path: str, expected: tuple[int, str]
) -> None:
    assert await refused_code(staff, f"/v1/{path.replace('TODAY', today)}") == expected


async def test_the_kinds_are_listed_with_their_columns_and_formats(staff: Staff) -> None:
    status, answer = await staff.ask(JOE, "GET", "/v1/reports")
    assert status == 200
    kinds = {each["kind"]: each for each in answer["reports"]}
    assert kinds["gl"]["formats"][-1] == "hledger"
    assert "sap" not in kinds["wagers"]["formats"]
    assert kinds["reconciliation"]["columns"][0]["id"] == "meter"


async def test_a_meter_is_explained_at_a_record_and_at_a_moment(staff: Staff, today: str) -> None:
    path = "/v1/links/main/meters/mega/explain"
    _, now = await staff.ask(CLEO, "GET", path)
    _, then = await staff.ask(CLEO, "GET", f"{path}?at=1")
    assert (now["seq"], then["seq"]) == (3, 1)
    assert now["difference_microcents"] == then["difference_microcents"] == 0
    assert now["microcents"] - then["microcents"] == 2 * 500 * 120_000
    _, at = await staff.ask(CLEO, "GET", f"{path}?at={now['at']}")
    assert at == now


async def test_records_come_as_they_are_stored_in_pages(staff: Staff, today: str) -> None:
    path = "/v1/links/main/records"
    _, first = await staff.ask(JOE, "GET", f"{path}?from=1&to=3&limit=2")
    assert [each["seq"] for each in first["records"]] == [1, 2]
    _, rest = await staff.ask(JOE, "GET", f"{path}?from={first['next']}&to=3&limit=2")
    assert [each["seq"] for each in rest["records"]] == [3]
    assert rest["next"] is None
    assert rest["records"][0]["event"]["type"] == "round_settled"


async def test_records_are_asked_for_one_by_one(staff: Staff, today: str) -> None:
    path = "/v1/links/main/records"
    _, found = await staff.ask(JOE, "GET", f"{path}?only=3,1")
    assert [each["seq"] for each in found["records"]] == [1, 3]
    assert found["next"] is None
    many = ",".join(map(str, range(1, 202)))
    for only in ("9999", "0", "1,,2", "x", "", many):
        status, answer = await staff.ask(JOE, "GET", f"{path}?only={only}")
        assert (status, answer["error"]["code"]) == (400, "BAD_QUESTION"), only
    status, _ = await staff.ask(JOE, "GET", f"{path}?only=1&from=1")
    assert status == 400


async def test_every_line_of_an_explanation_names_its_records(staff: Staff, today: str) -> None:
    _, found = await staff.ask(CLEO, "GET", "/v1/links/main/meters/mega/explain")
    wagers, house = found["lines"]
    assert (wagers["first_seq"], wagers["last_seq"]) == (2, 2)
    assert house["records"] == [1]


async def test_the_open_day_says_what_keeps_it_from_closing(staff: Staff, today: str) -> None:
    _, strip = await staff.ask(PAT, "GET", "/v1/days?link=main")
    assert (strip["link"], strip["today"], strip["first_day"]) == ("main", today, today)
    assert [(each["day"], each["state"]) for each in strip["days"]] == [(today, "running")]
    _, day = await staff.ask(PAT, "GET", f"/v1/days/main/{today}")
    assert (day["state"], day["over"]) == ("running", False)
    assert day["keeps_open"][0].startswith("The day is not over before ")
    assert [check["check"] for check in day["checks"]][:2] == ["meters", "wagers"]
    assert day["totals"]["rounds"] == 1


# --- who may ask --------------------------------------------------------------------------------


@pytest.mark.parametrize("role", Role)
async def test_the_role_matrix_decides_who_may_look(staff: Staff, role: Role) -> None:
    for path in READS:
        status, answer = await staff.ask(BY_ROLE[role], "GET", path)
        if may(role, Act.VIEW_REPORTS):
            assert status != 403, path
        else:
            assert (status, answer["error"]["code"]) == (403, "WRONG_ROLE"), path


async def test_a_stranger_is_asked_to_log_in(service: Running) -> None:
    async with aiohttp.ClientSession(service.url) as stranger:
        for path in READS:
            async with stranger.get(path) as answer:
                assert answer.status == 401, path


async def test_a_refused_look_stands_in_the_act_log(staff: Staff, today: str) -> None:
    await staff.ask(ANN, "GET", f"/v1/reports/wagers?day={today}")
    _, answer = await staff.ask(JOE, "GET", "/v1/acts?limit=1000")
    acts: list[dict[str, Any]] = answer["acts"]
    assert acts[-1]["who"] == "Ann"
    assert (acts[-1]["act"], acts[-1]["outcome"]) == ("view_reports", "refused")
    assert acts[-1]["details"]["request"] == "GET /v1/reports/wagers"
