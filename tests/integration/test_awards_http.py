"""Awards as staff meet them: a double Mega, supervisors, the cage, and those who may not."""

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from progressive.domain.people.roles import Act, Role, may
from progressive.entry.bootstrap import Running, running
from tests.support.service import TableClient, issue_key, lock, settle, shipped_rules, void
from tests.support.staff import (
    AMY,
    ANN,
    BOB,
    BY_ROLE,
    CLEO,
    DAN,
    EVE,
    JOE,
    PAT,
    SUE,
    Staff,
    working,
)

MEGA_CENTS = 10_000_120
RESET_CENTS = 2_500_010
"""$25,000 of the house, and the 10 cents that this round put on the reset meter."""

DIAMONDS = ["7d", "7d", "7d"]
NO_AWARD = "/v1/awards/main.999.1"


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Running]:
    async with running(shipped_rules(), data=tmp_path, host="127.0.0.1", port=0) as service:
        yield service


@pytest.fixture
async def staff(service: Running, tmp_path: Path) -> AsyncIterator[Staff]:
    async with working(service.url, tmp_path) as staff:
        yield staff


@pytest.fixture
async def table(service: Running, tmp_path: Path) -> AsyncIterator[TableClient]:
    key = issue_key(tmp_path, "BJ-01")
    async with TableClient.connect(service.url, "BJ-01", key) as client:
        yield client


@pytest.fixture
async def double_mega(staff: Staff, table: TableClient) -> tuple[str, str]:
    """Seats 2 and 5 hold three 7s of diamonds; Dan deals. Their awards in the order of payment."""
    assert (await staff.post(DAN, "/v1/tables/BJ-01/dealer"))[0] == 200
    await table.ask(lock(1, "r1", seats=(2, 5)))
    settled = await table.ask(
        settle(
            2,
            "r1",
            dealer={"cards": ["9c"]},
            seats=[{"seat": 2, "cards": DIAMONDS}, {"seat": 5, "cards": DIAMONDS}],
            complete=True,
        )
    )
    first, second = settled["awards"]
    assert [first["seat"], second["seat"]] == [5, 2]
    assert [first["amount_cents"], second["amount_cents"]] == [MEGA_CENTS, RESET_CENTS]
    return first["award"], second["award"]


async def statuses(staff: Staff) -> dict[str, str]:
    _, answer = await staff.ask(ANN, "GET", "/v1/awards")
    return {award["award"]: award["status"] for award in answer["awards"]}


async def acts(staff: Staff) -> list[dict[str, Any]]:
    _, answer = await staff.ask(JOE, "GET", "/v1/acts?limit=1000")
    return list(answer["acts"])


# --- the life of an award ---------------------------------------------------------------------


async def test_award_is_validated_approved_and_paid(
    staff: Staff, double_mega: tuple[str, str]
) -> None:
    first, second = double_mega
    at = f"/v1/awards/{first}"
    assert (await staff.post(ANN, f"{at}/validate"))[1]["award"]["status"] == "validated"
    # $100,001.20: two of another department than Ann's.
    status, answer = await staff.post(BOB, f"{at}/pay")
    assert (status, answer["error"]["code"]) == (409, "NEEDS_APPROVAL")
    assert (await staff.post(SUE, f"{at}/approve"))[1]["error"]["code"] == "SAME_DEPARTMENT"
    assert (await staff.post(PAT, f"{at}/approve"))[0] == 200
    assert (await staff.post(PAT, f"{at}/approve"))[1]["error"]["code"] == "SAME_PERSON"
    assert (await staff.post(EVE, f"{at}/approve"))[1]["error"]["code"] == "WRONG_ROLE"
    assert (await staff.post(AMY, f"{at}/approve"))[0] == 200
    status, answer = await staff.post(BOB, f"{at}/pay")
    assert (status, answer["award"]["status"]) == (200, "paid")
    assert answer["award"]["document"] == "main-P000001"
    assert answer["award"]["manual_document"] is False
    assert await statuses(staff) == {first: "paid", second: "pending"}


