"""A gaming day over HTTP: entered, prepared and closed by two people; what stands in the way."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
from prometheus_client.parser import text_string_to_metric_families

from progressive.domain.people.roles import Act, Person, Role, may
from tests.support.ended_day import FRIDAY, FRIDAY_ENDS, SATURDAY, EndedDay, ended_day
from tests.support.service import ANSWER_SECONDS, run_command
from tests.support.staff import AMY, ANN, BOB, BY_ROLE, EVE, JOE, PAT

DAY = f"/v1/days/main/{FRIDAY}"


pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def refusing(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[EndedDay]:
    """Of all the tests that change nothing."""
    async with ended_day(tmp_path_factory.mktemp("refusing")) as floor:
        yield floor


@pytest_asyncio.fixture(loop_scope="module")
async def floor(tmp_path: Path) -> AsyncIterator[EndedDay]:
    async with ended_day(tmp_path / "data") as floor:
        yield floor


@pytest_asyncio.fixture(loop_scope="module")
async def ready(floor: EndedDay) -> EndedDay:
    """All that was open is explained."""
    await floor.explain()
    return floor


async def posted(
    floor: EndedDay, who: Person, path: str, body: dict[str, Any] | None = None
) -> tuple[int, str]:
    """Status and code of a change."""
    status, answer = await floor.staff.post(who, path, body)
    return status, answer["error"]["code"] if status >= 400 else ""


# --- two people ---------------------------------------------------------------------------------


@pytest.mark.slow
async def test_a_day_is_prepared_by_one_and_closed_by_another(tmp_path: Path) -> None:
    async with ended_day(tmp_path / "data") as floor:
        # The clock that was set looks like a service that stood still.
        assert (await floor.day(PAT))["state"] == "open"
        assert await posted(floor, PAT, f"{DAY}/prepare") == (409, "DAY_STAYS_OPEN")
        assert await floor.explain() == {"exceptions"}
        assert (await floor.day(PAT))["state"] == "ready"
        status, prepared = await floor.staff.post(PAT, f"{DAY}/prepare", {"note": "all counted"})
        assert (status, prepared["day"], prepared["number"]) == (202, FRIDAY, 0)
        assert prepared["prepared_seq"] == prepared["journal_seq"]
        waits = await floor.day(AMY)
        assert (waits["state"], waits["prepared"]["by"]) == ("prepared", ["Pat"])
        assert await posted(floor, PAT, f"{DAY}/close") == (403, "SAME_PERSON")
        reviewed = {"prepared_seq": prepared["prepared_seq"]}
        status, closed = await floor.staff.post(AMY, f"{DAY}/close", reviewed)
        assert (status, closed["number"]) == (200, 0)
        day = await floor.day(JOE)
        assert (day["state"], day["closed"]["by"]) == ("closed", ["Pat", "Amy"])
        assert day["closed"]["seq"] == closed["journal_seq"]
        report = (await floor.staff.ask(JOE, "GET", f"/v1/reports/wagers?day={FRIDAY}"))[1]
        assert report["closed"] is True
        assert await posted(floor, PAT, f"{DAY}/prepare") == (409, "DAY_STAYS_OPEN")
        assert await posted(floor, AMY, f"{DAY}/close") == (409, "WRONG_STATUS")
    verified = run_command("verify", "--data", tmp_path / "data")
    assert verified.returncode == 0, verified.stdout


@pytest.mark.slow
async def test_a_refused_close_stands_in_the_act_log(ready: EndedDay) -> None:
    await ready.staff.post(PAT, f"{DAY}/prepare")
    await posted(ready, PAT, f"{DAY}/close")
    _, log = await ready.staff.ask(JOE, "GET", "/v1/acts?limit=1000")
    done, refused = log["acts"][-2:]
    assert (done["act"], done["outcome"], done["who"]) == ("prepare_day", "done", "Pat")
    assert (refused["act"], refused["outcome"]) == ("close_day", "refused")
    assert refused["details"] == {
        "link": "main", "day": FRIDAY, "what": "close", "status": 403, "code": "SAME_PERSON",
    }  # fmt: skip


async def exceptions(floor: EndedDay, count: int) -> list[dict[str, Any]]:
    """What was refused on Saturday, once all of it is in the log."""
    path = f"/v1/reports/exceptions?day={SATURDAY}"
    async with asyncio.timeout(ANSWER_SECONDS):
        while True:
            _, report = await floor.staff.ask(PAT, "GET", path)
            rows = [row for row in report["rows"] if row["kind"] == "act refused"]
            if sum(row["times"] for row in rows) >= count:
                return rows
            await asyncio.sleep(0.05)


@pytest.mark.slow
async def test_a_refused_prepare_is_an_exception_with_its_code(floor: EndedDay) -> None:
    assert await posted(floor, PAT, f"{DAY}/prepare") == (409, "DAY_STAYS_OPEN")
    (row,) = await exceptions(floor, 1)
    assert (row["object"], row["code"], row["who"]) == ("prepare_day", "DAY_STAYS_OPEN", "Pat")
    assert (row["severity"], row["detail"]) == ("notable", f"gaming day {FRIDAY} of main")


@pytest.mark.slow
async def test_a_report_for_a_stranger_is_refused_and_needs_no_word(floor: EndedDay) -> None:
    wagers = f"/v1/reports/wagers?day={FRIDAY}"
    async with (
        aiohttp.ClientSession() as stranger,
        stranger.get(f"{floor.service.url}{wagers}") as answer,
    ):
        assert answer.status == 401
    assert (await floor.staff.ask(ANN, "GET", wagers))[0] == 403
    assert (await floor.staff.ask(ANN, "GET", f"/v1/reports/hold?day={FRIDAY}"))[0] == 403
    strangers, ann = sorted(await exceptions(floor, 3), key=lambda row: row["code"])
    assert (strangers["code"], strangers["severity"]) == ("NO_SESSION", "routine")
    assert (ann["code"], ann["severity"], ann["who"]) == ("WRONG_ROLE", "notable", "Ann")
    assert (ann["detail"], ann["times"]) == ("report wagers, report hold", 2)
    checks = {each["check"]: each for each in (await floor.day(PAT, SATURDAY))["checks"]}
    lines = [each["what"] for each in checks["exceptions"]["findings"]]
    assert [line for line in lines if "NO_SESSION" in line] == []
    assert [line for line in lines if "WRONG_ROLE" in line]


@pytest.mark.slow
async def test_a_request_sent_again_prepares_once(ready: EndedDay) -> None:
    first = await ready.staff.ask(PAT, "POST", f"{DAY}/prepare", {}, Idempotency_Key="k1")
    again = await ready.staff.ask(PAT, "POST", f"{DAY}/prepare", {}, Idempotency_Key="k1")
    assert first == again
    assert (await ready.day(PAT))["prepared"]["seq"] == first[1]["prepared_seq"]


@pytest.mark.slow
async def test_what_was_prepared_anew_was_not_reviewed(ready: EndedDay) -> None:
    _, first = await ready.staff.post(PAT, f"{DAY}/prepare")
    await ready.staff.post(PAT, f"{DAY}/prepare")
    reviewed = {"prepared_seq": first["prepared_seq"]}
    assert await posted(ready, AMY, f"{DAY}/close", reviewed) == (409, "WRONG_STATUS")


@pytest.mark.slow
async def test_the_reviewer_sends_it_back(ready: EndedDay) -> None:
    back = f"{DAY}/return"
    assert await posted(ready, AMY, back, {"reason": "cage file?"}) == (409, "WRONG_STATUS")
    await ready.staff.post(PAT, f"{DAY}/prepare")
    status, answer = await ready.staff.post(AMY, back, {"reason": "where is the cage file?"})
    assert (status, answer["type"]) == (201, "returned")
    day = await ready.day(PAT)
    assert (day["state"], day["prepared"]) == ("ready", None)
    assert day["entries"][-1]["entry"]["reason"] == "where is the cage file?"
    assert await posted(ready, AMY, f"{DAY}/close") == (409, "WRONG_STATUS")


# --- what stands in the way ---------------------------------------------------------------------


async def test_a_day_that_is_not_over_stays_open(refusing: EndedDay) -> None:
    status, answer = await refusing.staff.post(PAT, f"/v1/days/main/{SATURDAY}/prepare")
    assert (status, answer["error"]["code"]) == (409, "DAY_STAYS_OPEN")
    assert answer["keeps_open"][0].startswith("The day is not over before ")
    assert answer["keeps_open"][0] in answer["error"]["message"]


@pytest.mark.slow
async def test_a_day_that_has_just_ended_is_prepared_a_moment_later(tmp_path: Path) -> None:
    """A record of the day may still be on its way to the disk."""
    async with ended_day(tmp_path) as floor:
        await floor.explain()
        floor.clock.stop_at(FRIDAY_ENDS)
        assert await posted(floor, PAT, f"{DAY}/prepare") == (503, "TRY_AGAIN")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("none/2026-03-06/prepare", (404, "UNKNOWN_LINK")),
        ("main/friday/prepare", (400, "BAD_DAY")),
        ("main/2026-02-30/prepare", (400, "BAD_DAY")),
        ("main/2026-03-05/prepare", (400, "BAD_DAY")),
        ("main/2026-03-08/prepare", (400, "BAD_DAY")),
        ("main/2026-03-05/close", (409, "WRONG_STATUS")),
        ("none/2026-03-06/close", (404, "UNKNOWN_LINK")),
    ],
)
async def test_a_day_that_cannot_be_meant_is_refused(
    refusing: EndedDay, path: str, expected: tuple[int, str]
) -> None:
    assert await posted(refusing, PAT, f"/v1/days/{path}") == expected


async def test_until_when_a_day_runs_is_told_by_the_floors_clock(refusing: EndedDay) -> None:
    _, answer = await refusing.staff.post(PAT, f"/v1/days/main/{SATURDAY}/prepare")
    # Clocks are set forward in that night.
    assert answer["keeps_open"][0] == "The day is not over before 2026-03-08 06:00."


@pytest.mark.slow
async def test_the_first_close_asks_before_it_leaves_days_behind(floor: EndedDay) -> None:
    await floor.at("2026-03-09T12:00:00.000000Z")
    saturday, friday = f"/v1/days/main/{SATURDAY}", await floor.day(PAT)
    assert (friday["state"], friday["left_behind"]) == ("open", None)
    await floor.explain(SATURDAY)
    assert (await floor.day(PAT, SATURDAY))["left_behind"] == {"first_day": FRIDAY, "days": 1}
    status, answer = await floor.staff.post(PAT, f"{saturday}/prepare")
    assert (status, answer["error"]["code"]) == (409, "DAYS_STAY_BEHIND")
    assert f"the oldest with play is {FRIDAY}" in answer["error"]["message"]
    assert (await floor.staff.post(PAT, f"{saturday}/prepare", {"first": True}))[0] == 202
    assert (await floor.staff.post(AMY, f"{saturday}/close"))[0] == 200

    friday = await floor.day(PAT)
    assert (friday["state"], friday["prepared"], friday["closed"]) == ("outside", None, None)
    assert friday["keeps_open"] == [
        f"The first closed day is {SATURDAY}: days before it stay as they are."
    ]
    assert await posted(floor, PAT, f"{DAY}/prepare", {"first": True}) == (409, "DAY_STAYS_OPEN")
    _, strip = await floor.staff.ask(PAT, "GET", "/v1/days?link=main")
    assert [each["state"] for each in strip["days"]] == ["running", "open", "closed", "outside"]
    # From now on days close one after the other, and nobody is asked any more.
    assert (await floor.day(PAT, "2026-03-08"))["left_behind"] is None

    outside = f"OUTSIDE THE CLOSES: {FRIDAY}, before the first closed day, {SATURDAY}."
    for query in ("month=2026-03", f"from={FRIDAY}&to={SATURDAY}"):
        _, report = await floor.staff.ask(PAT, "GET", f"/v1/reports/rollforward?{query}")
        assert outside in report["notes"]
    path = f"/v1/reports/rollforward?from={FRIDAY}&to={SATURDAY}&format=csv"
    assert "OUTSIDE THE CLOSES" in str((await floor.staff.ask(PAT, "GET", path))[1])


# --- entries ------------------------------------------------------------------------------------

READING = {"type": "reading", "sign": "pit", "meter": "mega", "shown_cents": 10_000_120}
ENTRIES: list[dict[str, Any]] = [
    {**READING, "read_by": "Pat", "read_at": "2026-03-06T20:00:00-05:00"},
    {"type": "bank", "cents": 12_000_000},
    {"type": "ledger", "month": "2026-02", "meter": "mega", "part": "primary", "cents": 1},
    {"type": "form", "award": "main.9.1", "form": "W-2G", "serial": "0001"},
    {"type": "notified", "seq": 1, "note": "by letter"},
    {"type": "explained", "check": "exceptions", "item": "", "text": "a drill"},
]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: str(entry["type"]))
@pytest.mark.slow
async def test_what_only_people_know_is_entered(floor: EndedDay, entry: dict[str, Any]) -> None:
    status, answer = await floor.staff.post(BOB, f"{DAY}/entries", {"entry": entry})
    assert (status, answer["type"]) == (201, entry["type"]), answer
    (entered,) = (await floor.day(PAT))["entries"]
    assert (entered["seq"], entered["by"]["name"]) == (answer["journal_seq"], "Bob")
    sent = entry | {"read_at": "2026-03-07T01:00:00.000000Z"} if "read_at" in entry else entry
    assert entered["entry"].items() >= sent.items()


@pytest.mark.parametrize(
    ("entry", "code"),
    [
        ({"type": "dance"}, "BAD_MESSAGE"),
        ({"type": "returned", "reason": "not here"}, "BAD_MESSAGE"),
        ({"type": "cage", "file": "a", "sha256": "b", "payments": []}, "BAD_MESSAGE"),
        ({"type": "bank", "cents": -1}, "WRONG_AMOUNT"),
        ({"type": "bank", "cents": 10**12}, "BAD_MESSAGE"),
        ({"type": "bank", "cents": 1.5}, "BAD_MESSAGE"),
        ({**READING, "read_by": "Pat", "read_at": "noon"}, "BAD_TIME"),
        ({**READING, "read_by": "Pat", "read_at": "2026-03-09T00:00:00Z"}, "BAD_TIME"),
        ({**READING, "read_by": "", "read_at": "2026-03-06", "shown_cents": -1}, "WRONG_AMOUNT"),
        ({**READING, "read_by": "", "read_at": "2026-03-06T20:00", "meter": "x"}, "BAD_MESSAGE"),
        ({**READING, "read_by": "", "read_at": "2026-03-06T20:00", "sign": "x"}, "BAD_MESSAGE"),
    ],
)  # fmt: skip
async def test_what_cannot_be_entered_is_refused(
    refusing: EndedDay, entry: dict[str, Any], code: str
) -> None:
    assert await posted(refusing, BOB, f"{DAY}/entries", {"entry": entry}) == (400, code)
    assert (await refusing.day(PAT))["entries"] == []


async def test_nothing_is_entered_for_a_day_to_come(refusing: EndedDay) -> None:
    path = "/v1/days/main/2026-03-08/entries"
    assert await posted(refusing, BOB, path, {"entry": {"type": "bank", "cents": 1}}) == (
        400,
        "BAD_DAY",
    )


@pytest.mark.slow
async def test_an_entry_takes_a_preparation_back(ready: EndedDay) -> None:
    await ready.staff.post(PAT, f"{DAY}/prepare")
    await ready.staff.post(BOB, f"{DAY}/entries", {"entry": {"type": "bank", "cents": 1}})
    assert await posted(ready, AMY, f"{DAY}/close") == (409, "WRONG_STATUS")


# --- who may ------------------------------------------------------------------------------------

ACTS = [
    ("prepare", {}, Act.PREPARE_DAY),
    ("close", {}, Act.CLOSE_DAY),
    ("return", {"reason": "no"}, Act.CLOSE_DAY),
    ("entries", {"entry": {"type": "bank", "cents": 1}}, Act.ENTER_FIGURES),
]


@pytest.mark.parametrize("role", Role)
@pytest.mark.slow
async def test_the_role_matrix_decides_who_may_act(ready: EndedDay, role: Role) -> None:
    for path, body, act in ACTS:
        refused = await posted(ready, BY_ROLE[role], f"{DAY}/{path}", body) == (403, "WRONG_ROLE")
        assert refused is not may(role, act), path


@pytest.mark.slow
async def test_neither_the_pit_nor_whoever_runs_the_machine_closes_a_day(ready: EndedDay) -> None:
    await ready.staff.post(PAT, f"{DAY}/prepare")
    for who in (ANN, EVE, JOE):
        assert await posted(ready, who, f"{DAY}/close") == (403, "WRONG_ROLE")
    assert (await ready.day(PAT))["state"] == "prepared"


# --- alarms and metrics -------------------------------------------------------------------------


async def figures(floor: EndedDay) -> dict[str, float]:
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"{floor.service.url}/metrics") as answer,
    ):
        text = await answer.text()
    return {
        sample.name: sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.labels in ({"link": "main"}, {})
    }


async def alarms(floor: EndedDay) -> dict[str, str]:
    _, answer = await floor.staff.ask(ANN, "GET", "/v1/alarms")
    return {each["kind"]: each["message"] for each in answer["alarms"] if not each["over"]}


async def until(condition: Callable[[], Awaitable[object]]) -> None:
    """Ask again until it is so: the books are looked at several times a second here."""
    async with asyncio.timeout(ANSWER_SECONDS):
        while not await condition():
            await asyncio.sleep(0.05)


@pytest.mark.slow
async def test_a_day_that_is_not_closed_in_time_is_an_alarm(ready: EndedDay) -> None:
    async def open_seconds() -> float:
        return (await figures(ready))["progressive_day_open_seconds"]

    async def overdue() -> str:
        return (await alarms(ready)).get("day_not_closed", "")

    await until(open_seconds)
    # Six hours after the end of Friday, which is the first day that anybody closes.
    assert 6 * 3_600 <= await open_seconds() < 6 * 3_600 + ANSWER_SECONDS
    await ready.staff.post(PAT, f"{DAY}/prepare")
    await ready.staff.post(AMY, f"{DAY}/close")

    async def nothing_due() -> bool:
        return not await open_seconds()

    await until(nothing_due)
    # Saturday has 23 hours: it ends at 10:00 in UTC.
    await ready.at("2026-03-09T09:59:00.000000Z")
    await until(open_seconds)
    assert not await overdue()
    await ready.at("2026-03-09T10:00:01.000000Z")
    await until(overdue)
    assert await overdue() == (
        "gaming day 2026-03-07 is over since 2026-03-08 06:00 and not closed"
    )
    saturday = f"/v1/days/main/{SATURDAY}"
    # The clock that was set is an exception of the day.
    assert await ready.explain(SATURDAY) == {"exceptions"}
    assert (await ready.staff.post(PAT, f"{saturday}/prepare"))[0] == 202
    assert (await ready.staff.post(AMY, f"{saturday}/close"))[0] == 200

    async def over() -> bool:
        return not await overdue()

    await until(over)


@pytest.mark.slow
async def test_a_house_that_never_closed_a_day_is_reminded_of_one(floor: EndedDay) -> None:
    async def overdue() -> str:
        return (await alarms(floor)).get("day_not_closed", "")

    # Friday is over for a day; then Saturday, too, which has 23 hours.
    for moment, late in (
        ("2026-03-08T11:00:01.000000Z", "gaming day 2026-03-06 is over since 2026-03-07 06:00"),
        ("2026-03-09T10:00:01.000000Z", "gaming day 2026-03-07 is over since 2026-03-08 06:00"),
    ):

        async def reminded(late: str = late) -> bool:
            return late in await overdue()

        await floor.at(moment)
        await until(reminded)
        _, answer = await floor.staff.ask(ANN, "GET", "/v1/alarms")
        assert sum(each["kind"] == "day_not_closed" for each in answer["alarms"]) == 1


@pytest.mark.slow
async def test_books_that_come_to_zero_are_no_alarm(floor: EndedDay) -> None:
    async def looked() -> float:
        return (await figures(floor))["progressive_day_open_seconds"]

    await until(looked)
    assert (await figures(floor))["progressive_reconciliation_difference_microcents"] == 0
    assert "does_not_reconcile" not in await alarms(floor)
