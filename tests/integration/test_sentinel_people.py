"""People and keys, with servers and Redis user of `deploy/redis`: the primary is killed."""

import asyncio
from pathlib import Path

import pytest

from progressive.adapters.keys.tables import TableKeys
from progressive.adapters.redis.keys import SharedKeyStore
from progressive.adapters.redis.server import RedisServer
from progressive.application.journal.ports import StoreUnavailableError
from progressive.application.people.act_log import Deed, Outcome
from progressive.application.people.shared import SharedPeople
from progressive.domain.people.roles import Person, Role
from tests.support.redis_fleet import RedisFleet
from tests.support.shared_people import a_shared_people

pytestmark = [pytest.mark.redis, pytest.mark.slow, pytest.mark.drill]

WAIT_SECONDS = 60
DEED = Deed("2026-01-02T10:00:00.000000Z", None, "10.0.0.7", "request", Outcome.DONE)


async def recorded_once_it_answers(people: SharedPeople) -> None:
    async with asyncio.timeout(WAIT_SECONDS):
        while True:
            try:
                return await people.record(DEED)
            except StoreUnavailableError:
                await asyncio.sleep(0.05)


async def test_people_and_keys_outlive_the_primary(tmp_path: Path) -> None:
    with RedisFleet(tmp_path / "redis", replicas=2) as fleet:
        place = fleet.place(replicas=1)
        server = RedisServer(place)
        one, two = (a_shared_people(place, tmp_path / name) for name in ("one", "two"))
        keys = SharedKeyStore(server, TableKeys(tmp_path / "one"))
        key = await keys.issue("BJ-01")
        await one.add_person(Person("Ann", Role.SUPERVISOR, "Table games"), "hash", DEED)
        assert await one.open_session(
            "ann", "token", password_hash="hash", purge_before="", deed=DEED
        )
        killed = fleet.primary()
        killed.kill()
        assert await keys.fits("BJ-01", key)
        await asyncio.to_thread(fleet.wait_for_primary, other_than=killed)
        await recorded_once_it_answers(two)
        assert await two.session("token") is not None
        stored = [list(await each.acts(after_seq=0, limit=99)) for each in (one, two)]
        assert stored[0] == stored[1]
        # A record whose answer was lost was made, and was asked for again: never half of one.
        assert len(stored[0]) >= 3
        assert await keys.fits("BJ-01", key)
        assert await keys.remove("BJ-01")
        assert not await keys.fits("BJ-01", key)
        for each in (one, two):
            await each.close()
        await server.close()
