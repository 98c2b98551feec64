"""TLS between node, servers and Sentinels, as the files of `deploy/redis` have it in comments."""

from pathlib import Path

import pytest
from msgspec import structs

from progressive.adapters.redis.log import RedisLog
from progressive.adapters.redis.place import RedisPlace
from progressive.adapters.redis.server import RedisServer
from progressive.application.journal.ports import StoreUnavailableError
from progressive.domain.ids import LinkId
from tests.support.certificates import Certificates
from tests.support.redis_fleet import RedisFleet
from tests.support.redis_server import NODE

pytestmark = [pytest.mark.redis, pytest.mark.slow]

MAIN = LinkId("main")


async def opened_epoch(place: RedisPlace) -> int:
    log = RedisLog(RedisServer(place), url=NODE)
    try:
        return (await log.open(MAIN, holder="a", above_epoch=0)).epoch
    finally:
        await log.close()


async def test_servers_and_sentinels_speak_tls_only_with_whom_they_can_check(
    tmp_path: Path,
) -> None:
    (tmp_path / "strange").mkdir()
    certificates = Certificates(tmp_path)
    with RedisFleet(tmp_path / "redis", tls=certificates) as fleet:
        place = fleet.place(replicas=1)
        assert place.shown.startswith("rediss+sentinel://127.0.0.1:")
        assert await opened_epoch(place) == 1
        with pytest.raises(StoreUnavailableError, match="No master found"):
            await opened_epoch(
                structs.replace(place, ca=str(Certificates(tmp_path / "strange").ca))
            )
        # Without TLS nobody answers.
        plain = structs.replace(place, url=place.url.replace("rediss", "redis"), ca=None)
        with pytest.raises(StoreUnavailableError):
            await opened_epoch(plain)
        primary = structs.replace(
            place, url=f"rediss://127.0.0.1:{fleet.primary().port}/0", sentinels=()
        )
        assert await opened_epoch(primary) == 2
        with pytest.raises(StoreUnavailableError, match="certificate verify failed"):
            await opened_epoch(structs.replace(primary, ca=None))
