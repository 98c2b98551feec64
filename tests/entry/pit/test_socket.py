"""The pit socket closes in order: the hub lets go of the console, then the close frame is sent."""

from typing import Any

import pytest

from progressive.entry.pit.socket import PitSocket
from progressive.live.frame_socket import FrameSocket


async def test_console_leaves_the_hub_before_its_close_frame(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A board written in between came after the close frame, and the browser logged an error."""
    order: list[str] = []

    async def close(self: FrameSocket, **_: Any) -> bool:  # noqa: ANN401
        order.append("close frame")
        return True

    monkeypatch.setattr(FrameSocket, "close", close)
    socket = PitSocket(None, None)  # type: ignore[arg-type]
    socket.before_close = lambda: order.append("left the hub")
    await socket._close(4401, b"the session is over")
    assert order == ["left the hub", "close frame"]
