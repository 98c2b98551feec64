"""The real service for tests: as a process that can be killed, or inside the test."""

import asyncio
import contextlib
import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, Self

import aiohttp
from click.testing import CliRunner

from progressive.adapters.config.floor import load_floor
from progressive.adapters.keys.tables import TableKeys
from progressive.domain.ids import TableId
from progressive.domain.rulebook.rules import FloorRules
from progressive.entry.cli import main

ROOT = Path(__file__).parents[2]
FLOOR = ROOT / "config" / "floor.toml"
ANSWER_SECONDS = 30
"""A safety net for a hung test, never a measure of speed."""

Message = dict[str, Any]


@cache
def shipped_rules() -> FloorRules:
    """The rules of the shipped floor, read once: nothing can change them."""
    return load_floor(FLOOR).rules


class ServiceProcess:
    """`progressive serve` in a process of its own."""

    def __init__(
        self,
        data: Path,
        *options: str | Path,
        floor: Path = FLOOR,
        port: int = 0,
        files_max: int | None = None,
        module: str = "progressive",
        **environment: str,
    ) -> None:
        self.data = data
        self._log = (data.parent / f"{data.name}.log").open("ab")
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-m", module, "serve"),
                *("--floor", str(floor), "--data", str(data), "--listen", f"127.0.0.1:{port}"),
                *map(str, options),
            ],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            env={**os.environ, **environment},
            preexec_fn=None
            if files_max is None
            else partial(resource.setrlimit, resource.RLIMIT_NOFILE, (files_max, files_max)),
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline().strip()
        if not line.startswith("ready "):
            self._process.wait()
            raise AssertionError(f"not ready: {line!r}; {self.log()[-2000:]}")
        self.url = line.removeprefix("ready ")

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    @property
    def pid(self) -> int:
        return self._process.pid

    def log(self) -> str:
        self._log.flush()
        return Path(self._log.name).read_text()

    def kill(self) -> None:
        """As the power would: no word, no clean-up."""
        self._process.kill()
        self._process.wait()
        self._close()

    def terminate(self) -> int:
        """As an operator would; the exit code."""
        self._process.send_signal(signal.SIGTERM)
        code = self._process.wait(timeout=ANSWER_SECONDS)
        self._close()
        return code

    def _close(self) -> None:
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._log.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self.kill()


class TableClient:
    """A table controller as a stranger would write one from the protocol."""

    def __init__(self, ws: aiohttp.ClientWebSocketResponse) -> None:
        self.ws = ws
        self.welcome: Message = {}

    @classmethod
    @contextlib.asynccontextmanager
    async def connect(cls, url: str, table: str, key: str) -> AsyncIterator[Self]:
        async with (
            aiohttp.ClientSession() as session,
            session.ws_connect(
                f"{url}/v1/tables/{table}/socket",
                headers={"Authorization": f"Bearer {key}"},
                protocols=["progressive.table.v1"],
            ) as ws,
        ):
            client = cls(ws)
            client.welcome = await client.receive()
            yield client

    async def receive(self) -> Message:
        """The next message; a close is an error here."""
        frame = await self.ws.receive(timeout=ANSWER_SECONDS)
        assert frame.type is aiohttp.WSMsgType.TEXT, (frame.type, self.ws.close_code, frame.extra)
        message: Message = json.loads(frame.data)
        return message

    async def receive_close(self) -> int | None:
        """The code this socket is closed with, whatever is said before."""
        async with asyncio.timeout(ANSWER_SECONDS):
            async for _ in self.ws:
                pass
        return self.ws.close_code

    async def ask(self, message: Message) -> Message:
        """Send, and wait for the answer."""
        await self.ws.send_str(json.dumps(message))
        return await self.receive()


def issue_key(data: Path, table: str) -> str:
    return TableKeys(data).issue(TableId(table))


def wager(seat: int, **changes: Any) -> Message:  # noqa: ANN401 (any field, also a wrong one)
    return {
        "seat": seat,
        "bet": "blazing7",
        "amount_cents": 500,
        "base_cents": 2500,
        "tender": "chip",
        **changes,
    }


def lock(seq: int, round_id: str, seats: Sequence[int] = (1,), **changes: Any) -> Message:  # noqa: ANN401
    return {
        "type": "lock",
        "seq": seq,
        "round": round_id,
        "wagers": [wager(seat) for seat in seats],
        "chips_counted": len(seats),
        **changes,
    }


def settle(seq: int, round_id: str, **changes: Any) -> Message:  # noqa: ANN401
    return {
        "type": "settle",
        "seq": seq,
        "round": round_id,
        "dealer": {"cards": []},
        "seats": [],
        "complete": False,
        **changes,
    }


def void(seq: int, round_id: str, reason: str = "misdeal") -> Message:
    return {"type": "void", "seq": seq, "round": round_id, "reason": reason}


def run_command(*arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:  # noqa: ANN401
    """The real command line, in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "progressive", *map(str, arguments)],
        cwd=options.pop("cwd", ROOT),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        **options,
    )


def run_inside(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """The command line inside the test, where only its words and its exit code count."""
    words = [str(each) for each in arguments]
    ended = CliRunner().invoke(main, words)
    if ended.exception is not None and not isinstance(ended.exception, SystemExit):
        raise ended.exception
    return subprocess.CompletedProcess(words, ended.exit_code, ended.stdout, ended.stderr)
