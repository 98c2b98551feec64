"""The one form of every HTTP error: `{"error":{"code","message"}}` with the fitting status."""

import logging
import secrets
from collections.abc import Awaitable, Callable
from typing import Final

from aiohttp import web

from progressive.application.journal.ports import StoreError
from progressive.wire.codec import encode

log = logging.getLogger(__name__)

INTERNAL_ERROR: Final = "INTERNAL_ERROR"

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class ErrorAnswer(web.Response):
    """An error as an answer, in its JSON form; what it says can still be read from it."""

    def __init__(self, status: int, code: str, message: str) -> None:
        body = encode({"error": {"code": code, "message": message}})
        super().__init__(body=body, status=status, content_type="application/json")
        self.code = code
        self.message = message


def error(status: int, code: str, message: str) -> ErrorAnswer:
    """An error as an answer."""
    return ErrorAnswer(status, code, message)


class RefusedError(Exception):
    """An error from where no answer can be returned."""

    def __init__(self, status: int, code: str, message: str, **headers: str) -> None:
        super().__init__(f"{status} {code}: {message}")
        self.response = error(status, code, message)
        for name, value in headers.items():
            self.response.headers[name.replace("_", "-")] = value


@web.middleware
async def errors_as_json(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Our refusals, aiohttp's own (no such page, no such method) and bugs, in that form."""
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
    except ConnectionError:
        raise
    except Exception:
        if request.writer.output_size > 0:
            # An answer has begun, a socket's too: nothing can be said any more.
            raise
        reference = secrets.token_hex(4)
        log.exception(
            "unexpected error while answering a request",
            extra={"method": request.method, "path": request.path, "reference": reference},
        )
        return error(500, INTERNAL_ERROR, f"unexpected error, reference {reference}")
