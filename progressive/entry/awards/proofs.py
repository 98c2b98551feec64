"""Award proofs over HTTP: the file for staff to hand out, and the page that checks one."""

from collections.abc import Callable
from typing import Final
from urllib.parse import urlencode

from aiohttp import web

from display.assets import asset_routes
from progressive.application.awards.proof import AwardProof, HoldsNamesError, award_proof
from progressive.application.awards.sheet import NoSheetError
from progressive.application.journal.ports import JournalReader
from progressive.application.seals.proving import NotSealedError, NotYetSealedError, SealReading
from progressive.domain.people.roles import Act
from progressive.entry.http.errors import RefusedError
from progressive.entry.http.links import Links
from progressive.entry.http.page_shell import PageShell
from progressive.entry.http.past import read_past
from progressive.entry.http.templates import WEB_FOLDER
from progressive.entry.people.door import Door

SUFFIX: Final = ".award-proof"


class ProofPages:
    """`/v1/awards/{award}/proof` and `/proof`."""

    def __init__(
        self,
        links: Links,
        journal: JournalReader,
        seals: SealReading,
        door: Door,
        shell: PageShell,
        *,
        seals_soon: Callable[[], bool],
    ) -> None:
        """`seals_soon`: whether this service seals, so that a first seal is on its way."""
        self._links = links
        self._journal = journal
        self._seals = seals
        self._door = door
        self._shell = shell
        self._seals_soon = seals_soon

    def routes(self) -> list[web.AbstractRouteDef]:
        """The addresses these live at."""
        return [
            web.get("/v1/awards/{award}/proof", self.proof),
            web.get("/proof", self.page),
            *asset_routes("/assets/proof", WEB_FOLDER / "proof"),
        ]

    async def proof(self, request: web.Request) -> web.Response:
        """GET /v1/awards/{award}/proof: a file to hand out."""
        await self._door.require(request, Act.VIEW_SHEET)
        made = await self.read(request)
        response = web.Response(text=made.text, content_type="text/plain")
        response.headers["Content-Disposition"] = f'attachment; filename="{made.award}{SUFFIX}"'
        return response

    async def page(self, request: web.Request) -> web.Response:
        """GET /proof: for anybody; what is checked never leaves the browser."""
        return await self._shell.open_to_all(request, "proof.html")

    async def read(self, request: web.Request) -> AwardProof:
        """The proof of the award in the address; raises RefusedError."""
        award = request.match_info["award"]
        worker, seq = self._links.made(award)
        link, last_seq = worker.rules.id, worker.view.seq
        try:
            return await read_past(
                request,
                worker,
                lambda: award_proof(
                    self._journal, self._seals, link, award, seq, last_seq=last_seq
                ),
            )
        except NoSheetError as error:
            raise RefusedError(404, "UNKNOWN_AWARD", f"no award {award!r}: {error}") from None
        except HoldsNamesError as error:
            raise RefusedError(409, "HOLDS_NAMES", str(error)) from None
        except NotSealedError as error:
            if self._seals_soon():
                raise _not_yet(award, error) from None
            why = f"{error}: the service runs without a seal key"
            raise RefusedError(404, "NOT_SEALED", why) from None
        except NotYetSealedError as error:
            raise _not_yet(award, error) from None


def _not_yet(award: str, error: Exception) -> RefusedError:
    why = f"award {award} is not sealed yet ({error}): try again in a minute"
    return RefusedError(409, "NOT_SEALED_YET", why)


def facts_url(request: web.Request, proof: AwardProof) -> str:
    """The page that checks proofs, with what a printed sheet can hold of one.

    Behind the hash sign: a browser sends none of it to the service.
    """
    facts = {
        "award": proof.award,
        "leaf": proof.leaf.hex(),
        "size": proof.size,
        "root": proof.root.hex(),
    }
    return f"{request.url.origin()}/proof#{urlencode(facts)}"
