"""What others may see of a link: made again after every commit, from durable state alone."""

from collections.abc import Sequence
from typing import Final

from progressive.application.link.owned_link import OwnedLink
from progressive.domain.events import RoundSettled
from progressive.domain.rounding import floor_cents
from progressive.domain.rulebook.rules import LinkRules
from progressive.domain.views import LinkView, MeterView, WinView

WINS_KEPT: Final = 64
"""Wins that a view holds on to: for a sign that joins in the middle of several, and for one that
was away."""


def live_view(
    rules: LinkRules, link: OwnedLink, wins: tuple[WinView, ...], *, nothing_kept: bool = False
) -> LinkView:
    """The view of a link that takes wagers."""
    return LinkView(
        link=rules.id,
        epoch=link.epoch,
        seq=link.state.seq,
        at=link.at,
        state="live",
        reason=None,
        meters=tuple(
            [
                MeterView(meter.id, meter.name, floor_cents(amount))
                for meter, amount in zip(rules.terms.meters, link.state.primaries, strict=True)
            ]
        ),
        wins=wins,
        nothing_kept=nothing_kept,
    )


def wins_of(settled: Sequence[tuple[int, RoundSettled]], *, epoch: int) -> list[WinView]:
    """Every award from a meter, in the order of payment: also one of nothing, or of a share."""
    return [
        WinView(
            epoch=epoch,
            seq=seq,
            at=event.awarded_at,
            award=made.award,
            table=event.table,
            seat=made.seat,
            meter=made.meter,
            line=made.line,
            amount_cents=made.amount_cents,
            next_cents=floor_cents(made.meter_after or 0),
            share_percent=100 if made.share_percent is None else made.share_percent,
            wager_cents=made.wager_cents,
        )
        for seq, event in settled
        for made in event.awards
        if made.meter is not None
    ]
