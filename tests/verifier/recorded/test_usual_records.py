"""What the patterns of usual records take, the general decoder takes too, and reads alike."""

from pathlib import Path
from random import Random

import msgspec
import pytest

from progressive.verifier.findings import DiscrepancyError
from progressive.verifier.record import Record, decode_record, read_record
from progressive.verifier.recorded.usual_records import read_usual
from tests.support.award_journals import AwardShelf
from tests.support.forgeries import ODDITIES, places
from tests.support.journals import JournalShelf, Row
from tests.support.validated_journals import ValidatedShelf

USUAL = ("wagers_registered", "round_settled", "settled_early")
SPOILT = 6_000


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """Lock-outs and settlements of all kinds."""
    folder = tmp_path_factory.mktemp("shelves")
    shelves = [
        JournalShelf(folder / "rounds"),
        AwardShelf(folder / "awards"),
        ValidatedShelf(folder / "validated"),
    ]
    found = [
        line
        for number, shelf in enumerate(shelves)
        for line in shelf.copy_to(Path(folder / str(number))).lines()
        if msgspec.json.decode(line)["event"]["type"] in USUAL
    ]
    assert len(found) > 30
    return found


def test_all_that_the_service_writes_is_read_by_patterns(lines: list[bytes]) -> None:
    for line in lines:
        usual = read_usual(line)
        assert usual is not None, line
        assert Record(*usual) == decode_record(line)


def test_other_records_are_left_to_the_decoder() -> None:
    event = {"type": "checkpointed", "state_digest": "", "meters": [], "times_hold": True}
    line = msgspec.json.encode({"seq": 1, "at": "", "prev": "", "event": event})
    assert read_usual(line) is None
    assert read_record(line).event.TYPE == "checkpointed"


@pytest.mark.slow
def test_spoilt_lines_are_never_taken_by_a_pattern_alone(lines: list[bytes]) -> None:
    taken = 0
    for seed in range(SPOILT):
        line = spoilt(lines, Random(seed))
        usual = read_usual(line)
        if usual is not None:
            taken += 1
            assert Record(*usual) == decode_record(line), seed
    assert 200 < taken < SPOILT // 2


def spoilt(lines: list[bytes], chance: Random) -> bytes:
    """A line with another byte, another value, a field less, or its fields in another order."""
    line = chance.choice(lines)
    how = chance.random()
    if how < 0.3:
        changed = bytearray(line)
        changed[chance.randrange(len(line))] = chance.choice(b'0123456789"\\,:{}[]-ex \xc3')
        return bytes(changed)
    record: Row = msgspec.json.decode(line)
    place = chance.choice(places(record))
    inner = record
    for key in place[:-1]:
        inner = inner[key]
    if how < 0.8:
        values = [*[each for each in ODDITIES if each != 10**4000], 1, 7, "7d", "chip", False]
        inner[place[-1]] = chance.choice(values)
    elif how < 0.9:
        del inner[place[-1]]
    elif isinstance(inner, dict):
        inner[place[-1]] = inner.pop(place[-1])
    try:
        return msgspec.json.encode(record)
    except ValueError:
        return line


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"seq":', b'"seq":0'),
        (b'"seq":', b'"seq":-0,"x":'),
        (b'"complete":false', b'"complete":false,"awards":[]'),
        (b'"complete":false', b'"complete":0'),
        (b'"dealer":{"cards":[', b'"dealer":{"cards":[,'),
        (b'"seats":[]', b'"seats":[],"seats":[]'),
        (b'"table":"', b'"table":"\\u0041'),
        (b'"table":"', b'"table":"\x01'),
        (b'"table":"', b'"table":"\xed\xa0\x80'),
        (b'"seats":[]', b'"seats": []'),
    ],
)
def test_another_form_of_a_settlement_is_a_finding(old: bytes, new: bytes) -> None:
    good = (
        b'{"seq":7,"at":"2026-01-02T03:05:32.500000Z","prev":"00","event":{"type":"round_settled",'
        b'"table":"BJ-01","table_seq":2,"round":"r1","dealer":{"cards":[]},"seats":[],'
        b'"complete":false,"meters":[1,2,3]}}'
    )
    assert read_usual(good) is not None
    line = good.replace(old, new, 1)
    assert line != good
    assert read_usual(line) is None
    with pytest.raises(DiscrepancyError):
        read_record(line)


@pytest.mark.parametrize(
    ("money", "good"),
    [
        ("{}", True),
        ('{"hold":-5,"paid":5}', True),
        ('{"funding":-5}', True),
        ('{"hold":-5"paid":5}', False),
        ('{,"hold":-5}', False),
        ('{"hold":-5,}', False),
        ('{"paid":5,"hold":-5}', False),
        ('{"hold":0}', False),
    ],
)
def test_money_is_matched_field_by_field(money: str, good: bool) -> None:
    line = (
        '{"seq":7,"at":"","prev":"","event":{"type":"round_settled","table":"BJ-01","table_seq":2,'
        '"round":"r1","dealer":{"cards":[]},"seats":[],"complete":false,"meters":[],'
        f'"money":{money}}}}}'
    ).encode()
    assert (read_usual(line) is not None) is good
    if good:
        assert read_record(line) == decode_record(line)
    else:
        with pytest.raises(DiscrepancyError):
            read_record(line)
