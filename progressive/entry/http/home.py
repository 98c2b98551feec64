"""The landing page and the sign-in: what this is, how every link is, and the way to every page."""

from aiohttp import web

from progressive.domain.rulebook.rules import FloorRules
from progressive.entry.http.page_shell import SIGN_IN, PageShell


class HomePages:
    """`/` and `/sign-in`."""

    def __init__(self, floor: FloorRules, shell: PageShell) -> None:
        self._floor = floor
        self._shell = shell

    def routes(self) -> list[web.AbstractRouteDef]:
        """The addresses these live at."""
        return [web.get("/", self.home), web.get(SIGN_IN, self.sign_in), *self._shell.routes()]

    async def home(self, request: web.Request) -> web.Response:
        """GET /."""
        return await self._shell.open_to_all(request, "home.html", signs=self._floor.signs)

    async def sign_in(self, request: web.Request) -> web.Response:
        """GET /sign-in?next=PATH."""
        return await self._shell.open_to_all(request, "sign_in.html")
