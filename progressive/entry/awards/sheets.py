"""The settlement sheet over HTTP: as JSON, and as a page to print."""

from functools import partial

from aiohttp import web

from progressive.application.awards.sheet import NoSheetError, Sheet, settlement_sheet
from progressive.application.journal.ports import JournalReader
from progressive.domain.people.roles import Act
from progressive.domain.rulebook.line_names import line_name_on
from progressive.entry.awards.proofs import ProofPages, facts_url
from progressive.entry.awards.qr_code import qr_svg
from progressive.entry.http.accept import wants_page
from progressive.entry.http.errors import RefusedError
from progressive.entry.http.links import Links, answered
from progressive.entry.http.page_shell import PageShell
from progressive.entry.http.past import read_past
from progressive.entry.http.templates import WEB_FOLDER
from progressive.entry.people.door import Door


class SheetPages:
    """`/v1/awards/{award}/sheet` and `/sheet/{award}`."""

    def __init__(
        self,
        links: Links,
        journal: JournalReader,
        door: Door,
        shell: PageShell,
        proofs: ProofPages,
    ) -> None:
        self._links = links
        self._journal = journal
        self._door = door
        self._shell = shell
        self._proofs = proofs
        self._style = (WEB_FOLDER / "sheet.css").read_bytes()

    def routes(self) -> list[web.AbstractRouteDef]:
        """The addresses these live at."""
        return [
            web.get("/v1/awards/{award}/sheet", self.sheet),
            web.get("/sheet/{award}", self.page),
            web.get("/assets/sheet.css", self.style),
        ]

    async def sheet(self, request: web.Request) -> web.Response:
        """GET /v1/awards/{award}/sheet."""
        await self._door.require(request, Act.VIEW_SHEET)
        return answered({"sheet": await self._read(request)})

    async def page(self, request: web.Request) -> web.Response:
        """GET /sheet/{award}: the same, to print."""
        if wants_page(request):
            await self._shell.signed_in(request)
        person = await self._door.require(request, Act.VIEW_SHEET)
        sheet = await self._read(request)
        worker, _ = self._links.made(request.match_info["award"])
        values = {
            "sheet": sheet,
            "line_name": partial(line_name_on, worker.rules),
            **await self._proof(request),
        }
        return self._shell.rendered("sheet.html", person, values)

    async def _proof(self, request: web.Request) -> dict[str, object]:
        """The award's seal as a QR code, or why there is none: the sheet is good without."""
        try:
            proof = await self._proofs.read(request)
        except RefusedError as refused:
            return {"proof": None, "why_no_proof": refused.response.message, "qr": None}
        url = facts_url(request, proof)
        return {"proof": proof, "why_no_proof": "", "qr": qr_svg(url)}

    async def style(self, request: web.Request) -> web.Response:
        """The page's one stylesheet."""
        return web.Response(body=self._style, content_type="text/css", charset="utf-8")

    async def _read(self, request: web.Request) -> Sheet:
        award = request.match_info["award"]
        worker, seq = self._links.made(award)
        link, last_seq = worker.rules.id, worker.view.seq
        try:
            return await read_past(
                request,
                worker,
                lambda: settlement_sheet(self._journal, link, seq, last_seq=last_seq),
            )
        except NoSheetError as error:
            raise RefusedError(404, "UNKNOWN_AWARD", f"no award {award!r}: {error}") from None
