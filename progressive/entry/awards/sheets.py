"""The settlement sheet over HTTP: as JSON, and as a page to print."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from importlib import resources
from typing import Final
from zoneinfo import ZoneInfo

from aiohttp import web
from jinja2 import Environment
from markupsafe import Markup

from progressive.application.awards.sheet import NoSheetError, Sheet, settlement_sheet
from progressive.application.journal.record import JournalBrokenError
from progressive.application.link.ports import Store
from progressive.domain.money import exact_money_text, money_text
from progressive.domain.people.roles import Act
from progressive.domain.rulebook.line_names import line_name_on
from progressive.domain.rulebook.rules import FloorRules, LinkRules
from progressive.entry.http.errors import RefusedError
from progressive.entry.http.links import Links, answered
from progressive.entry.people.door import Door

_WEB: Final = resources.files("progressive.entry").joinpath("web")
_SUITS: Final = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}


class PaperSheet:
    """A sheet as a page to print: every sum on it can be done again with the figures on it."""

    def __init__(self, floor: FloorRules) -> None:
        self._floor = floor
        environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
        zone = ZoneInfo(floor.time_zone)
        environment.filters |= {
            "money": lambda cents: money_text(cents, floor.currency),
            "exact": lambda amount: exact_money_text(amount, floor.currency),
            "local": lambda at: _local(at, zone),
        }
        environment.globals["cards"] = _cards
        self._template = environment.from_string(_WEB.joinpath("sheet.html").read_text("utf-8"))

    def html(self, sheet: Sheet, rules: LinkRules) -> str:
        """The page; `rules` of its link name the lines."""
        names = partial(line_name_on, rules)
        return self._template.render(sheet=sheet, floor=self._floor.name, line_name=names)


class SheetPages:
    """`/v1/awards/{award}/sheet` and `/sheet/{award}`."""

    def __init__(self, links: Links, store: Store, door: Door, floor: FloorRules) -> None:
        self._links = links
        self._store = store
        self._door = door
        self._paper = PaperSheet(floor)
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
        rules = self._links.made(request.match_info["award"])[0].rules
        return web.Response(text=self._paper.html(sheet, rules), content_type="text/html")

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
