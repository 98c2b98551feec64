"""Whether a server keeps what it acknowledges, as far as its settings can say.

Anything less is refused: a journal on it could lose answered records without anybody noticing.
"""

from collections.abc import Mapping
from typing import Final

from progressive.adapters.redis.place import RedisPlace

LAG_MAX_SECONDS: Final = 2
"""Behind a replica that lags longer a primary takes no writes: so much can a failover lose."""
SETTINGS: Final[Mapping[str, str]] = {
    # A record is on the disk when it is acknowledged.
    "appendonly": "yes",
    "appendfsync": "always",
    # A file whose end is damaged is not loaded as if nothing were missing.
    "aof-load-truncated": "no",
    # Full memory is an error, and no reason to drop keys.
    "maxmemory-policy": "noeviction",
}
ASKED: Final = (*SETTINGS, "min-replicas-to-write", "min-replicas-max-lag")


def unsafe(
    place: RedisPlace, settings: Mapping[str, str], replication: Mapping[str, object]
) -> str | None:
    """Why nothing is written to this server, with what to set; None: it may be.

    `settings`: as CONFIG GET has them; `replication`: as INFO does.
    """
    if replication.get("role") != "master":
        return f"{place.shown} is a replica: name its primary"
    for name, wanted in SETTINGS.items():
        if settings.get(name) != wanted:
            return f"{place.shown} has {name} {settings.get(name, '?')}: set it to {wanted}"
    if not place.replicas:
        return None
    wanted_replicas = _number(settings, "min-replicas-to-write")
    if wanted_replicas < 1:
        return f"{place.shown} has min-replicas-to-write {wanted_replicas}: set it to 1 or more"
    lag = _number(settings, "min-replicas-max-lag")
    if not 1 <= lag <= LAG_MAX_SECONDS:
        return f"{place.shown} has min-replicas-max-lag {lag}: set it to {LAG_MAX_SECONDS} or less"
    return None


def loss_case(place: RedisPlace, connected_replicas: int) -> str:
    """What a failure of the server can lose of what was answered: said at the start."""
    if not place.replicas:
        return (
            "answered records are on one Redis server and on this node's disk (replicas=0): "
            "where the server is lost, only this node can go on"
        )
    if place.replicas < connected_replicas:
        return (
            f"answered records are on {place.replicas} of {connected_replicas} replicas: where "
            "another one is promoted, the log lacks its end, and only this node's disk has it"
        )
    return f"answered records are on {place.replicas} replicas and on this node's disk"


def _number(settings: Mapping[str, str], name: str) -> int:
    text = settings.get(name, "")
    return int(text) if text.isascii() and text.isdigit() else 0
