"""Who may speak for a sign: what is known of keys never goes back to what was known before."""

import asyncio
from collections.abc import Mapping

from progressive.application.journal.ports import StoreUnavailableError
from progressive.entry.signs.admission import SignAdmission


class SlowKeys:
    """Keys whose reading ends when the test lets it: what was there when the reading began."""

    missing: tuple[str, ...] = ()

    def __init__(self) -> None:
        self.stored: dict[str, object] | None = {}
        self.readings: list[asyncio.Event] = []

    async def fits(self, name: str, key: str) -> bool:
        raise AssertionError(f"nobody asks about {name} and {key}")

    async def versions(self) -> Mapping[str, object]:
        found, may_end = self.stored, asyncio.Event()
        self.readings.append(may_end)
        await may_end.wait()
        if found is None:
            raise StoreUnavailableError("the disk is gone")
        return dict(found)


async def looked(keys: SlowKeys, admission: SignAdmission) -> set[str]:
    """One look from beginning to end."""
    look = asyncio.create_task(admission.look())
    while not keys.readings:
        await asyncio.sleep(0)
    keys.readings.pop().set()
    return await look


async def test_look_that_began_before_a_key_was_issued_does_not_undo_a_later_one() -> None:
    keys = SlowKeys()
    admission = SignAdmission(keys, keys, anonymous_relays=False)
    by_the_clock = asyncio.create_task(admission.look())
    while not keys.readings:
        await asyncio.sleep(0)
    keys.stored = {"wall": 1}
    after_issuing = asyncio.create_task(admission.look())
    for _ in range(5):
        await asyncio.sleep(0)
    # The later one waits for its turn, so that it cannot be overtaken.
    assert len(keys.readings) == 1
    keys.readings.pop().set()
    assert await by_the_clock == set()
    while not keys.readings:
        await asyncio.sleep(0)
    keys.readings.pop().set()
    assert await after_issuing == {"wall"}
    assert admission.keyed("wall")


async def test_keys_that_cannot_be_read_change_nothing() -> None:
    keys = SlowKeys()
    admission = SignAdmission(keys, keys, anonymous_relays=False)
    keys.stored = {"wall": 1}
    assert await looked(keys, admission) == {"wall"}
    keys.stored = None
    assert await looked(keys, admission) == set()
    assert admission.keyed("wall")
    keys.stored = {"wall": 2, "door": 1}
    assert await looked(keys, admission) == {"wall", "door"}
