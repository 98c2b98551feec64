"""One question to a witness over HTTP, in a thread that waits for the answer."""

import http.client
import ssl
from typing import Final
from urllib.parse import urlsplit

from progressive.application.seals.witnessing import ANSWER_BYTES_MAX, Answer

TIMEOUT_SECONDS: Final = 10.0
PATH: Final = "/add-checkpoint"


def add_checkpoint(url: str, body: bytes, *, timeout_seconds: float = TIMEOUT_SECONDS) -> Answer:
    """POST it; whatever goes wrong is an answer of status 0."""
    try:
        place = urlsplit(url)
        connection = _connection(place.scheme, place.hostname or "", place.port, timeout_seconds)
    except (ValueError, OSError) as error:
        return Answer(0, why=_in_words(error))
    try:
        headers = {"Content-Type": "text/plain; charset=utf-8", "Connection": "close"}
        connection.request("POST", f"{place.path.rstrip('/')}{PATH}", body=body, headers=headers)
        answer = connection.getresponse()
        content = answer.read(ANSWER_BYTES_MAX + 1)
        if len(content) > ANSWER_BYTES_MAX:
            return Answer(0, why="the answer is too long")
        return Answer(answer.status, content, answer.headers.get("Content-Type", ""))
    except (OSError, http.client.HTTPException, ValueError) as error:
        return Answer(0, why=_in_words(error))
    finally:
        connection.close()


def _connection(
    scheme: str, host: str, port: int | None, timeout_seconds: float
) -> http.client.HTTPConnection:
    if scheme == "https":
        context = ssl.create_default_context()
        return http.client.HTTPSConnection(host, port, timeout=timeout_seconds, context=context)
    return http.client.HTTPConnection(host, port, timeout=timeout_seconds)


def _in_words(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "no answer in time"
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate cannot be verified ({error.verify_message})"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__
