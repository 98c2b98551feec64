"""The page of sign administration. What changes on it comes over the pit socket."""

from collections.abc import Callable, Mapping

from aiohttp import web
from msgspec import Struct

from display.assets import asset_routes
from progressive.domain.people.roles import Act
from progressive.domain.rulebook.rules import FloorRules
from progressive.entry.http.page_shell import PageShell
from progressive.entry.http.templates import WEB_FOLDER
from progressive.wire.signs import SignCard


class Drawing(Struct, frozen=True):
    """What a thumbnail is drawn from: names only, an amount belongs on the sign itself."""

    card: SignCard
    meters: list[str]
    """The names of the meters it shows, in its order."""


class SignsPage:
    """`/signs`."""

    def __init__(
        self, rules: FloorRules, cards: Mapping[str, Callable[[], SignCard]], shell: PageShell
    ) -> None:
        self._cards = cards
        self._shell = shell
        self._names: dict[str, dict[str, str]] = {
            link.id: {meter.id: meter.name for meter in link.terms.meters} for link in rules.links
        }

    def routes(self) -> list[web.AbstractRouteDef]:
        """The addresses it lives at."""
        return [web.get("/signs", self.page), *asset_routes("/assets/signs", WEB_FOLDER / "signs")]

    async def page(self, request: web.Request) -> web.Response:
        """GET /signs."""
        drawings = [self._drawing(card()) for card in self._cards.values()]
        return await self._shell.for_staff(request, "signs.html", Act.VIEW_SIGNS, drawings=drawings)

    def _drawing(self, card: SignCard) -> Drawing:
        names = self._names[card.link]
        return Drawing(card, [names[meter] for meter in card.meters or names])
