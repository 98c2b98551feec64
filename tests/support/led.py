"""Views and wins for tests of the LED driver, and a sign that holds what it should hold."""

from typing import Any

from msgspec import structs

from display.led import alpha
from display.led.composer import Glass, memory_for
from progressive.domain.ids import LinkId
from progressive.wire.feed import LinkView, MeterView, WinView
from tests.support.virtual_sign import VirtualSign

_METERS = (
    MeterView("mega", "Mega", 10_000_060),
    MeterView("major", "Major", 1_500_030),
    MeterView("minor", "Minor", 300_020),
)


def a_view(**changes: Any) -> LinkView:  # noqa: ANN401 (any field)
    view = LinkView(LinkId("main"), 3, 41, "2026-01-02T03:04:05Z", "live", None, _METERS)
    return structs.replace(view, **changes)


def a_win(**changes: Any) -> WinView:  # noqa: ANN401 (any field)
    win = WinView(
        epoch=3,
        seq=42,
        at="2026-01-02T03:04:06Z",
        award="main.42.1",
        table="BJ-01",
        seat=5,
        meter="mega",
        line="three_7_diamonds",
        amount_cents=10_000_120,
        next_cents=2_500_010,
    )
    return structs.replace(win, **changes)


def sign_holding(glass: Glass) -> VirtualSign:
    """A sign that was told all of it, through real packets."""
    sign = VirtualSign()
    commands = []
    if glass.text is not None:
        commands.append(alpha.set_memory(memory_for(glass, glass.text)))
        commands += [alpha.write_string(each.label, each.value) for each in glass.amounts]
        commands.append(alpha.write_text(glass.text, "hold"))
    if glass.takeover is not None:
        commands.append(alpha.write_priority(glass.takeover, "rotate"))
    for command in commands:
        sign.receive(alpha.packet(alpha.Address(), command))
    return sign
