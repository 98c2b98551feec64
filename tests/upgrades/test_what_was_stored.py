"""What a released version stored is what today's program shows: nothing is lost, nothing moves.

One running service for each data directory; no test here changes what it holds.
"""

from collections.abc import Iterator
from pathlib import Path

import aiohttp
import pytest

from tests.upgrades.cast import CAST, LOCKED
from tests.upgrades.clients import Feed, Panel, People, Table
from tests.upgrades.comparing import assert_still
from tests.upgrades.recording import reading, shown, verified
from tests.upgrades.stored import FOLDER, recorded
from tests.upgrades.today import NAMES, Upgraded, assert_answers_repeat

# A service for each stored directory.
pytestmark = pytest.mark.slow

LOCK_SECONDS = 15 * 60
NO_KEY = 4401


def holding(what: str) -> list[str]:
    """The data directories that something of this kind was recorded of."""
    found = [name for name in NAMES if recorded(FOLDER / name)[what]]
    assert found, f"no stored data has {what}"
    return found


@pytest.fixture(scope="module", params=NAMES)
def opened(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Upgraded]:
    upgraded = Upgraded(request.param, tmp_path_factory.mktemp("opened") / "stored")
    with upgraded.served():
        yield upgraded


@pytest.mark.parametrize("name", NAMES)
def test_verify_finds_what_the_old_program_found_and_changes_nothing(
    name: str, tmp_path: Path
) -> None:
    upgraded = Upgraded(name, tmp_path / "stored")
    files = {path for path in upgraded.data.rglob("*") if path.is_file()}
    before = {path: path.read_bytes() for path in files}
    assert_still(verified(upgraded.program, upgraded.data), upgraded.stored["verified"])
    assert {path for path in upgraded.data.rglob("*") if path.is_file()} == files
    for path, content in before.items():
        assert path.read_bytes() == content, path.name


async def test_links_meters_and_awards_are_as_the_old_program_showed_them(
    opened: Upgraded,
) -> None:
    expected = {**opened.stored["shown"]}
    tables = expected.pop("tables")
    async with People.at(opened.url, opened.stored["tokens"]) as people:
        found = await shown(people)
    assert set(tables) <= set(found["tables"])
    assert_still(found, expected)


async def test_tables_are_welcomed_with_their_next_number_and_open_round(
    opened: Upgraded,
) -> None:
    for table, expected in opened.stored["shown"]["tables"].items():
        async with Table.connect(opened.url, table, opened.stored["keys"][table]) as client:
            assert_still(client.welcome, expected)


async def test_message_sent_again_gets_the_answer_of_the_old_program(opened: Upgraded) -> None:
    for table in opened.stored["shown"]["tables"]:
        async with Table.connect(opened.url, table, opened.stored["keys"][table]) as client:
            if client.welcome["state"] == "live":
                await assert_answers_repeat(client, opened.stored)


async def test_other_message_under_an_old_number_is_refused(opened: Upgraded) -> None:
    first = opened.stored["messages"][0]
    key = opened.stored["keys"][first["table"]]
    async with Table.connect(opened.url, first["table"], key) as client:
        answer = await client.ask({**first["message"], "round": "another"})
    assert answer["code"] == "SEQ_REUSED"


@pytest.mark.parametrize("opened", holding("panel_messages"), indirect=True)
async def test_panel_message_sent_again_gets_the_answer_of_the_old_program(
    opened: Upgraded,
) -> None:
    for said in opened.stored["panel_messages"]:
        token = opened.stored["tokens"]["Zoë"]
        async with Panel.connect(opened.url, said["table"], token) as panel:
            again = await panel.ask(said["message"])
        assert_still(again, {**said["answer"], "repeat": True})


@pytest.mark.parametrize("opened", holding("requests"), indirect=True)
async def test_request_sent_again_gets_the_answer_of_the_old_program(opened: Upgraded) -> None:
    async with People.at(opened.url, opened.stored["tokens"]) as people:
        for said in opened.stored["requests"]:
            sent = (said["who"], "POST", said["path"], said["body"], said["key"])
            status, answer = await people.ask(*sent)
            if CAST[said["who"]][0] == "admin" and "/corrections" in said["path"]:
                # 0.1.0 let administrators sign for money: whoever may not do it now is not told.
                assert (status, answer["error"]["code"]) == (403, "WRONG_ROLE")
            else:
                assert (status, answer) == (said["status"], said["answer"])


@pytest.mark.parametrize("opened", holding("tokens"), indirect=True)
async def test_session_opened_before_still_holds(opened: Upgraded) -> None:
    async with People.at(opened.url, opened.stored["tokens"]) as people:
        for name in opened.stored["tokens"]:
            assert (await people.read(name, "/v1/sessions/me"))["user"] == name


@pytest.mark.parametrize("opened", holding("refused_log_ins"), indirect=True)
async def test_disabled_and_locked_accounts_stay_so(opened: Upgraded) -> None:
    async with People.at(opened.url) as people:
        for refused in opened.stored["refused_log_ins"]:
            status, answer = await people.try_log_in(refused["user"], opened.stored["password"])
            assert (status, answer["error"]["code"]) == (refused["status"], refused["code"])


@pytest.mark.parametrize("name", holding("refused_log_ins"))
async def test_lock_after_bad_tries_ends_at_its_time(name: str, tmp_path: Path) -> None:
    upgraded = Upgraded(name, tmp_path / "stored", seconds_later=LOCK_SECONDS)
    with upgraded.served():
        async with People.at(upgraded.url) as people:
            await people.log_in(LOCKED, upgraded.stored["password"])


@pytest.mark.parametrize("opened", holding("readings"), indirect=True)
async def test_sign_read_then_what_the_old_program_says_it_read(opened: Upgraded) -> None:
    async with People.at(opened.url, opened.stored["tokens"]) as people:
        for asked in opened.stored["readings"]:
            assert_still(reading(opened.program, opened.data, asked), asked["answer"])
            path = f"/v1/signs/{asked['sign']}/log?at={asked['at']}"
            assert_still(await people.read("Joe", path), asked["answer"])


@pytest.mark.parametrize("name", holding("readings"))
def test_sign_log_is_read_before_any_service_has_opened_it(name: str, tmp_path: Path) -> None:
    upgraded = Upgraded(name, tmp_path / "stored")
    for asked in upgraded.stored["readings"]:
        assert_still(reading(upgraded.program, upgraded.data, asked), asked["answer"])


@pytest.mark.parametrize("opened", ["0.1.0/awards"], indirect=True)
async def test_sign_with_a_key_is_spoken_for_only_with_it(opened: Upgraded) -> None:
    keys = opened.stored["keys"]
    async with Feed.connect(opened.url, "main", sign="entrance", key=keys["entrance"]) as feed:
        assert feed.snapshot["type"] == "snapshot"
    for wrong in (None, keys["upstairs"]):
        headers = {} if wrong is None else {"Authorization": f"Bearer {wrong}"}
        async with (
            aiohttp.ClientSession(opened.url, headers=headers) as session,
            session.ws_connect("/v1/links/main/feed", params={"sign": "entrance"}) as ws,
        ):
            await ws.receive(timeout=60)
            assert ws.close_code == NO_KEY
