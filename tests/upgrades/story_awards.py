"""Three links in one file: awards in every state, corrections, other terms, people, signs.

Three lives of the service, each stopped cleanly. In the first everything is won, voided and paid;
in the second the floor file changes, approved by two people for `main` and by one for `lounge`; in
the third `lounge` plays on by its former terms. What lies in the folder is the second floor file.
"""

import asyncio
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path

from tests.upgrades.cast import CAST, DISABLED, LOCKED, hire, turn_away
from tests.upgrades.clients import Feed, Panel, People, Table, a_wager, sevens
from tests.upgrades.program import Json, Program, Service
from tests.upgrades.recording import PASSWORD, Recording, text_of
from tests.upgrades.stored import DATA, FLOOR

NAME = "awards"
TABLES = ("BJ-01", "BJ-02", "BJ-03", "BJ-04", "HL-01", "LG-01")
MEGA = ["7d", "7d", "7d"]
MAJOR = ["7s", "7s", "7s"]
MINOR = ["7d", "7h", "7d"]
EIGHT_CARDS = ["2c", "2d", "2h", "2s", "2c", "3d", "3h", "Ks"]
"""A dealer's hand that busts with its eighth card."""


async def make(program: Program, folder: Path) -> Recording:
    """All three lives."""
    data, recording = folder / DATA, Recording()
    for table in TABLES:
        recording.keys[table] = program.output("key", table, "--data", data)
    recording.keys["entrance"] = program.output("key", "--sign", "entrance", "--data", data)
    recording.keys["upstairs"] = program.output("key", "--relay", "upstairs", "--data", data)
    hire(program, data, *CAST, DISABLED, LOCKED)
    first = (folder / FLOOR).read_text("utf-8")
    both = _lounge_changed(_main_changed(first))
    with program.serve(folder / FLOOR, data) as service:
        await _first_life(program, service, data, recording)
        assert service.stop() == 0
    (folder / FLOOR).write_text(both, "utf-8")
    with program.serve(folder / FLOOR, data) as service:
        await _second_life(program, service, recording)
        assert service.stop() == 0
    (folder / FLOOR).write_text(_main_changed(first), "utf-8")
    with program.serve(folder / FLOOR, data) as service:
        await _third_life(service, recording)
        assert service.stop() == 0
    (folder / FLOOR).write_text(both, "utf-8")
    return recording


def _main_changed(floor: str) -> str:
    return floor.replace("rate_ppm = 40000\n", "rate_ppm = 45000\n")


def _lounge_changed(floor: str) -> str:
    before, mark, after = floor.partition('paytable = "B"')
    return before + mark + after.replace("max_cents = 10000", "max_cents = 20000")


# --- the first life -----------------------------------------------------------------------------


async def _first_life(program: Program, service: Service, data: Path, recording: Recording) -> None:
    async with AsyncExitStack() as stack:
        people = await stack.enter_async_context(
            People.at(service.url, recording.tokens, recording.requests)
        )
        for name in CAST:
            await people.log_in(name, PASSWORD)
        await turn_away(program, data, people, recording)
        tables = {}
        for name in TABLES:
            if name != "BJ-04":
                client = Table.connect(service.url, name, recording.keys[name])
                tables[name] = await stack.enter_async_context(client)
        await people.do("Dora", "/v1/tables/BJ-01/dealer")
        await people.do("Dora", "/v1/tables/BJ-03/dealer")
        await people.ask("Dora", "DELETE", "/v1/tables/BJ-03/dealer")
        await _awards_of_meters(people, tables["BJ-01"])
        await _fixed_awards(people, tables["BJ-01"], tables["BJ-02"])
        await _before_the_peek(tables["BJ-02"], tables["BJ-03"])
        await _by_panel(service, people, recording)
        await _shares_and_limits(people, tables["HL-01"])
        await _fixed_bets(tables["LG-01"])
        await _bad_claims(people, tables["BJ-01"], tables["HL-01"])
        await _corrections(people)
        # Left open, and settled by whoever comes after: under the terms of this life.
        await tables["BJ-02"].lock("BJ-02-open", *sevens(2, 6), a_wager(2, "buster", 1000))
        for client in tables.values():
            recording.messages += client.sent


