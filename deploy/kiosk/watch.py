"""Watches a kiosk's page from beside the browser: tells systemd that it answers, and sends it home.

Asks the page itself, through the browser's debugging port. A page that does not answer, or a
browser that is gone, is not reported: systemd then ends the kiosk and starts it again. A page that
answers but is no sign (an error page, a proxy's excuse) is sent back to the waiting page, which
tries until the sign is there. Needs nothing but Debian's own Python.
"""

import base64
import json
import os
import socket
import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

LOOK_SECONDS = float(os.environ.get("LOOK_SECONDS", "10"))
ANSWER_SECONDS = 10.0
LOST_LOOKS_MAX = 3
"""Looks at something that is no sign, before the page is sent back to wait."""
FRAME_BYTES_MAX = 1 << 20

WAITING = Path(__file__).resolve().with_name("waiting.html")
WHAT_IS_SHOWN = (
    "document.body?.dataset.sign !== undefined ? 'sign' :"
    " document.body?.dataset.waiting !== undefined ? 'waiting' : 'other'"
)


class PageSilentError(Exception):
    """The browser or its page does not answer."""


class DebugSocket:
    """As much of a websocket client (RFC 6455) as questions to a browser on this machine need."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._socket = socket.create_connection(
            (parts.hostname or "", parts.port or 80), timeout=ANSWER_SECONDS
        )
        key = base64.b64encode(os.urandom(16)).decode()
        self._socket.sendall(
            f"GET {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
            "Sec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        self._reader = self._socket.makefile("rb")
        status = self._reader.readline()
        while self._reader.readline() not in (b"\r\n", b""):
            pass
        if b" 101 " not in status:
            raise PageSilentError(f"the browser answers {status!r}")

    def __enter__(self) -> "DebugSocket":
        return self

    def __exit__(self, *_: object) -> None:
        self._reader.close()
        self._socket.close()

    def ask(self, method: str, **parameters: object) -> dict[str, Any]:
        """One question, and its answer."""
        self._send(json.dumps({"id": 1, "method": method, "params": parameters}).encode())
        until = time.monotonic() + ANSWER_SECONDS
        while time.monotonic() < until:
            answer: dict[str, Any] = json.loads(self._receive())
            if answer.get("id") == 1:
                return answer
        raise PageSilentError("the page does not answer")

    def _send(self, payload: bytes) -> None:
        mask = os.urandom(4)
        masked = bytes(byte ^ mask[index % 4] for index, byte in enumerate(payload))
        self._socket.sendall(b"\x81\xfe" + len(payload).to_bytes(2, "big") + mask + masked)

    def _receive(self) -> bytes:
        """The next text; a browser on this machine sends whole frames."""
        head = self._reader.read(2)
        if len(head) < 2 or head[0] != 0x81:
            raise PageSilentError(f"an unexpected frame {head!r}")
        size = head[1]
        if size >= 126:
            size = int.from_bytes(self._reader.read(2 if size == 126 else 8), "big")
        if size > FRAME_BYTES_MAX:
            raise PageSilentError(f"a frame of {size} bytes")
        return self._reader.read(size)


def page_socket(port: int) -> DebugSocket:
    """The browser's page."""
    with urlopen(f"http://127.0.0.1:{port}/json/list", timeout=ANSWER_SECONDS) as answer:
        targets = json.load(answer)
    for target in targets:
        if target.get("type") == "page":
            return DebugSocket(target["webSocketDebuggerUrl"])
    raise PageSilentError("the browser has no page")


def look(port: int, sign_url: str, lost_looks: int) -> int:
    """Ask the page what it is; for how many looks it has been neither sign nor waiting page.

    Raises where there is no answer.
    """
    with page_socket(port) as page:
        answer = page.ask("Runtime.evaluate", expression=WHAT_IS_SHOWN, returnByValue=True)
        shown = answer.get("result", {}).get("result", {}).get("value")
        if shown is None:
            raise PageSilentError(f"the page answers {answer}")
        if shown != "other":
            return 0
        if lost_looks + 1 < LOST_LOOKS_MAX:
            return lost_looks + 1
        print("the page is no sign: back to waiting", file=sys.stderr)  # noqa: T201
        page.ask("Page.navigate", url=f"{WAITING.as_uri()}?again#{sign_url}")
        return 0


def notify(message: str) -> None:
    """Tell systemd, where it started this."""
    address = os.environ.get("NOTIFY_SOCKET")
    if not address:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as messages:
        messages.connect("\0" + address[1:] if address.startswith("@") else address)
        messages.sendall(message.encode())


def main() -> None:
    """For as long as the kiosk runs."""
    port = int(os.environ.get("DEBUG_PORT", "9222"))
    sign_url = os.environ["SIGN_URL"]
    lost_looks = 0
    while True:
        time.sleep(LOOK_SECONDS)
        try:
            lost_looks = look(port, sign_url, lost_looks)
        except (OSError, ValueError, PageSilentError) as error:
            print(f"no answer from the page: {error}", file=sys.stderr)  # noqa: T201
        else:
            notify("WATCHDOG=1")


if __name__ == "__main__":
    main()
