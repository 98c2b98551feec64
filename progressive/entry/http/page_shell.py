"""What all staff pages have in common: the frame, who looks at it, and the way to the sign-in.

A page holds names and no amounts: those come over sockets and requests that ask for the role.
"""

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlencode

from aiohttp import web

from display.assets import asset_routes
from progressive.domain.people.roles import Act, Person, Unfit, may, unfit
from progressive.domain.rulebook.rules import FloorRules
from progressive.entry.http.problems import Problem, problem
from progressive.entry.http.templates import WEB_FOLDER, service_templates
from progressive.entry.people.door import Door

SIGN_IN: Final = "/sign-in"


class PageShell:
    """Fills templates in, for whoever asks."""

    def __init__(self, floor: FloorRules, door: Door, *, notice: str = "") -> None:
        """`notice`: what every page says above all else."""
        self._door = door
        self._templates = service_templates(floor)
        self._templates.globals["notice"] = notice

    def routes(self) -> list[web.AbstractRouteDef]:
        """The files that every staff page loads."""
        return asset_routes("/assets/staff", WEB_FOLDER / "staff")

    async def open_to_all(
        self, request: web.Request, template: str, **values: object
    ) -> web.Response:
        """A page that anyone may see; it knows who looks, if anybody is signed in."""
        return self.rendered(template, await self._door.visitor(request), values)

    async def for_staff(
        self, request: web.Request, template: str, act: Act, **values: object
    ) -> web.Response:
        """A page for those who may `act`; others sign in first, or are told that they may not."""
        person = await self.signed_in(request)
        if not may(person.role, act):
            return self.problem(request, person, problem(403, Unfit.WRONG_ROLE, ""))
        return self.rendered(template, person, values)

    async def signed_in(self, request: web.Request) -> Person:
        """Who looks at a page; a stranger signs in first, and comes back."""
        person = await self._door.visitor(request)
        if person is None:
            raise web.HTTPFound(f"{SIGN_IN}?{urlencode({'next': request.path_qs})}")
        return person

    def problem(
        self, request: web.Request, person: Person | None, problem: Problem
    ) -> web.Response:
        """The page about an error."""
        values = {"problem": problem, "asked": request.path, "back": request.path_qs}
        return self.rendered("problem.html", person, values, status=problem.status)

    def rendered(
        self,
        template: str,
        person: Person | None,
        values: Mapping[str, object],
        *,
        status: int = 200,
    ) -> web.Response:
        """A page as this person sees it; whether they may is for the caller to ask."""
        acts = [] if person is None else [act for act in Act if unfit(person, act) is None]
        text = self._templates.get_template(template).render(person=person, acts=acts, **values)
        response = web.Response(text=text, content_type="text/html", status=status)
        # It says who is signed in: no later visitor may find it in a cache.
        response.headers["Cache-Control"] = "no-store"
        return response
