"""Packed reports come back as they were, and take a few bytes each."""

import contextlib
import random
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from progressive.adapters.sqlite.sign_blocks import BadBlockError, BlockBuilder, packed, unpacked
from progressive.application.signs.reports import ENTRY_KINDS, Glass, SignEntry

PLACES = st.integers(0, 2**53)


def entries() -> st.SearchStrategy[list[SignEntry]]:
    """Any sequence, also one that no sign would send: times that jump back, meters that change."""
    glass = st.lists(
        st.builds(Glass, st.sampled_from(["mega", "major", "minor", "ü" * 64]), PLACES),
        max_size=4,
        unique_by=lambda each: each.meter,
    ).map(tuple)
    report = st.builds(
        SignEntry,
        at_ms=st.integers(-(2**53), 2**53),
        epoch=PLACES,
        seq=PLACES,
        state=st.sampled_from(["live", "ageing", "stale", "inoperable", "offline"]),
        glass=glass,
    )
    event = st.builds(SignEntry, at_ms=st.integers(0, 2**53), kind=st.sampled_from(ENTRY_KINDS[1:]))
    return st.lists(report | event, max_size=60)


@given(entries())
def test_any_sequence_comes_back_as_it_was(written: list[SignEntry]) -> None:
    assert unpacked(packed(written)) == written


@given(entries())
def test_a_builder_knows_its_ends(written: list[SignEntry]) -> None:
    builder = BlockBuilder()
    for entry in written:
        builder.add(entry)
    assert builder.count == len(written)
    if written:
        assert (builder.first_ms, builder.last_ms) == (written[0].at_ms, written[-1].at_ms)
        assert builder.last_kind == written[-1].kind


def an_evening(*, tables: int, seconds: int = 300) -> list[SignEntry]:
    """Three meters that grow by wagers of $5 and roll after them, reported once a second."""
    dice = random.Random(7)
    at_ms, seq = 1_790_000_000_000, 1_000
    durable, shown = [10_000_000, 1_500_000, 300_000], [10_000_000, 1_500_000, 300_000]
    written = []
    for _ in range(seconds):
        at_ms += 1000 + dice.randrange(10)
        rounds = sum(dice.random() < 1 / 45 for _ in range(tables))
        seq += 2 * rounds
        for _ in range(rounds):
            wagers = dice.randint(1, 7)
            durable = [a + wagers * b for a, b in zip(durable, (60, 30, 20), strict=True)]
        part = dice.randint(60, 80)
        shown = [a + (b - a) * part // 100 for a, b in zip(shown, durable, strict=True)]
        glass = [Glass(m, c) for m, c in zip(("mega", "major", "minor"), shown, strict=True)]
        written.append(SignEntry(at_ms, "showing", 3, seq, "live", tuple(glass)))
    return written


@pytest.mark.parametrize(("tables", "bytes_max"), [(1, 2), (12, 5), (40, 6)])
def test_a_report_of_three_growing_meters_takes_a_few_bytes(tables: int, bytes_max: int) -> None:
    evening = an_evening(tables=tables)
    block = packed(evening)
    assert unpacked(block) == evening
    assert len(block) <= bytes_max * len(evening)


@given(st.binary(max_size=200))
def test_bytes_that_are_no_block_are_refused(junk: bytes) -> None:
    with pytest.raises(BadBlockError):
        unpacked(junk)


@given(st.data())
def test_a_damaged_block_is_refused_or_read_but_never_breaks_the_reader(
    data: st.DataObject,
) -> None:
    block = bytearray(packed(an_evening(tables=12, seconds=20)))
    place = data.draw(st.integers(0, len(block) - 1))
    block[place] ^= data.draw(st.integers(1, 255))
    with contextlib.suppress(BadBlockError):
        unpacked(bytes(block))


def test_a_block_of_another_version_is_refused() -> None:
    with pytest.raises(BadBlockError, match="version 9"):
        unpacked(zlib.compress(b"\x09\x00\x00", 9, -15))
