"""The settlement sheet over HTTP: as JSON, and as a page to print."""

from collections.abc import Sequence
from datetime import datetime
from importlib import resources
from typing import Final
from zoneinfo import ZoneInfo

from aiohttp import web
from jinja2 import Environment
from markupsafe import Markup

from progressive.application.awards.sheet import NoSheetError, Sheet, settlement_sheet
from progressive.application.journal.record import JournalBrokenError
from progressive.application.link.ports import Store
from progressive.domain.money import MICROCENTS_PER_CENT, dollars
from progressive.domain.people.roles import Act
from progressive.domain.rulebook.rules import FloorRules
from progressive.entry.http.errors import RefusedError
from progressive.entry.http.links import Links, answered
from progressive.entry.people.door import Door

_WEB: Final = resources.files("progressive.entry").joinpath("web")
_SUITS: Final = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}


class SheetPages:
    """`/v1/awards/{award}/sheet` and `/sheet/{award}`."""

    def __init__(self, links: Links, store: Store, door: Door, floor: FloorRules) -> None:
        self._links = links
        self._store = store
        self._door = door
        self._floor = floor
        environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
        zone = ZoneInfo(floor.time_zone)
        environment.filters |= {
            "money": dollars,
            "micro": lambda amount: dollars(amount // MICROCENTS_PER_CENT),
            "local": lambda at: _local(at, zone),
        }
        environment.globals["cards"] = _cards
        self._page = environment.from_string(_WEB.joinpath("sheet.html").read_text("utf-8"))
        self._style = _WEB.joinpath("sheet.css").read_bytes()

    def routes(self) -> list[web.AbstractRouteDef]:
        """The addresses these live at."""
        return [
            web.get("/v1/awards/{award}/sheet", self.sheet),
            web.get("/sheet/{award}", self.page),
            web.get("/assets/sheet.css", self.style),
        ]

    async def sheet(self, request: web.Request) -> web.Response:
        """GET /v1/awards/{award}/sheet."""
        return answered({"sheet": await self._read(request)})

    async def page(self, request: web.Request) -> web.Response:
        """GET /sheet/{award}: the same, to print."""
        sheet = await self._read(request)
        text = self._page.render(sheet=sheet, floor=self._floor.name)
        return web.Response(text=text, content_type="text/html")

    async def style(self, request: web.Request) -> web.Response:
        """The page's one stylesheet."""
        return web.Response(body=self._style, content_type="text/css", charset="utf-8")

    async def _read(self, request: web.Request) -> Sheet:
        await self._door.require(request, Act.VIEW_SHEET)
        award = request.match_info["award"]
        worker, seq = self._links.made(award)
        try:
            return await settlement_sheet(
                self._store, worker.rules.id, seq, last_seq=worker.view.seq
            )
        except NoSheetError as error:
            raise RefusedError(404, "UNKNOWN_AWARD", f"no award {award!r}: {error}") from None
        except JournalBrokenError as error:
            raise RefusedError(503, "LINK_INOPERABLE", str(error)) from None


def _local(at: str, zone: ZoneInfo) -> str:
    return datetime.fromisoformat(at).astimezone(zone).strftime("%Y-%m-%d %H:%M:%S %Z")


def _cards(cards: Sequence[str]) -> Markup:
    """Cards as a person reads them; they were checked before they were kept."""
    face = Markup('<span class="card{}">{}{}</span>')
    return Markup("").join(
        face.format(
            " red" if card[1] in "hd" else "", "10" if card[0] == "T" else card[0], _SUITS[card[1]]
        )
        for card in cards
    )
