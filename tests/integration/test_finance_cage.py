"""The cage's own file of a day over HTTP: read by a mapping, entered, held against documents."""

from collections.abc import AsyncIterator
from typing import Final

import pytest
import pytest_asyncio
from msgspec import structs

from progressive.entry.finance.cage import FILE_BYTES_MAX
from progressive.entry.routes import BODY_BYTES_MAX
from tests.support.ended_day import FRIDAY, SATURDAY, SOON, EndedDay, ended_day
from tests.support.service import TableClient, issue_key, lock, settle
from tests.support.staff import ANN, BOB, EVE, JOE, PAT

pytestmark = pytest.mark.asyncio(loop_scope="module")

HEADER: Final = "Reference,Document,Amount,Paid at\n"
MAPPING: Final = """
[cage]
reference = "Beleg"
document = "Zahlung"
amount = "Betrag"
time = "Zeit"
time_format = "%d.%m.%Y %H:%M"
"""
FRIDAYS: Final = f"/v1/days/main/{FRIDAY}/cage?file=cage.csv"
SATURDAYS: Final = f"/v1/days/main/{SATURDAY}/cage?file=cage.csv"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def floor(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[EndedDay]:
    """Two awards were paid at the cage on Saturday."""
    folder = tmp_path_factory.mktemp("cage")
    mappings = folder / "mappings"
    mappings.mkdir()
    (mappings / "german.toml").write_text(MAPPING, "utf-8")
    (mappings / "broken.toml").write_text("[cage]\nbeleg = 1\n", "utf-8")
    finance = structs.replace(SOON, mappings=mappings)
    async with ended_day(folder / "data", finance=finance) as floor:
        await _pay_two(floor)
        yield floor


async def _pay_two(floor: EndedDay) -> None:
    key = issue_key(floor.data, "BJ-02")
    async with TableClient.connect(floor.service.url, "BJ-02", key) as table:
        for number in (1, 3):
            await table.ask(lock(number, f"r{number}"))
            seats = [{"seat": 1, "cards": ["7d", "7h", "7d"]}]
            told = settle(number + 1, f"r{number}", dealer={"cards": ["9c"]}, seats=seats)
            settled = await table.ask(told)
            (award,) = settled["awards"]
            at = f"/v1/awards/{award['award']}"
            assert (await floor.staff.post(ANN, f"{at}/validate"))[0] == 200
            assert (await floor.staff.post(PAT, f"{at}/approve"))[0] in (200, 409)
            status, paid = await floor.staff.post(BOB, f"{at}/pay")
            assert (status, paid["award"]["document"]) == (200, f"main-P{number // 2 + 1:06}")


def cents(amount_cents: int) -> str:
    return f"{amount_cents // 100}.{amount_cents % 100:02}"


async def test_payments_are_entered_and_matched_to_documents(floor: EndedDay) -> None:
    _, report = await floor.staff.ask(PAT, "GET", f"/v1/reports/cage?day={SATURDAY}")
    first, second = report["rows"]
    assert {first["status"], second["status"]} == {"ours only"}
    body = (
        f"{HEADER}"
        f"C-1,{first['document']},{cents(first['system_cents'])},\n"
        f"C-2,{second['document']},{cents(second['system_cents'] + 1)},\n"
        "C-3,JP-77,12.00,\n"
    )
    status, answer = await floor.staff.send(BOB, SATURDAYS, body.encode())
    assert status == 201, answer
    assert (answer["type"], answer["payments"], answer["matched"]) == ("cage", 3, 1)
    assert answer["statuses"] == {"matched": 1, "amount differs": 1, "theirs only": 1}
    (entered,) = (await floor.day(PAT, SATURDAY))["entries"]
    assert entered["seq"] == answer["journal_seq"]
    assert entered["entry"]["payments"][0][:2] == ["C-1", first["document"]]
    # A difference of one cent keeps the day open.
    checks = {each["check"]: each for each in (await floor.day(PAT, SATURDAY))["checks"]}
    assert checks["cage"]["state"] == "open"
    assert len(checks["cage"]["findings"]) == 2


async def test_a_file_is_entered_once_however_often_it_is_sent(floor: EndedDay) -> None:
    body = f"{HEADER}C-9,JP-1,1.00,\n".encode()
    first = await floor.staff.send(BOB, FRIDAYS, body, Idempotency_Key="file-1")
    again = await floor.staff.send(BOB, FRIDAYS, body, Idempotency_Key="file-1")
    assert first[0] == 201
    assert first == again


async def test_a_mapping_is_named(floor: EndedDay) -> None:
    body = b"Beleg;Zahlung;Betrag;Zeit\r\nR-1;JP-2;1,50;06.03.2026 22:10\r\n"
    status, answer = await floor.staff.send(BOB, f"{FRIDAYS}&mapping=german", body)
    assert status == 201, answer
    entered = (await floor.day(PAT))["entries"][-1]["entry"]
    # By the floor's clock, as neither file names a zone.
    assert entered["payments"] == [["R-1", "JP-2", 150, "2026-03-07T03:10:00.000000Z"]]


@pytest.mark.parametrize(
    ("mapping", "body", "expected", "says"),
    [
        ("", b"", (400, "BAD_FILE"), "cage.csv"),
        ("", b"Reference,Amount\nA,1.00\n", (400, "BAD_FILE"), "document"),
        ("", f"{HEADER}A,JP-1,one dollar,\n".encode(), (400, "BAD_FILE"), "line 2"),
        ("", b"\xff\xfe\x00", (400, "BAD_FILE"), "UTF-16"),
        ("italian", HEADER.encode(), (404, "UNKNOWN_MAPPING"), "broken, german"),
        ("../german", HEADER.encode(), (404, "UNKNOWN_MAPPING"), "broken, german"),
        ("broken", HEADER.encode(), (400, "BAD_FILE"), "broken.toml"),
    ],
)
async def test_a_file_that_cannot_be_read_is_refused_by_line(
    floor: EndedDay, mapping: str, body: bytes, expected: tuple[int, str], says: str
) -> None:
    before = (await floor.day(PAT))["journal_seq"]
    status, answer = await floor.staff.send(BOB, f"{FRIDAYS}&mapping={mapping}", body)
    assert (status, answer["error"]["code"]) == expected
    assert says in answer["error"]["message"]
    assert (await floor.day(PAT))["journal_seq"] == before


async def test_only_a_file_may_be_larger_than_other_bodies(floor: EndedDay) -> None:
    lines = "".join(f"C-{number},JP-{number},1.00,{'x' * 40}\n" for number in range(1_900))
    body = f"{HEADER.replace('Paid at', 'Note')}{lines}".encode()
    assert len(body) > BODY_BYTES_MAX
    status, answer = await floor.staff.send(BOB, FRIDAYS, body)
    assert (status, answer.get("payments")) == (201, 1_900), answer
    status, _ = await floor.staff.send(BOB, FRIDAYS, b"x" * (FILE_BYTES_MAX + 1))
    assert status == 413
    entries = f"/v1/days/main/{FRIDAY}/entries"
    status, _ = await floor.staff.send(BOB, entries, b" " * (BODY_BYTES_MAX + 1))
    assert status == 413


@pytest.mark.parametrize("who", [ANN, EVE, JOE], ids=lambda who: str(who.role))
async def test_only_finance_enters_a_file(floor: EndedDay, who: object) -> None:
    status, answer = await floor.staff.send(who, FRIDAYS, HEADER.encode())  # type: ignore[arg-type]
    assert (status, answer["error"]["code"]) == (403, "WRONG_ROLE")
