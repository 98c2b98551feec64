"""What a panel sends, and which of the table's messages it becomes."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from progressive.domain.commands import RegisterWagers, SettleRound, VoidRound
from progressive.wire.panel_commands import (
    BadPanelMessage,
    PanelLock,
    PanelSettle,
    PanelVoid,
    decode_panel,
    table_command,
)

LOCK = {"type": "lock", "id": "panel-1a", "after": 6, "wagers": [], "chips_counted": 0}


def decoded(message: dict[str, object]) -> object:
    return decode_panel(json.dumps(message).encode())


def test_a_message_gets_the_number_after_the_one_the_panel_saw() -> None:
    lock = decoded(LOCK)
    assert isinstance(lock, PanelLock)
    command = table_command(lock)
    assert isinstance(command, RegisterWagers)
    assert (command.seq, command.round) == (7, "7-panel-1a")


def test_settle_and_void_name_the_round_they_mean() -> None:
    settle = decoded({"type": "settle", "id": "panel-1b", "after": 7, "round": "7-panel-1a"})
    void = decoded(
        {"type": "void", "id": "panel-1c", "after": 7, "round": "7-panel-1a", "reason": "misdeal"}
    )
    assert isinstance(settle, PanelSettle)
    assert isinstance(void, PanelVoid)
    assert table_command(settle) == SettleRound(8, settle.round)
    assert table_command(void) == VoidRound(8, void.round, "misdeal")


@pytest.mark.parametrize(
    "changes",
    [
        {"id": "short"},
        {"id": "x" * 33},
        {"id": "no spaces"},
        {"after": -1},
        {"after": 2**53},
        {"after": 1.5},
        {"seq": 7},
        {"round": "r1"},
        {"type": "pay"},
        {"wagers": None},
    ],
)
def test_what_is_no_message_is_told_apart(changes: dict[str, object]) -> None:
    assert isinstance(decoded(LOCK | changes), BadPanelMessage)


def test_the_id_of_a_bad_message_is_read_where_it_can_be() -> None:
    bad = decoded(LOCK | {"after": "six"})
    assert isinstance(bad, BadPanelMessage)
    assert bad.id == "panel-1a"


@given(st.binary(max_size=200))
def test_no_bytes_break_the_decoder(frame: bytes) -> None:
    decode_panel(frame)


@given(st.integers(0, 2**53 - 1), st.from_regex(r"[A-Za-z0-9_-]{8,32}", fullmatch=True))
def test_every_lock_out_can_be_named(after: int, panel_id: str) -> None:
    lock = decoded(LOCK | {"after": after, "id": panel_id})
    assert isinstance(lock, PanelLock)
    command = table_command(lock)
    assert 1 <= len(command.round) <= 64
