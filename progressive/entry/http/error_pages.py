"""Errors as pages, for people in a browser. Everybody else keeps the JSON."""

from typing import Final

from aiohttp import web

from progressive.application.journal.ports import StoreError
from progressive.domain.people.roles import Person
from progressive.entry.http.accept import is_for_programs, wants_page
from progressive.entry.http.errors import ErrorAnswer, Handler
from progressive.entry.http.page_shell import PageShell
from progressive.entry.http.problems import problem
from progressive.entry.people.door import Door

_CARRIED: Final = ("Retry-After",)
"""Headers of the error that browsers understand."""


class ErrorPages:
    """Stands outside of what turns exceptions into answers."""

    def __init__(self, shell: PageShell, door: Door) -> None:
        self._shell = shell
        self._door = door

    @web.middleware
    async def negotiate(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """An error in the form that the one who asks can read."""
        answer = await handler(request)
        if not isinstance(answer, ErrorAnswer) or is_for_programs(request):
            return answer
        if wants_page(request):
            answer = await self._page(request, answer)
        # No cache may give the one form to who asked for the other.
        answer.headers["Vary"] = "Accept"
        return answer

    async def _page(self, request: web.Request, answer: ErrorAnswer) -> web.Response:
        person = await self._person(request)
        page = self._shell.problem(
            request, person, problem(answer.status, answer.code, answer.message)
        )
        for name in _CARRIED:
            if name in answer.headers:
                page.headers[name] = answer.headers[name]
        return page

    async def _person(self, request: web.Request) -> Person | None:
        try:
            return await self._door.visitor(request)
        except StoreError:
            # That may be the very error; the page is then the one that strangers see.
            return None