async def test_manual_document_is_taken_once_and_marked(
    staff: Staff, table: TableClient, double_mega: tuple[str, str]
) -> None:
    _, second = double_mega
    await staff.post(ANN, f"/v1/awards/{second}/validate")
    await staff.post(PAT, f"/v1/awards/{second}/approve")
    status, answer = await staff.post(BOB, f"/v1/awards/{second}/pay", {"document": "JP-77"})
    assert (status, answer["award"]["manual_document"]) == (200, True)
    await table.ask(lock(3, "r2", seats=(1,)))
    minor = await table.ask(
        settle(
            4,
            "r2",
            dealer={"cards": ["9c"]},
            seats=[{"seat": 1, "cards": ["7d", "7h", "7d"]}],
            complete=False,
        )
    )
    award = minor["awards"][0]["award"]
    await staff.post(ANN, f"/v1/awards/{award}/validate")
    for document in ("JP-77", "jp-77", "main-P000001", "MAIN-p000009", "two words", ""):
        status, _ = await staff.post(BOB, f"/v1/awards/{award}/pay", {"document": document})
        assert status in (400, 409), document
    status, answer = await staff.post(BOB, f"/v1/awards/{award}/pay")
    assert answer["award"]["document"] == "main-P000001"


async def test_second_winner_behind_a_void_claim_is_owed_the_full_meter(
    staff: Staff, double_mega: tuple[str, str]
) -> None:
    first, second = double_mega
    await staff.post(ANN, f"/v1/awards/{second}/validate")
    status, _ = await staff.post(ANN, f"/v1/awards/{first}/void", {"reason": "the light was off"})
    assert status == 202
    # One person, however often, is one person.
    assert (await staff.post(ANN, f"/v1/awards/{first}/void", {"reason": "again"}))[0] == 409
    assert (await staff.post(ANN, f"/v1/awards/{first}/void/approve"))[0] == 403
    status, answer = await staff.post(SUE, f"/v1/awards/{first}/void", {"reason": "seen"})
    assert (status, answer["award"]["status"]) == (200, "void")
    _, answer = await staff.ask(ANN, "GET", f"/v1/awards/{second}")
    owed = answer["award"]
    # Worked out anew, it is looked at anew.
    assert (owed["amount_cents"], owed["status"]) == (MEGA_CENTS, "pending")
    _, answer = await staff.ask(BOB, "GET", "/v1/links/main/meters")
    mega = answer["meters"][0]
    assert (mega["cents"], mega["reset_microcents"]) == (RESET_CENTS, 0)
    assert (mega["hits"], mega["voided_hits"]) == (2, 1)


async def test_void_behind_a_paid_award_names_the_way_out(
    staff: Staff, double_mega: tuple[str, str]
) -> None:
    first, second = double_mega
    await staff.post(ANN, f"/v1/awards/{second}/validate")
    await staff.post(PAT, f"/v1/awards/{second}/approve")
    assert (await staff.post(BOB, f"/v1/awards/{second}/pay"))[0] == 200
    await staff.post(ANN, f"/v1/awards/{first}/void", {"reason": "no light"})
    status, answer = await staff.post(SUE, f"/v1/awards/{first}/void/approve")
    assert (status, answer["error"]["code"]) == (409, "VOID_TOO_LATE")
    assert "correction" in answer["error"]["message"]
    assert (await statuses(staff))[first] == "pending"


async def test_request_sent_again_is_done_once(staff: Staff, double_mega: tuple[str, str]) -> None:
    path = f"/v1/awards/{double_mega[0]}/validate"
    first = await staff.ask(ANN, "POST", path, {}, Idempotency_Key="k1")
    again = await staff.ask(ANN, "POST", path, {}, Idempotency_Key="k1")
    assert first == again
    assert first[0] == 200
    assert (await staff.ask(ANN, "POST", path, {}, Idempotency_Key="k2"))[0] == 409


async def test_stranger_learns_nothing_of_awards(
    service: Running, staff: Staff, double_mega: tuple[str, str]
) -> None:
    """A proposal to void once said 404 or 401, by whether there was such an award."""
    async with aiohttp.ClientSession(service.url) as stranger:
        for award in (double_mega[0], "main.999.1", "none"):
            async with stranger.post(
                f"/v1/awards/{award}/void", json={}, headers={"Authorization": "Bearer none"}
            ) as answer:
                assert answer.status == 401


