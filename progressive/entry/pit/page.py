"""The page of the pit console. What it shows comes over the pit socket."""

from aiohttp import web

from display.assets import asset_routes
from progressive.domain.people.roles import Act
from progressive.entry.http.page_shell import PageShell
from progressive.entry.http.templates import WEB_FOLDER


class PitPages:
    """`/pit`."""

    def __init__(self, shell: PageShell) -> None:
        self._shell = shell

    def routes(self) -> list[web.AbstractRouteDef]:
        """The addresses it lives at."""
        return [web.get("/pit", self.page), *asset_routes("/assets/pit", WEB_FOLDER / "pit")]

    async def page(self, request: web.Request) -> web.Response:
        """GET /pit."""
        return await self._shell.for_staff(request, "pit.html", Act.LIST_AWARDS)
