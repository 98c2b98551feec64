"""The file of what a table must not forget: a crash or a full disk at any step of a write."""

import os
from pathlib import Path

import pytest

from progressive.client.outbox import Kept, Outbox, OutboxError
from progressive.common.steps import steps_watched, watch_steps
from progressive.domain.commands import RegisterWagers, SettleRound, Wager
from progressive.domain.ids import BetId, RoundId

LOCK = RegisterWagers(
    seq=8,
    round=RoundId("r8"),
    wagers=(Wager(seat=2, bet=BetId("blazing7"), amount_cents=500, tender="coupon"),),
    chips_counted=0,
)
SETTLE = SettleRound(seq=9, round=RoundId("r8"))
BEFORE, AFTER = Kept(7, LOCK), Kept(8, SETTLE)


@pytest.fixture
def outbox(tmp_path: Path) -> Outbox:
    return Outbox(tmp_path / "outbox.json", "BJ-01")


def steps_of_a_write(outbox: Outbox) -> list[str]:
    steps: list[str] = []
    with steps_watched(steps.append):
        outbox.write(AFTER)
    return steps


def test_what_was_written_is_read(outbox: Outbox) -> None:
    assert outbox.read() == Kept()
    for kept in (Kept(), BEFORE, AFTER):
        outbox.write(kept)
        assert outbox.read() == kept
    assert outbox.path.stat().st_mode & 0o777 == 0o600


def test_message_is_under_way_until_its_number_is_answered() -> None:
    assert Kept().under_way is None
    assert Kept(7, LOCK).under_way == LOCK
    assert Kept(8, LOCK).under_way is None


def test_process_that_is_killed_at_any_step_leaves_the_old_or_the_new(outbox: Outbox) -> None:
    outbox.write(BEFORE)
    steps = steps_of_a_write(outbox)
    assert len(steps) >= 5
    found = []
    for count in range(1, len(steps) + 1):
        outbox.write(BEFORE)
        if (child := os.fork()) == 0:
            left = count

            def die(_: str) -> None:
                nonlocal left
                left -= 1
                if left == 0:
                    os._exit(9)

            watch_steps(die)
            outbox.write(AFTER)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
        found.append(outbox.read())
    assert set(map(str, found)) == {str(BEFORE), str(AFTER)}
    # New from the moment on when the new file has the name.
    assert found.index(AFTER) == steps.index("rename outbox.json") + 1


def test_full_disk_at_any_step_is_told_of_and_leaves_the_old_or_the_new(outbox: Outbox) -> None:
    outbox.write(BEFORE)
    steps = steps_of_a_write(outbox)
    for count in range(len(steps)):
        outbox.write(BEFORE)
        seen: list[str] = []

        def fill(step: str) -> None:
            seen.append(step)  # noqa: B023
            if len(seen) == count + 1:  # noqa: B023
                raise OSError(28, "No space left on device")

        with steps_watched(fill), pytest.raises(OutboxError, match="cannot be written: No space"):
            outbox.write(AFTER)
        assert outbox.read() in (BEFORE, AFTER)
    outbox.write(AFTER)
    assert os.listdir(outbox.path.parent) == [outbox.path.name]


NOT_OURS = {
    "half a file": b'{"format":1,"table":"BJ-01","ans',
    "no JSON": b"\x00\xff",
    "a later format": b'{"format":2,"table":"BJ-01","answered":1,"message":null}',
    "no message of ours": b'{"format":1,"table":"BJ-01","answered":1,"message":{"type":"x"}}',
    "another table's": b'{"format":1,"table":"BJ-02","answered":1,"message":null}',
}


@pytest.mark.parametrize("content", NOT_OURS.values(), ids=NOT_OURS)
def test_file_that_is_not_this_tables_is_refused(outbox: Outbox, content: bytes) -> None:
    outbox.path.write_bytes(content)
    with pytest.raises(OutboxError, match=r"is not one of this version|is BJ-02's"):
        outbox.read()
    assert outbox.path.read_bytes() == content


def test_file_that_cannot_be_read_is_told_of(outbox: Outbox) -> None:
    outbox.path.mkdir()
    with pytest.raises(OutboxError, match="cannot be read"):
        outbox.read()


def test_file_of_today_is_read_by_every_later_version(outbox: Outbox) -> None:
    outbox.path.write_text(
        '{"format":1,"table":"BJ-01","answered":7,"message":{"type":"lock","seq":8,"round":"r8",'
        '"wagers":[{"seat":2,"bet":"blazing7","amount_cents":500,"base_cents":0,"tender":"coupon"}],'
        '"chips_counted":0}}\n'
    )
    assert outbox.read() == BEFORE
