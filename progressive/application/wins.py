"""Meters that were won, as signs and pages show them."""

from collections.abc import Sequence
from typing import Final

from progressive.application.ports import WinView
from progressive.domain.events import RoundSettled
from progressive.domain.money import floor_cents

WINS_KEPT: Final = 16
"""Wins that a view holds on to: enough for a sign that joins in the middle of several."""


def wins_of(settled: Sequence[tuple[int, RoundSettled]], *, epoch: int, at: str) -> list[WinView]:
    """Every award from a meter, in the order of payment."""
    return [
        WinView(
            epoch=epoch,
            seq=seq,
            at=at,
            award=made.award,
            table=event.table,
            seat=made.seat,
            meter=made.meter,
            line=made.line,
            amount_cents=made.amount_cents,
            next_cents=floor_cents(made.meter_after or 0),
        )
        for seq, event in settled
        for made in event.awards
        if made.meter is not None
    ]
