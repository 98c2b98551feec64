"""People that nodes share, on a real Redis server, for tests: what is read is always fresh."""

from pathlib import Path

from progressive.adapters.clock import SystemClock
from progressive.adapters.redis.people_log import RedisPeopleLog
from progressive.adapters.redis.place import RedisPlace
from progressive.adapters.redis.server import RedisServer
from progressive.adapters.sqlite.people_copy import SqlitePeopleCopy
from progressive.application.people.shared import FRESH_SECONDS, SharedPeople


class HurryingClock(SystemClock):
    """What was looked at is old at the next look, whenever that is."""

    def __init__(self) -> None:
        super().__init__()
        self._seconds = 0.0

    def monotonic(self) -> float:
        self._seconds += 2 * FRESH_SECONDS
        return self._seconds


def a_people_log(place: RedisPlace) -> RedisPeopleLog:
    return RedisPeopleLog(RedisServer(place))


def a_shared_people(place: RedisPlace, directory: Path) -> SharedPeople:
    """A node's."""
    return SharedPeople(a_people_log(place), SqlitePeopleCopy(directory), HurryingClock())
