"""A backlog never occupies the loop, and one address never keeps the others waiting."""

import asyncio

from progressive.live.entrance.turns import Turns


async def test_few_pieces_in_a_turn_and_one_address_after_the_other() -> None:
    turns, done = Turns(2), []
    for piece in range(4):
        turns.put("many", lambda piece=piece: done.append(f"many {piece}"))  # type: ignore[misc]
    turns.put("few", lambda: done.append("few 0"))
    assert done == []
    await asyncio.sleep(0)
    assert done == ["many 0", "few 0"]
    await asyncio.sleep(0)
    assert done == ["many 0", "few 0", "many 1", "many 2"]
    await asyncio.sleep(0)
    assert done[-1] == "many 3"


async def test_who_left_costs_nobody_a_turn_for_good() -> None:
    turns = Turns(1)
    waiting = [asyncio.create_task(turns.wait("a")) for _ in range(3)]
    await asyncio.sleep(0)
    waiting[0].cancel()
    await asyncio.wait_for(asyncio.gather(*waiting[1:]), 10)
    assert waiting[0].cancelled()
