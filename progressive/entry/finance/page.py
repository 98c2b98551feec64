"""The page of finance. What it shows comes from the report and day routes, as JSON."""

from aiohttp import web

from display.assets import asset_routes
from progressive.domain.people.roles import Act
from progressive.entry.http.page_shell import PageShell
from progressive.entry.http.templates import WEB_FOLDER


class FinancePage:
    """`/finance`."""

    def __init__(self, shell: PageShell) -> None:
        self._shell = shell

    def routes(self) -> list[web.AbstractRouteDef]:
        """The addresses it lives at."""
        assets = asset_routes("/assets/finance", WEB_FOLDER / "finance")
        return [web.get("/finance", self.page), *assets]

    async def page(self, request: web.Request) -> web.Response:
        """GET /finance."""
        return await self._shell.for_staff(request, "finance.html", Act.VIEW_REPORTS)
