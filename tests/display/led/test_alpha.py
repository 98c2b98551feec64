"""Packets byte for byte, with checksums that other hands have worked out."""

import pytest

from display.led import alpha

NULS = b"\x00\x00\x00\x00\x00"


def test_the_example_of_the_protocol_has_its_checksum() -> None:
    assert alpha.checksum(b"\x02AAHELLO\x03") == b"01FB"


def test_a_packet_wakes_addresses_frames_and_sums() -> None:
    assert (
        alpha.packet(alpha.Address("^", "01"), b"GaREAD ME")
        == NULS + b"\x01^01\x02GaREAD ME\x03027B\x04"
    )


@pytest.mark.parametrize(
    ("command", "content", "checksum"),
    [
        (alpha.clear_memory(), b"E$", b"006E"),
        (alpha.release_priority(), b"A0", b"0076"),
        (alpha.set_run_sequence("A"), b"E.SLA", b"0158"),
        (alpha.set_run_sequence("ABC", by_times=True), b"E.TLABC", b"01DE"),
        (alpha.set_time_of_day(13, 17), b"E 1317", b"0136"),
        (alpha.set_day_of_week("7"), b"E&7", b"00A7"),
        (alpha.set_run_days("A", "7"), b"E2A77", b"012B"),
        (alpha.write_string("a", b"\x1c2$100,000.60"), b"Ga\x1c2$100,000.60", b"0300"),
        (alpha.write_text(b"HELLO", "hold"), b"AA\x1b0bHELLO", b"02A8"),
        (alpha.write_text(b"HELLO", "rotate"), b"AA\x1b0aHELLO", b"02A7"),
        (alpha.write_text(b"HELLO", "compressed"), b"AA\x1b0tHELLO", b"02BA"),
        (alpha.write_priority(b"WIN", "flash"), b"A0\x1b0cWIN", b"0212"),
        (
            alpha.set_memory(
                [alpha.MemoryFile("A", "text", 256), alpha.MemoryFile("a", "string", 64)]
            ),
            b"E$AAL0100FFFFaBL00400000",
            b"0588",
        ),
        (
            alpha.set_memory(
                [alpha.MemoryFile("A", "text", 256, alpha.RunTimes((13, 10), (13, 20)))]
            ),
            b"E$AAL01004F50",
            b"02DC",
        ),
    ],
)
def test_every_command_is_written_as_documented(
    command: bytes, content: bytes, checksum: bytes
) -> None:
    assert command == content
    assert alpha.packet(alpha.Address(), command) == (
        NULS + b"\x01Z00\x02" + content + b"\x03" + checksum + b"\x04"
    )


def test_a_long_packet_has_a_checksum_of_sixteen_bits() -> None:
    framed = b"\x02" + b"~" * 1_000 + b"\x03"
    assert alpha.checksum(framed) == b"%04X" % ((1_000 * 0x7E + 5) % 65_536)


def test_a_call_stands_for_the_string() -> None:
    assert alpha.call_string("a") == b"\x10a"


@pytest.mark.parametrize(
    "write",
    [
        lambda: alpha.write_string("a", b"x" * 126),
        lambda: alpha.write_priority(b"x" * 123, "rotate"),
        lambda: alpha.write_priority(b"", "rotate"),
        lambda: alpha.write_text(b"x" * 3_000, "rotate"),
        lambda: alpha.set_memory([]),
    ],
    ids=["string too long", "priority too long", "priority blank", "text too long", "no files"],
)
def test_what_a_sign_would_lose_or_blank_is_not_written(write: object) -> None:
    with pytest.raises(ValueError, match=r"bytes|files"):
        write()  # type: ignore[operator]
