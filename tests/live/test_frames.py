"""Websocket frames, RFC 6455 section 5.2: final, text, not masked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from progressive.live.frames import text_frame


@pytest.mark.parametrize(
    ("size", "header"),
    [
        (0, b"\x81\x00"),
        (1, b"\x81\x01"),
        (125, b"\x81\x7d"),
        (126, b"\x81\x7e\x00\x7e"),
        (127, b"\x81\x7e\x00\x7f"),
        (256, b"\x81\x7e\x01\x00"),
        (65_535, b"\x81\x7e\xff\xff"),
        (65_536, b"\x81\x7f\x00\x00\x00\x00\x00\x01\x00\x00"),
        (1_000_000, b"\x81\x7f\x00\x00\x00\x00\x00\x0f\x42\x40"),
    ],
)
def test_header_tells_the_size_in_the_shortest_form(size: int, header: bytes) -> None:
    payload = b"7" * size
    assert text_frame(payload) == header + payload


def read_frame(frame: bytes) -> bytes:
    """A reader of our own: the payload of one whole unmasked text frame."""
    assert frame[0] == 0x81
    size = frame[1]
    start = 2
    assert size < 128
    if size >= 126:
        width = 2 if size == 126 else 8
        size = int.from_bytes(frame[2 : 2 + width], "big")
        start += width
    assert len(frame) == start + size
    return frame[start:]


@given(st.binary(max_size=70_000))
def test_frame_gives_its_payload_back(payload: bytes) -> None:
    assert read_frame(text_frame(payload)) == payload
