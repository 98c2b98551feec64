"""The client of the primary, wherever it is: at an address, or where the Sentinels say.

The client library never sends a call again by itself. With Sentinels a connection belongs to the
server that was the primary when it was made: after any failure the idle ones are dropped, and the
next call asks the Sentinels again. Retries of the library would keep the old address.
"""

from typing import Any, Final

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.asyncio.sentinel import Sentinel, SentinelConnectionPool
from redis.backoff import NoBackoff

from progressive.adapters.redis.place import LogIn, RedisPlace

SENTINEL_SECONDS: Final = 0.5
"""For a Sentinel to answer; then the next is asked."""


class _PrimaryPool(SentinelConnectionPool):
    """Gives no connection to a former primary out again: one that hung may answer late."""

    async def release(self, connection: Any) -> None:  # noqa: ANN401 (an abstract one has no address)
        """Ask the Sentinels before it is used again, where another primary was found meanwhile."""
        if (connection.host, connection.port) != self.master_address:
            await connection.disconnect()
        await super().release(connection)


class Primary:
    """Of one place."""

    def __init__(self, place: RedisPlace, *, call_seconds: float) -> None:
        """`call_seconds`: without an answer for so long, what became of a call is unknown."""
        self.client: Redis
        self._sentinel: Sentinel | None = None
        if not place.sentinels:
            self.client = Redis.from_url(place.url, **_options(place, place.log_in, call_seconds))
            return
        tls: dict[str, Any] = {"ssl": True} if place.tls else {}
        self._sentinel = Sentinel(  # type: ignore[no-untyped-call]
            place.sentinels,
            sentinel_kwargs=tls | _options(place, place.sentinel_log_in, SENTINEL_SECONDS),
        )
        self.client = self._sentinel.master_for(
            place.service,
            connection_pool_class=_PrimaryPool,
            db=place.db,
            **tls,
            **_options(place, place.log_in, call_seconds),
        )

    async def drop(self) -> None:
        """After a failure: the connections that are not in use may lead to a former primary."""
        await self.client.connection_pool.disconnect(inuse_connections=False)

    async def close(self) -> None:
        """Close all connections."""
        await self.client.aclose()
        if self._sentinel is not None:
            await self._sentinel.aclose()


def _options(place: RedisPlace, log_in: LogIn, seconds: float) -> dict[str, Any]:
    options: dict[str, Any] = {
        "retry": Retry(NoBackoff(), 0),
        "socket_timeout": seconds,
        "socket_connect_timeout": seconds,
        "protocol": 2,
        "username": log_in.user,
        "password": log_in.password,
    }
    return options if place.ca is None else options | {"ssl_ca_certs": place.ca}
