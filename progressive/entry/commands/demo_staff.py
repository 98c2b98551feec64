"""The demo floor's people at work: a supervisor validates awards, the cage approves and pays them.

They do what people do, over the HTTP that people use, with the passwords of this run. The newest
awards are left for whoever looks at the demo and wants to try it.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from typing import Final
from urllib.parse import quote

import aiohttp
import msgspec
from msgspec import Struct

from progressive.entry.commands.demo_people import DemoLogIn

LOOK_SECONDS: Final = 2.0
REQUEST_SECONDS: Final = 10.0
LEFT_OPEN: Final = 2
"""Of the open awards, how many of the newest nobody touches."""

SUPERVISOR: Final = "demo-supervisor"
CASHIER: Final = "demo-cashier"
# Neither of the supervisor's department nor the one who pays: enough for the demo floor's steps.
APPROVERS: Final = ("demo-finance", "demo-accountant")


class StaffError(Exception):
    """The service did not let somebody do their work; says who, what and why."""


class OpenAward(Struct, frozen=True):
    """An award as the list tells it, as far as the staff looks."""

    award: str
    status: str
    table: str = ""
    round: str = ""
    pays_from: str = ""
    approvers: int = 0
    approved_by: list["_Signed"] = []
    void_proposed_by: "_Signed | None" = None


class _Signed(Struct, frozen=True):
    name: str


class _Listed(Struct, frozen=True):
    awards: list[OpenAward]


class _Token(Struct, frozen=True):
    token: str


class DemoStaff:
    """Who works, and what they have done so far."""

    def __init__(self, session: aiohttp.ClientSession, people: Sequence[DemoLogIn]) -> None:
        self._session = session
        self._passwords = {each.person.name: each.password for each in people}
        self._tokens: dict[str, str] = {}
        self.validated = 0
        self.paid = 0
        self.trouble: str | None = None
        """What kept them from their work the last time they tried."""

    async def work_until(self, stop: asyncio.Event) -> None:
        """Look, act, wait. What is begun is finished: nobody hangs up on the service."""
        while not stop.is_set():
            try:
                await self.work_once(stop)
                self.trouble = None
            except (StaffError, aiohttp.ClientError, OSError, msgspec.DecodeError) as error:
                self.trouble = str(error) or type(error).__name__
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await stop.wait()

    async def work_once(self, stop: asyncio.Event | None = None) -> None:
        """One look at the list: every award but the newest is validated, approved and paid."""
        waiting = [each for each in await self._open_awards() if each.void_proposed_by is None]
        confirmed: set[tuple[str, str]] = set()
        for award in waiting[: max(0, len(waiting) - LEFT_OPEN)]:
            if stop is not None and stop.is_set():
                return
            if award.pays_from != "rack" or (award.table, award.round) not in confirmed:
                await self._handle(award)
            confirmed.add((award.table, award.round))

    async def _open_awards(self) -> list[OpenAward]:
        """Oldest first; a validated one was somebody's before the pending ones."""
        found: list[OpenAward] = []
        for status in ("validated", "pending"):
            body = await self._ask(SUPERVISOR, "GET", f"/v1/awards?status={status}")
            found += msgspec.json.decode(body, type=_Listed).awards
        return found

    async def _handle(self, award: OpenAward) -> None:
        at = f"/v1/awards/{award.award}"
        if award.pays_from == "rack":
            # Where the floor file asks for it: the round's payouts together, then the rack pays.
            asked = f"/v1/tables/{quote(award.table)}/rounds/{quote(award.round, safe='')}/validate"
            await self._ask(SUPERVISOR, "POST", asked)
            self.validated += 1
            return
        if award.status == "pending":
            await self._ask(SUPERVISOR, "POST", f"{at}/validate")
            self.validated += 1
        signed = {each.name for each in award.approved_by}
        fresh = [name for name in APPROVERS if name not in signed]
        for name in fresh[: max(0, award.approvers - len(signed))]:
            await self._ask(name, "POST", f"{at}/approve")
        await self._ask(CASHIER, "POST", f"{at}/pay")
        self.paid += 1

    async def _ask(self, name: str, method: str, path: str) -> bytes:
        """A request in somebody's name; an expired session is opened again, once."""
        for _ in range(2):
            if name not in self._tokens:
                await self._log_in(name)
            headers = {"Authorization": f"Bearer {self._tokens[name]}"}
            data = b"{}" if method == "POST" else None
            async with self._session.request(method, path, headers=headers, data=data) as response:
                body = await response.read()
            if response.status == 401:
                del self._tokens[name]
                continue
            if response.status < 300:
                return body
            raise StaffError(f"{name}: {method} {path}: {response.status} {body[:200].decode()}")
        raise StaffError(f"{name} cannot log in")

    async def _log_in(self, name: str) -> None:
        credentials = {"user": name, "password": self._passwords[name]}
        async with self._session.post("/v1/sessions", json=credentials) as response:
            body = await response.read()
        if response.status != 200:
            raise StaffError(f"{name} cannot log in: {response.status} {body[:200].decode()}")
        self._tokens[name] = msgspec.json.decode(body, type=_Token).token


@contextlib.asynccontextmanager
async def a_staff(url: str, people: Sequence[DemoLogIn]) -> AsyncIterator[DemoStaff]:
    """The staff at work as long as the block lasts."""
    timeout = aiohttp.ClientTimeout(total=REQUEST_SECONDS)
    # No cookies: several people work through one session.
    jar = aiohttp.DummyCookieJar()
    async with aiohttp.ClientSession(url, timeout=timeout, cookie_jar=jar) as session:
        staff, stop = DemoStaff(session, people), asyncio.Event()
        working = asyncio.create_task(staff.work_until(stop))
        try:
            yield staff
        finally:
            stop.set()
            await working
