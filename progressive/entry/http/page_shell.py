"""What all staff pages have in common: the frame, who looks at it, and the way to the sign-in.

A page holds names and no amounts: those come over sockets and requests that ask for the role.
"""

from pathlib import Path
from typing import Final
from urllib.parse import urlencode

from aiohttp import web
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from display.assets import asset_routes
from progressive.domain.people.roles import Act, Person, may
from progressive.domain.rulebook.rules import FloorRules
from progressive.entry.people.door import Door

WEB_FOLDER: Final = Path(__file__).parents[1] / "web"
SIGN_IN: Final = "/sign-in"


class PageShell:
    """Fills templates in, for whoever asks."""

    def __init__(self, floor: FloorRules, door: Door) -> None:
        self._door = door
        environment = Environment(
            loader=FileSystemLoader(WEB_FOLDER),
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
            undefined=StrictUndefined,
        )
        environment.globals |= {"floor": floor, "may": may, "Act": Act}
        self._templates = environment

    def routes(self) -> list[web.AbstractRouteDef]:
        """The files that every staff page loads."""
        return asset_routes("/assets/staff", WEB_FOLDER / "staff")

    async def open_to_all(
        self, request: web.Request, template: str, **values: object
    ) -> web.Response:
        """A page that anyone may see; it knows who looks, if anybody is signed in."""
        return self._rendered(template, await self._door.visitor(request), values)

    async def for_staff(
        self, request: web.Request, template: str, act: Act, **values: object
    ) -> web.Response:
        """A page for those who may `act`; others sign in first, or are told that they may not."""
        person = await self._door.visitor(request)
        if person is None:
            raise web.HTTPFound(f"{SIGN_IN}?{urlencode({'next': request.path_qs})}")
        if not may(person.role, act):
            return self._rendered("not_allowed.html", person, {"asked": request.path}, status=403)
        return self._rendered(template, person, values)

    def _rendered(
        self, template: str, person: Person | None, values: dict[str, object], *, status: int = 200
    ) -> web.Response:
        acts = [] if person is None else [act for act in Act if may(person.role, act)]
        text = self._templates.get_template(template).render(person=person, acts=acts, **values)
        response = web.Response(text=text, content_type="text/html", status=status)
        # It says who is signed in: no later visitor may find it in a cache.
        response.headers["Cache-Control"] = "no-store"
        return response