async def test_unknown_award_is_not_found(staff: Staff, double_mega: tuple[str, str]) -> None:
    for award in ("main.999.1", "other.4.1", "main", "main.4", "..", "main.x.1", "%2e.1.1"):
        for who, method, path in (
            (ANN, "GET", f"/v1/awards/{award}"),
            (ANN, "GET", f"/v1/awards/{award}/sheet"),
            (ANN, "POST", f"/v1/awards/{award}/validate"),
        ):
            status, _ = await staff.ask(who, method, path, {} if method == "POST" else None)
            assert status in (404, 405), (award, path)


# --- the role matrix on the routes --------------------------------------------------------------

ROUTES = [
    ("GET", "/v1/awards", Act.LIST_AWARDS),
    ("GET", f"{NO_AWARD}/sheet", Act.VIEW_SHEET),
    ("GET", f"{NO_AWARD}/proof", Act.VIEW_SHEET),
    ("POST", f"{NO_AWARD}/validate", Act.VALIDATE_AWARD),
    ("POST", f"{NO_AWARD}/approve", Act.APPROVE_PAYMENT),
    ("POST", f"{NO_AWARD}/pay", Act.PAY_AWARD),
    ("POST", f"{NO_AWARD}/void", Act.PROPOSE_VOID),
    ("POST", f"{NO_AWARD}/void/approve", Act.APPROVE_VOID),
    ("POST", f"{NO_AWARD}/void/withdraw", Act.PROPOSE_VOID),
    ("GET", "/v1/links/main/corrections", Act.VIEW_HIDDEN_METERS),
    ("POST", "/v1/links/main/corrections", Act.PROPOSE_CORRECTION),
    ("POST", "/v1/links/main/transfers", Act.PROPOSE_CORRECTION),
    ("POST", "/v1/corrections/main.999/approve", Act.APPROVE_CORRECTION),
    ("POST", "/v1/corrections/main.999/refuse", Act.APPROVE_CORRECTION),
    ("POST", "/v1/links/main/terms/approve", Act.APPROVE_TERMS),
    ("POST", "/v1/links/main/retirement", Act.RETIRE_LINK),
    ("POST", "/v1/links/main/retirement/withdraw", Act.RETIRE_LINK),
    ("POST", "/v1/links/main/retirement/approve", Act.RETIRE_LINK),
    ("POST", "/v1/tables/BJ-99/dealer", Act.SIGN_ON_TABLE),
    ("POST", "/v1/tables/BJ-01/rounds/r9/validate", Act.VALIDATE_AWARD),
    ("POST", "/v1/tables/BJ-01/rounds/r9/void", Act.VOID_ROUND),
    ("POST", "/v1/links/main/loss/accept", Act.ACCEPT_LOSS),
    ("POST", "/v1/alarms/none/acknowledge", Act.ACKNOWLEDGE_ALARM),
    ("POST", "/v1/signs/none/key", Act.MANAGE_SIGN_KEYS),
    ("GET", "/v1/signs/none/log", Act.VIEW_SIGN_LOG),
    ("GET", "/v1/acts", Act.VIEW_ACTS),
    ("GET", "/v1/users", Act.VIEW_ACTS),
    ("POST", "/v1/users", Act.MANAGE_USERS),
    ("POST", "/v1/users/nobody/confirm", Act.CONFIRM_USER),
    ("POST", "/v1/users/nobody/unlock", Act.UNLOCK_USER),
]


async def test_every_route_asks_the_role_matrix(staff: Staff) -> None:
    for method, path, act in ROUTES:
        for role in Role:
            body = {} if method == "POST" else None
            status, answer = await staff.ask(BY_ROLE[role], method, path, body)
            refused = status == 403 and answer["error"]["code"] == "WRONG_ROLE"
            assert refused is not may(role, act), (method, path, role, status)
    refusals = [act for act in await acts(staff) if act["outcome"] == "refused"]
    assert len(refusals) >= sum(not may(role, act) for _, _, act in ROUTES for role in Role)