async def _awards_of_meters(people: People, table: Table) -> None:
    """Pending, validated, approved, paid, proposed to be void, void: one of each and more."""
    first, second = await table.play("two-megas", {3: MEGA, 5: MEGA})
    await _do(people, "Ann", second, "validate")
    await _do(people, "Ann", first, "void", reason="the light was off")
    # The second winner is now owed the whole meter, and pending again.
    await _do(people, "Sue", first, "void/approve")
    (award,) = await table.play("major-paid", {3: MAJOR})
    await _do(people, "Ann", award, "validate")
    await _do(people, "Bob", award, "pay")
    (award,) = await table.play("minor-paid-by-hand", {1: MINOR})
    await _do(people, "Sue", award, "validate")
    await _do(people, "Bob", award, "pay", document="JP-77")
    (award,) = await table.play("major-validated", {1: MAJOR})
    await _do(people, "Ann", award, "validate")
    (award,) = await table.play("mega-approved", {5: MEGA})
    await _do(people, "Ann", award, "validate")
    await _do(people, "Pat", award, "approve")
    (award,) = await table.play("minor-void-proposed", {1: MINOR})
    await _do(people, "Ann", award, "void", reason="two cards stuck together")
    (award,) = await table.play("minor-void-withdrawn", {3: MINOR})
    await _do(people, "Ann", award, "void", reason="the wrong seat")
    await _do(people, "Ann", award, "void/withdraw")
    (award,) = await table.play("minor-void", {5: MINOR})
    await _do(people, "Ann", award, "validate")
    await _do(people, "Sue", award, "void", reason="late bet")
    await _do(people, "Ann", award, "void/approve")
    await table.play("mega-pending", {1: MEGA})


async def _fixed_awards(people: People, sevens_table: Table, buster_table: Table) -> None:
    """From the rack, and above the rack's limit."""
    hands = {1: ["7c", "7h", "2c"], 3: ["7c", "Kh", "2c"], 5: ["7c", "7d", "7s"]}
    await sevens_table.play("rack", hands)
    wagers = [a_wager(1, "buster", 10000, base_cents=10000), a_wager(2, "buster", 500)]
    await buster_table.lock("eight-cards", *wagers, a_wager(2, tender="coupon"))
    seats = [{"seat": 1, "cards": ["Th", "8c"]}, {"seat": 2, "cards": ["As", "Kd"]}]
    settled = await buster_table.send(
        "settle", "eight-cards", dealer={"cards": EIGHT_CARDS}, seats=seats
    )
    with_bonus = next(each for each in settled["awards"] if each["bonus_cents"])
    await _do(people, "Ann", with_bonus, "validate")
    await _do(people, "Bob", with_bonus, "pay")


async def _before_the_peek(settled: Table, left_open: Table) -> None:
    """Two-card awards: one round is settled after, the other is not settled yet."""
    for table, round_id in ((settled, "early"), (left_open, "early-open")):
        await table.lock(round_id, *sevens(1, 3))
        early = [{"seat": 3, "cards": ["7d", "7h"]}]
        fields = {"dealer": {"cards": ["Ks"]}, "seats": early, "complete": False, "early": True}
        await table.send("settle", round_id, **fields)
    seats = [{"seat": 3, "cards": ["7d", "7h", "7d"]}]
    dealer = {"cards": ["Ks", "9h"]}
    await settled.send("settle", "early", dealer=dealer, seats=seats, complete=False)


async def _by_panel(service: Service, people: People, recording: Recording) -> None:
    """A table that a dealer's panel drives."""
    async with Panel.connect(service.url, "BJ-04", people.tokens["Zoë"]) as panel:
        lock = {"type": "lock", "id": "panel-0001", "after": panel.state["seq"]}
        lock |= {"wagers": sevens(4), "chips_counted": 1}
        answer = await panel.ask(lock)
        recording.panel_messages.append({"table": "BJ-04", "message": lock, "answer": answer})
        settle = {"type": "settle", "id": "panel-0002", "after": panel.state["seq"]}
        settle |= {"round": panel.state["round"]["round"], "seats": [], "complete": False}
        answer = await panel.ask(settle)
        recording.panel_messages.append({"table": "BJ-04", "message": settle, "answer": answer})


async def _shares_and_limits(people: People, table: Table) -> None:
    """A meter above its limit, shared by two, and a tenth of it."""
    await table.lock("above-the-limit", *sevens(1, 2, 4))
    await table.settle("above-the-limit", "2c", {})
    await table.lock("shared", *sevens(1, 2, 4))
    shared = await table.settle("shared", "7d", {1: ["7d", "7d"], 4: ["7d", "7d"]})
    await _do(people, "Ann", shared["awards"][0], "validate")
    await _do(people, "Bob", shared["awards"][0], "pay")
    await table.lock("a-tenth", *sevens(2, 4))
    await table.settle("a-tenth", "7h", {2: ["7d", "7h"]})
    await table.lock("above-again", *sevens(1, 2, 3, 4, 5))
    await table.settle("above-again", "2c", {})


async def _fixed_bets(table: Table) -> None:
    """A link without meters: the dealer busts with four cards."""
    await table.lock("four-cards", a_wager(1, "buster", 500))
    dealer = {"cards": ["6c", "4d", "5h", "Ks"]}
    await table.send("settle", "four-cards", dealer=dealer, seats=[], complete=False)


