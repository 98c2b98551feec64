"""What a relay says of its signs: nothing lost on the way, no frame too big, nothing else taken."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from progressive.wire.codec import (
    FRAME_BYTES_MAX,
    decode_showing,
    decode_showings,
    encode,
    encode_showings,
)
from progressive.wire.feed_messages import REPORTS_MAX, Showing, ShownMeter, SignReport

places = st.integers(0, 2**53)
ids = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,20}", fullmatch=True)
reports = st.builds(
    SignReport,
    sign=ids,
    seq=places,
    epoch=places,
    state=st.sampled_from(["live", "ageing", "stale", "inoperable", "offline"]),
    meters=st.lists(st.builds(ShownMeter, id=ids, cents=places), max_size=64).map(tuple),
    age_ms=places,
)


@pytest.mark.slow
@given(st.lists(reports, max_size=40), st.integers(1, 40))
def test_every_report_arrives_in_frames_that_are_taken(some: list[SignReport], times: int) -> None:
    sent = some * times
    arrived: list[SignReport] = []
    for frame in encode_showings(sent):
        assert len(frame) <= FRAME_BYTES_MAX
        showings = decode_showings(frame)
        assert showings is not None
        assert 0 < len(showings.reports) <= REPORTS_MAX
        arrived += showings.reports
    assert arrived == sent


def test_no_report_is_no_message() -> None:
    assert list(encode_showings([])) == []


def test_a_report_holds_the_signs_own_words() -> None:
    said = Showing("showing", 7, 2, "ageing", (ShownMeter("mega", 5),))
    assert decode_showing(encode(said)) == said
    assert SignReport("wall", 7, 2, "ageing", (ShownMeter("mega", 5),), 40).showing == said


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"{}",
        b"[" * 10_000,
        b'{"type":"showing","seq":1}',
        b'{"reports":[]}',
        b'{"type":"showings"}',
        b'{"type":"showings","reports":[{"sign":"pit\\n","seq":1}]}',
        b'{"type":"showings","reports":[],"more":1}',
        b'{"type":"showings","reports":[{"sign":"a b","seq":1}]}',
        b'{"type":"showings","reports":[{"sign":"","seq":1}]}',
        b'{"type":"showings","reports":[{"sign":"wall"}]}',
        b'{"type":"showings","reports":[{"sign":"wall","seq":-1}]}',
        b'{"type":"showings","reports":[{"sign":"wall","seq":1,"age_ms":-1}]}',
        b'{"type":"showings","reports":[{"sign":"wall","seq":1,"state":"fine"}]}',
        b'{"type":"showings","reports":[%b]}' % b",".join([b'{"sign":"wall","seq":1}'] * 501),
    ],
    ids=lambda frame: frame[:40].decode(),
)
def test_anything_else_is_no_report(frame: bytes) -> None:
    assert decode_showings(frame) is None
