"""The one form of every HTTP error: `{"error":{"code","message"}}` with the fitting status."""

import logging
from collections.abc import Awaitable, Callable

from aiohttp import web

from progressive.application.journal.ports import StoreError
from progressive.wire.codec import encode

log = logging.getLogger(__name__)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def error(status: int, code: str, message: str) -> web.Response:
    """An error as an answer."""
    body = encode({"error": {"code": code, "message": message}})
    return web.json_response(body=body, status=status)


class RefusedError(Exception):
    """An error from where no answer can be returned."""

    def __init__(self, status: int, code: str, message: str, **headers: str) -> None:
        super().__init__(f"{status} {code}: {message}")
        self.response = error(status, code, message)
        for name, value in headers.items():
            self.response.headers[name.replace("_", "-")] = value


@web.middleware
async def errors_as_json(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Our refusals, and aiohttp's own (no such page, no such method), in that form."""
    try:
        return await handler(request)
    except RefusedError as refused:
        return refused.response
    except StoreError as broken:
        log.error("a store failed", extra={"path": request.path, "why": str(broken)})
        return error(503, "UNAVAILABLE", "what this needs cannot be read or written now")
    except web.HTTPException as refused:
        if refused.status < 400 or refused.content_type == "application/json":
            raise
        code = refused.reason.upper().replace(" ", "_")
        return error(refused.status, code, f"{request.method} {request.path}: {refused.reason}")