async def test_whoever_dealt_does_not_validate(
    staff: Staff, service: Running, double_mega: tuple[str, str]
) -> None:
    """Dan dealt. A supervisor of the same name, however spelled, is the same person."""
    status, answer = await staff.post(DAN, f"/v1/awards/{double_mega[0]}/validate")
    assert (status, answer["error"]["code"]) == (403, "WRONG_ROLE")
    assert (await statuses(staff))[double_mega[0]] == "pending"


# --- the sheet ----------------------------------------------------------------------------------


async def test_sheet_tells_the_whole_round(staff: Staff, double_mega: tuple[str, str]) -> None:
    first, second = double_mega
    await staff.post(ANN, f"/v1/awards/{first}/void", {"reason": "<b>the light was off</b>"})
    await staff.post(SUE, f"/v1/awards/{first}/void", {"reason": "seen"})
    await staff.post(ANN, f"/v1/awards/{second}/validate")
    status, answer = await staff.ask(JOE, "GET", f"/v1/awards/{second}/sheet")
    sheet = answer["sheet"]
    assert status == 200
    assert (sheet["table"], sheet["round"], sheet["dealt_by"]["name"]) == ("BJ-01", "r1", "Dan")
    assert [seat["cards"] for seat in sheet["seats"]] == [DIAMONDS, DIAMONDS]
    void_one, owed = sheet["awards"]
    assert (void_one["status"], owed["status"]) == ("void", "validated")
    assert owed["resettled"]["amount_cents"] == MEGA_CENTS
    assert owed["made"]["amount_cents"] == RESET_CENTS
    assert [entry["what"] for entry in sheet["history"]] == ["void proposed", "void", "validated"]
    status, page = await staff.ask(JOE, "GET", f"/sheet/{second}")
    assert status == 200
    assert "$100,001.20" in page
    assert "&lt;b&gt;the light was off&lt;/b&gt;" in page
    assert len(re.findall(r'class="card red"', page)) == 6


# --- corrections and transfers ------------------------------------------------------------------


async def cents(staff: Staff) -> dict[str, int]:
    _, answer = await staff.ask(BOB, "GET", "/v1/links/main/meters")
    return {meter["id"]: meter["cents"] for meter in answer["meters"]}


async def test_transfer_takes_two_departments(staff: Staff) -> None:
    move = {
        "reason": "posted to the wrong meter",
        "from": {"meter": "mega"},
        "to": {"meter": "major"},
        "amount_cents": 1_000,
    }
    status, answer = await staff.post(BOB, "/v1/links/main/transfers", move)
    assert status == 202
    correction = answer["correction"]["correction"]
    assert (await staff.post(BOB, f"/v1/corrections/{correction}/approve"))[0] == 403
    before = await cents(staff)
    assert (await staff.post(PAT, f"/v1/corrections/{correction}/approve"))[0] == 200
    after = await cents(staff)
    assert (after["mega"] - before["mega"], after["major"] - before["major"]) == (-1_000, 1_000)
    assert (await staff.post(EVE, f"/v1/corrections/{correction}/approve"))[0] == 403
    assert (await staff.post(AMY, f"/v1/corrections/{correction}/approve"))[0] == 404


async def test_refused_correction_moves_nothing(staff: Staff) -> None:
    legs = [{"meter": "minor", "amount_cents": -500, "microcents": -5}]
    _, answer = await staff.post(
        BOB, "/v1/links/main/corrections", {"reason": "counted twice", "legs": legs}
    )
    correction = answer["correction"]["correction"]
    before = await cents(staff)
    _, waiting = await staff.ask(JOE, "GET", "/v1/links/main/corrections")
    assert [each["correction"] for each in waiting["corrections"]] == [correction]
    path = f"/v1/corrections/{correction}/refuse"
    assert (await staff.post(EVE, path, {"reason": "not so"}))[0] == 403
    assert (await staff.post(PAT, path, {"reason": "not so"}))[0] == 200
    assert await cents(staff) == before


