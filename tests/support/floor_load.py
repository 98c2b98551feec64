"""Tables that play, lose their connection, come back and send again; and remember every answer.

Written from the protocol alone, and keeps the books by itself: what was answered must be in the
journal, once, and what the journal holds must be what was sent.
"""

import asyncio
import gzip
import json
import random
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import aiohttp

from tests.support.service import ANSWER_SECONDS, Message, issue_key, lock, settle, void

HUNG_SECONDS = 300
"""A safety net for a hung test, never a measure of speed."""


class LoadTable:
    """One table that keeps its unanswered message until it is answered."""

    def __init__(self, data: Path, table: str, seed: int, *, pace_seconds: float = 0.0) -> None:
        """`pace_seconds`: mean time between two messages; 0: as fast as answers come."""
        self.table = table
        self._pace_seconds = pace_seconds
        self.key = issue_key(data, table)
        self.random = random.Random(f"{seed}-{table}")
        self.seq = 1
        self.round = 0
        self.locked = False
        self.waiting: Message | None = None
        self.answered: dict[int, Message] = {}
        """Every answer by its number."""
        self.sent: dict[int, Message] = {}
        self.reconnects = 0
        self.errors: list[Message] = []

    async def play(self, url: str, stop: asyncio.Event) -> None:
        """Play until told to stop or until the service is gone."""
        try:
            async with (
                aiohttp.ClientSession() as session,
                session.ws_connect(
                    f"{url}/v1/tables/{self.table}/socket",
                    headers={"Authorization": f"Bearer {self.key}"},
                ) as ws,
            ):
                await self._play_on(ws, stop)
        except (aiohttp.ClientError, ConnectionError):
            return

    async def play_anywhere(self, urls: Sequence[str], stop: asyncio.Event) -> None:
        """Go from node to node until one takes the table, whenever it loses its connection."""
        while not stop.is_set():
            for url in urls:
                await self.play(url, stop)
            # A table's pause before it connects again.
            await asyncio.sleep(0.02)

    async def _play_on(self, ws: aiohttp.ClientWebSocketResponse, stop: asyncio.Event) -> None:
        welcome = await self._receive(ws)
        if welcome is None:
            return
        self.reconnects += 1
        # All that was answered is known to the service; at most the waiting one is on top.
        assert welcome["next_seq"] in (self.seq, self.seq + 1), (welcome, self.seq)
        while not stop.is_set():
            message = self.waiting or self._next()
            self.waiting = self.sent[self.seq] = message
            await ws.send_str(json.dumps(message))
            answer = await self._receive(ws)
            while answer is not None and answer["type"] == "state":
                answer = await self._receive(ws)
            if answer is None:
                return
            if answer["type"] == "error":
                self.errors.append(answer)
                return
            assert answer["seq"] == self.seq
            self.answered[self.seq] = answer
            self.waiting = None
            self.seq += 1
            if self._pace_seconds:
                await asyncio.sleep(self._pace_seconds * self.random.uniform(0.5, 1.5))

    async def _receive(self, ws: aiohttp.ClientWebSocketResponse) -> Message | None:
        frame = await ws.receive(timeout=ANSWER_SECONDS)
        if frame.type is not aiohttp.WSMsgType.TEXT:
            return None
        message: Message = json.loads(frame.data)
        return message

    def _next(self) -> Message:
        if not self.locked:
            self.locked = True
            self.round += 1
            seats = self.random.sample(range(1, 8), self.random.randint(0, 7))
            return lock(self.seq, f"r{self.round}", sorted(seats))
        self.locked = False
        if self.random.random() < 0.2:
            return void(self.seq, f"r{self.round}")
        return settle(self.seq, f"r{self.round}")


async def until_answered(
    tables: list[LoadTable], playing: Sequence["asyncio.Task[None]"], *, more: int = 1
) -> None:
    """Until the tables have so many more answers than now; raises where they have stopped."""
    wanted = _answers(tables) + more
    async with asyncio.timeout(HUNG_SECONDS):
        while _answers(tables) < wanted:
            assert not all(each.done() for each in playing), "nobody plays any more"
            await asyncio.sleep(0.01)


def _answers(tables: list[LoadTable]) -> int:
    return sum(len(table.answered) for table in tables)


def stored_events(data: Path) -> list[Message]:
    """The journal as it lies in the files, read without the program."""
    uri = f"{(data / 'journal.sqlite3').as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True)) as db:
        bodies = [row[0] for row in db.execute("SELECT body FROM batch ORDER BY first_seq")]
        rows = db.execute("SELECT body FROM segment ORDER BY number").fetchall()
    records: list[Message] = []
    for segment in (json.loads(body) for (body,) in rows):
        name = f"{segment['number']:06}-{segment['day']}.jsonl.gz"
        with gzip.open(data / "segments" / segment["link"] / name) as file:
            records += [json.loads(line) for line in file]
    seam = len(records)
    opened = [json.loads(line) for body in bodies for line in body.splitlines()]
    # What lies in a segment may still lie in the journal file, until it is removed there.
    return records + [record for record in opened if record["seq"] > seam]


def check_books(tables: list[LoadTable], data: Path) -> None:
    """Every answered message is in the journal, none twice, and the meters are exact."""
    by_table: dict[str, dict[int, Message]] = {table.table: {} for table in tables}
    primary = {"mega": 10_000_000_000_000, "major": 1_500_000_000_000, "minor": 300_000_000_000}
    rates = {"mega": 120_000, "major": 60_000, "minor": 40_000}
    open_cents: dict[str, int] = {}
    records = stored_events(data)
    assert [record["seq"] for record in records] == list(range(1, len(records) + 1))
    for record in records:
        event = record["event"]
        if "table" in event:
            assert event["table_seq"] not in by_table[event["table"]], "a message was kept twice"
            by_table[event["table"]][event["table_seq"]] = record
        if event["type"] == "wagers_registered":
            # One by one, or in short: bet, amount, seats, base wagers.
            seats = event["plain"][2] if "plain" in event else event["wagers"]
            cents = 500 * len(seats)
            open_cents[event["table"]] = cents
            for meter, rate in rates.items():
                primary[meter] += cents * rate
        elif event["type"] == "round_voided":
            for meter, rate in rates.items():
                primary[meter] -= open_cents[event["table"]] * rate
        if "meters" in event:
            assert event["meters"] == list(primary.values()), f"record {record['seq']}"
    for table in tables:
        kept = by_table[table.table]
        assert sorted(kept) == list(range(1, len(kept) + 1))
        for seq, answer in table.answered.items():
            assert seq in kept, f"{table.table} {seq} was answered and is not in the journal"
            assert kept[seq]["seq"] == answer["journal_seq"]
            assert kept[seq]["event"]["round"] == answer["round"] == table.sent[seq]["round"]
            shown = [meter["cents"] for meter in answer["meters"]]
            assert shown == [amount // 1_000_000 for amount in kept[seq]["event"]["meters"]]
        assert len(kept) - len(table.answered) in (0, 1), "only the last may be kept unanswered"
