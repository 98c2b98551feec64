"""What the bookkeeper said, over HTTP: a file, or an error in the one form of all errors."""

import asyncio
from typing import Final

from aiohttp import web

from progressive.application.finance.desk import asked as codes
from progressive.application.finance.desk.asked import Answer, Asked
from progressive.entry.finance.finance import Finance
from progressive.entry.http.errors import RefusedError
from progressive.entry.http.leaving import while_connected

_STATUS: Final = {
    codes.BUSY: 503,
    codes.BAD_DAY: 400,
    codes.BAD_QUESTION: 400,
    codes.BAD_TIME: 400,
    codes.UNKNOWN_FORMAT: 400,
    codes.TOO_LARGE: 400,
    codes.UNKNOWN_REPORT: 404,
    codes.UNKNOWN_LINK: 404,
    codes.UNKNOWN_TABLE: 404,
    codes.UNKNOWN_METER: 404,
    codes.UNKNOWN_MAPPING: 404,
    codes.BAD_FILE: 400,
    codes.PURGED: 410,
    codes.DAMAGED: 503,
    codes.UNAVAILABLE: 503,
    codes.FAILED: 500,
}
_WAIT: Final = {"Retry_After": "2"}
IN_ONE_PIECE_BYTES: Final = 2**20
"""What is larger is passed on piece by piece, as fast as it is taken."""
SENT_AT_ONCE_MAX: Final = 4
"""Large files on their way: each is in memory until it has been taken."""
SEND_SECONDS: Final = 300.0
_SHOWN: Final = frozenset({".pdf", ".html", ".txt", ".json"})
"""What a browser shows by itself; anything else it stores."""
# A report brings its own style and nothing else: no script, nothing from anywhere.
REPORT_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; "
    "frame-ancestors 'self'; base-uri 'none'; form-action 'none'"
)


class Answers:
    """Asks for requests, and sends what comes."""

    def __init__(self, finance: Finance) -> None:
        self._finance = finance
        self._sending = 0

    async def ask(self, request: web.Request, question: Asked) -> Answer:
        """A good answer; raises RefusedError. Who leaves meanwhile is forgotten."""
        answer = await while_connected(request, self._finance.ask(question))
        if answer.code:
            headers = _WAIT if answer.code == codes.BUSY else {}
            raise RefusedError(_STATUS[answer.code], answer.code, answer.message, **headers)
        return answer

    async def look(self, question: Asked) -> Answer | None:
        """An answer that is good to have, whoever has left meanwhile; None where there is none."""
        answer = await self._finance.ask(question)
        return None if answer.code else answer

    async def send(self, request: web.Request, question: Asked) -> web.StreamResponse:
        """The file that a question asks for."""
        answer = await self.ask(request, question)
        headers = {"Content-Type": answer.media_type}
        if answer.file_name:
            shown = any(answer.file_name.endswith(each) for each in _SHOWN)
            kind = "inline" if shown else "attachment"
            headers["Content-Disposition"] = f'{kind}; filename="{answer.file_name}"'
        if answer.media_type.startswith("text/html"):
            headers["Content-Security-Policy"] = REPORT_POLICY
        size = sum(len(part) for part in answer.parts)
        if size <= IN_ONE_PIECE_BYTES:
            return web.Response(body=answer.body, headers=headers)
        if self._sending >= SENT_AT_ONCE_MAX:
            message = "too many large files are being sent: try again"
            raise RefusedError(503, codes.BUSY, message, **_WAIT)
        self._sending += 1
        try:
            return await self._send_large(request, answer, headers, size)
        finally:
            self._sending -= 1

    async def _send_large(
        self, request: web.Request, answer: Answer, headers: dict[str, str], size: int
    ) -> web.StreamResponse:
        response = web.StreamResponse(headers=headers)
        response.content_length = size
        try:
            async with asyncio.timeout(SEND_SECONDS):
                await response.prepare(request)
                for part in answer.parts:
                    await response.write(part)
                await response.write_eof()
        except TimeoutError:
            # Nothing can be said any more: an answer that ends early is seen by its length.
            raise ConnectionResetError("a file was not taken in time") from None
        return response