async def _bad_claims(people: People, known: Table, new: Table) -> None:
    """Refused, and recorded as alarms: one acknowledged, one not."""
    for table in (known, new):
        await table.lock("claimed", *sevens(2))
        seats = [{"seat": 2, "cards": ["7d"] * 9}]
        fields = {"dealer": {"cards": ["9c"]}, "seats": seats, "complete": False}
        assert await table.send_refused("settle", "claimed", **fields) == "IMPOSSIBLE_CARDS"
        await table.send("void", "claimed", reason="the shoe is looked at")
    while True:
        # Recorded soon after the answer.
        alarms = (await people.read("Ann", "/v1/alarms"))["alarms"]
        claims = {each["subject"]: each for each in alarms if each["kind"] == "implausible_input"}
        if {known.table, new.table} <= set(claims):
            break
        await asyncio.sleep(0.1)
    path = f"/v1/alarms/{claims[known.table]['alarm']}/acknowledge"
    await people.do("Ann", path, {"note": "looked at the shoe"}, key="seen")


async def _corrections(people: People) -> None:
    """Approved, refused, moved between meters, and one that waits."""
    corrections, transfers = "/v1/links/main/corrections", "/v1/links/main/transfers"
    legs = [{"meter": "minor", "amount_cents": 500, "microcents": 7}]
    made = await people.do("Bob", corrections, {"reason": "a coupon was lost", "legs": legs})
    await people.do("Pat", f"/v1/corrections/{made['correction']['correction']}/approve")
    legs = [{"meter": "major", "amount_cents": -100}]
    made = await people.do("Bob", corrections, {"reason": "counted twice", "legs": legs})
    path = f"/v1/corrections/{made['correction']['correction']}/refuse"
    await people.do("Pat", path, {"reason": "counted once"}, key="not-this-one")
    move: Json = {"from": {"meter": "mega"}, "to": {"meter": "major"}, "amount_cents": 1000}
    made = await people.do("Bob", transfers, {"reason": "the wrong meter", **move})
    await people.do("Pat", f"/v1/corrections/{made['correction']['correction']}/approve")
    legs = [{"meter": "mega", "part": "reset", "amount_cents": 250}]
    body = {"reason": "rounding of last month", "legs": legs}
    await people.do("Pat", corrections, body, key="a-key-of-Pat's")


# --- the other lives ----------------------------------------------------------------------------


async def _second_life(program: Program, service: Service, recording: Recording) -> None:
    """Another floor file."""
    for link, name, exit_code in (("main", "Cleo", 1), ("main", "Ann", 0), ("lounge", "Cleo", 1)):
        approved = program.run(
            *("approve", link, "--server", service.url, "--user", name, "--reason", "agreed"),
            given=PASSWORD,
        )
        assert approved.returncode == exit_code, approved
    async with Table.connect(service.url, "BJ-01", recording.keys["BJ-01"]) as table:
        await table.play("new-terms", {})
        recording.messages += table.sent


async def _third_life(service: Service, recording: Recording) -> None:
    """Signs report, tables play on."""
    async with AsyncExitStack() as stack:
        entrance = await stack.enter_async_context(
            Feed.connect(service.url, "main", sign="entrance", key=recording.keys["entrance"])
        )
        relay = await stack.enter_async_context(
            Feed.connect(service.url, "main", relay="upstairs", key=recording.keys["upstairs"])
        )
        bar = await stack.enter_async_context(Feed.connect(service.url, "high", sign="bar"))
        await entrance.show()
        await relay.relay("hall", state="ageing")
        await bar.show()
        await _moment(recording, "entrance", "hall", "bar")
        for name, round_id in (("BJ-01", "after-the-report"), ("LG-01", "former-terms")):
            async with Table.connect(service.url, name, recording.keys[name]) as table:
                await table.lock(round_id, *(sevens(1, 2, 3) if name == "BJ-01" else []))
                await table.settle(round_id, "6c", {})
                recording.messages += table.sent
        # The digits still roll towards what is durable by now.
        behind = [{**each, "cents": each["cents"] + 17} for each in entrance.glass()["meters"]]
        await entrance.show(seq=entrance.snapshot["seq"] + 2, meters=behind)
        await _moment(recording, "entrance")


async def _moment(recording: Recording, *signs: str) -> None:
    """A moment that what was just reported speaks for."""
    await asyncio.sleep(1.5)
    at = text_of(datetime.now(UTC))
    recording.readings += [{"sign": sign, "at": at} for sign in signs]
    await asyncio.sleep(0.5)


async def _do(people: People, who: str, award: Json, step: str, **body: str) -> None:
    path = f"/v1/awards/{award['award']}/{step}"
    key = path if step in ("pay", "void/approve") else None
    await people.do(who, path, dict(body), key=key)