@pytest.mark.parametrize(
    "reason", ["the light\nwas off", "nul\x00", "\u202ereversed", "zero\u200bwidth", "  x  "]
)
async def test_reason_that_cannot_be_read_is_refused(staff: Staff, reason: str) -> None:
    legs = [{"meter": "minor", "amount_cents": 500}]
    body = {"reason": reason, "legs": legs}
    status, answer = await staff.post(BOB, "/v1/links/main/corrections", body)
    assert (status, answer["error"]["code"]) == (400, "BAD_MESSAGE")
    assert "$.reason" in answer["error"]["message"]


async def test_text_is_stored_in_one_form(staff: Staff) -> None:
    legs = [{"meter": "minor", "amount_cents": 500}]
    body = {"reason": "  Zoe\u0308 counted twice ", "legs": legs}
    _, answer = await staff.post(BOB, "/v1/links/main/corrections", body)
    assert answer["correction"]["reason"] == "Zo\u00eb counted twice"


@pytest.mark.parametrize(
    ("legs", "status"),
    [
        ([], 400),
        ([{"meter": "mega", "amount_cents": 0}], 400),
        ([{"meter": "mega", "amount_cents": 0.5}], 400),
        ([{"meter": "mega", "amount_cents": 10**12}], 400),
        ([{"meter": "mega", "part": "hidden", "amount_cents": 1}], 400),
        ([{"meter": "grand", "amount_cents": 1}], 404),
        ([{"meter": "mega", "amount_cents": -10_000_001}], 409),
        ([{"meter": "mega", "amount_cents": 1}, {"meter": "mega", "amount_cents": 2}], 400),
    ],
)
async def test_impossible_correction_is_refused(
    staff: Staff, legs: list[dict[str, Any]], status: int
) -> None:
    body = {"reason": "because", "legs": legs}
    assert (await staff.post(BOB, "/v1/links/main/corrections", body))[0] == status


# --- hidden meters, and what tables tried -------------------------------------------------------


async def test_hidden_meters_are_for_those_who_may_see_them(staff: Staff) -> None:
    for person in (BOB, EVE, JOE, CLEO):
        _, answer = await staff.ask(person, "GET", "/v1/links/main/meters")
        assert answer["meters"][0]["reset_microcents"] == 0
    for person in (ANN, DAN):
        _, answer = await staff.ask(person, "GET", "/v1/links/main/meters")
        assert set(answer["meters"][0]) == {"id", "name", "cents"}


async def test_refused_claims_stand_in_the_act_log(
    service: Running, staff: Staff, table: TableClient
) -> None:
    await staff.post(DAN, "/v1/tables/BJ-01/dealer")
    await table.ask(lock(1, "r1", seats=(2,)))
    given = {"dealer": {"cards": ["9c"]}, "complete": False}
    tried = [
        ({"seats": [{"seat": 3, "cards": DIAMONDS}], **given}, "NOT_WAGERED"),
        ({"seats": [{"seat": 2, "cards": ["2c", "3c"]}], **given}, "NOT_A_WINNER"),
        ({"seats": [{"seat": 2, "cards": ["7d"] * 7}], **given}, "IMPOSSIBLE_CARDS"),
        ({"seats": [{"seat": 2, "cards": ["7x", "7d"]}], **given}, "BAD_CARD"),
    ]
    for changes, code in tried:
        assert (await table.ask(settle(2, "r1", **changes)))["code"] == code
    assert (await table.ask(settle(2, "r0")))["code"] == "WRONG_ROUND"
    assert (await table.ask(void(2, "r1")))["type"] == "voided"
    # Written soon after the answer: look again until it is there.
    noted: list[dict[str, Any]] = []
    while len(noted) < len(tried) + 1:
        noted = [act for act in await acts(staff) if act["act"] == "table_message"]
    assert [act["details"]["code"] for act in noted] == [code for _, code in tried] + [
        "WRONG_ROUND"
    ]
    assert {(act["who"], act["outcome"], act["details"]["table"]) for act in noted} == {
        ("Dan", "refused", "BJ-01")
    }
