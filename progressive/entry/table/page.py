"""The dealer panel's page: `/table/{table}` and its files."""

from aiohttp import web

from display.assets import asset_routes
from progressive.domain.ids import TableId
from progressive.domain.people.roles import Act
from progressive.domain.rulebook.rules import FloorRules
from progressive.entry.http.errors import RefusedError
from progressive.entry.http.page_shell import PageShell
from progressive.entry.http.templates import WEB_FOLDER


class TablePages:
    """`/table/{table}`."""

    def __init__(self, floor: FloorRules, shell: PageShell) -> None:
        self._shell = shell
        self._links = {table.id: link for link in floor.links for table in link.tables}

    def routes(self) -> list[web.AbstractRouteDef]:
        """The addresses these live at."""
        return [
            web.get("/table/{table}", self.table),
            *asset_routes("/assets/table", WEB_FOLDER / "table"),
        ]

    async def table(self, request: web.Request) -> web.Response:
        """GET /table/{table}: for dealers."""
        table = TableId(request.match_info["table"])
        link = self._links.get(table)
        if link is None:
            raise RefusedError(404, "UNKNOWN_TABLE", f"no table {table!r}")
        return await self._shell.for_staff(
            request, "table.html", Act.SIGN_ON_TABLE, table=table, link=link
        )
