"""What the feed says to what the sign should hold: one TEXT file, a STRING an amount, a takeover.

Pure. An amount is here only if the feed gave it, and it is marked with its age once nobody has
vouched for it for ten seconds: an LED sign keeps glowing whatever becomes of its driver's network.
What it turns to by itself without its driver (`expiry`) is here too.
"""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from display.led import alpha, charset, expiry
from display.led.words import WORDS, Language, Words, age_text
from progressive.wire.feed import LinkView, MeterView, WinView
from progressive.wire.feed_messages import SignState
from progressive.wire.money_text import money_text

AGEING_SECONDS: Final = 3.0
STALE_SECONDS: Final = 10.0

STRING_ROOM_BYTES: Final = 64
"""The longest amount there is, marked with its age in any language, and its color."""
NAME_BYTES_MAX: Final = 32
WON_NAME_CHARACTERS_MAX: Final = 20
WHOLE_PERCENT: Final = 100
TEMPLATE_BYTES_MAX: Final = 60
METERS_MAX: Final = 16
MESSAGE_BYTES_MAX: Final = alpha.PRIORITY_BYTES_MAX - alpha.TEXT_OVERHEAD_BYTES
TEXT_ROOM_STEP_BYTES: Final = 256
"""A longer name seldom needs another memory configuration: that blanks the sign for seconds."""

_FIELDS: Final = re.compile(r"(\{name\}|\{amount\})")


class Look(NamedTuple):
    """How this sign shows its meters."""

    meters: tuple[str, ...] = ()
    """Which, in this order; empty: all of the link."""
    template: str = "{name} {amount}"
    mode: alpha.Mode = "hold"
    language: Language = "en"
    currency: str = "USD"
    expires: bool = True
    """Whether the sign turns away from its amounts by itself when its driver is gone."""


class Amount(NamedTuple):
    """A STRING file, and the amount that can be read in it."""

    label: str
    value: bytes
    meter: str
    cents: int


class Glass(NamedTuple):
    """What the sign should hold now."""

    state: SignState
    place: tuple[int, int]
    """The newest (epoch, seq) of the amounts."""
    text: bytes | None
    """None: no amount is known, and the takeover says so."""
    amounts: tuple[Amount, ...]
    takeover: bytes | None
    """The message of the priority file; None: the TEXT file runs."""
    notice: bytes | None = None
    """What the sign turns to without its driver; None: it stays as it is."""


def bad_template(template: str) -> str | None:
    """What is wrong with a template, or None."""
    if len(charset.encoded(template)) > TEMPLATE_BYTES_MAX:
        return f"a template has {TEMPLATE_BYTES_MAX} characters at the most"
    fields = _FIELDS.findall(template)
    if fields.count("{amount}") != 1 or fields.count("{name}") > 1:
        return "a template has {amount} once, and {name} at most once"
    return None


def state_of(view: LinkView | None, age_seconds: float) -> SignState:
    """What may be said of the amounts; `age_seconds` is since somebody last vouched for them."""
    if view is None:
        return "offline"
    # A relay without its service says "inoperable" too: how old the amounts are says more.
    if age_seconds > STALE_SECONDS:
        return "stale"
    if view.state != "live":
        return "inoperable"
    return "ageing" if age_seconds > AGEING_SECONDS else "live"


def compose(look: Look, view: LinkView | None, age_seconds: float, win: WinView | None) -> Glass:
    """All that the sign should hold at this moment."""
    words = WORDS[look.language]
    state = state_of(view, age_seconds)
    meters = _chosen(look, view)
    mark = words.old.format(age=age_text(age_seconds)) if state == "stale" else ""
    return Glass(
        state=state,
        place=(0, 0) if view is None else (view.epoch, view.seq),
        text=_text(look, meters) + _test_mark(look, view) if meters else None,
        amounts=tuple(
            Amount(label, _amount(meter, look.currency, mark), meter.id, meter.cents)
            for label, meter in zip(alpha.STRING_LABELS, meters, strict=False)
        ),
        takeover=_takeover(look, view, state, win, known=bool(meters)),
        notice=farewell(look) if look.expires else None,
    )


def memory_for(glass: Glass, text: bytes) -> list[alpha.MemoryFile]:
    """The room that a sign must make for them."""
    steps = (len(text) + alpha.TEXT_OVERHEAD_BYTES) // TEXT_ROOM_STEP_BYTES + 1
    times = None if glass.notice is None else expiry.LIVE
    room = alpha.MemoryFile(alpha.TEXT_LABEL, "text", steps * TEXT_ROOM_STEP_BYTES, times)
    notices = [] if glass.notice is None else expiry.memory(glass.notice)
    strings = [alpha.MemoryFile(each.label, "string", STRING_ROOM_BYTES) for each in glass.amounts]
    return [room, *notices, *strings]


def farewell(look: Look) -> bytes:
    """What a driver leaves behind when it stops or dies: its amounts grow no more."""
    return _message(alpha.RED, WORDS[look.language].stopped)


def drawable_name(name: str, otherwise: str) -> str:
    """A name that the sign can draw: a Chinese one falls back to the id, which is ASCII."""
    neat = charset.tidy(name)
    return neat if charset.is_drawable(neat) else otherwise


def _chosen(look: Look, view: LinkView | None) -> list[MeterView]:
    if view is None:
        return []
    if not look.meters:
        return list(view.meters[:METERS_MAX])
    by_id = {meter.id: meter for meter in view.meters}
    return [by_id[meter] for meter in look.meters[:METERS_MAX] if meter in by_id]


def _text(look: Look, meters: Sequence[MeterView]) -> bytes:
    """The TEXT file: it calls the amounts, so it need not change when they do."""
    between = alpha.NEW_PAGE if look.mode == "hold" else b"   "
    return between.join(
        _segment(look.template, meter, label)
        for label, meter in zip(alpha.STRING_LABELS, meters, strict=False)
    )


def _test_mark(look: Look, view: LinkView | None) -> bytes:
    """A page of its own behind the amounts of a service that stores nothing."""
    if view is None or not view.nothing_kept:
        return b""
    between = alpha.NEW_PAGE if look.mode == "hold" else b"   "
    return between + alpha.RED + charset.encoded(WORDS[look.language].nothing_kept)


def _segment(template: str, meter: MeterView, label: str) -> bytes:
    drawn = alpha.AMBER
    for part in _FIELDS.split(template):
        if part == "{amount}":
            # A STRING's color stays on after it: what follows sets its own again.
            call = alpha.call_string(label)
            drawn += alpha.FIXED_WIDTH + call + alpha.PROPORTIONAL + alpha.AMBER
        elif part == "{name}":
            drawn += charset.encoded(drawable_name(meter.name, meter.id), NAME_BYTES_MAX)
        else:
            drawn += charset.encoded(part)
    return drawn


def _amount(meter: MeterView, currency: str, mark: str) -> bytes:
    text = charset.encoded(money_text(meter.cents, currency))
    if mark:
        return alpha.DIM_RED + text + b" " + charset.encoded(mark)
    return alpha.GREEN + text


def _takeover(
    look: Look, view: LinkView | None, state: SignState, win: WinView | None, *, known: bool
) -> bytes | None:
    words = WORDS[look.language]
    if win is not None and view is not None:
        return _won(win, view, words, look.currency)
    if view is not None and state == "inoperable":
        reason = charset.tidy(view.reason or "")
        text = f"{words.out_of_service} - {reason}" if reason else words.out_of_service
        return _message(alpha.RED, text)
    return None if known else _message(alpha.AMBER, words.waiting)


def _won(win: WinView, view: LinkView, words: Words, currency: str) -> bytes:
    """Who won what and where, and that the meter grows again, or goes on after a part of it."""
    name = next((meter.name for meter in view.meters if meter.id == win.meter), win.meter)
    meter = drawable_name(name, win.meter)[:WON_NAME_CHARACTERS_MAX]
    whole = win.share_percent >= WHOLE_PERCENT
    what = (words.won if whole else words.share).format(meter=meter, percent=win.share_percent)
    title = f"{what} {money_text(win.amount_cents, currency)}"
    where = f"{words.table.format(table=win.table)} {words.seat.format(seat=win.seat)}"
    then = words.next_amount if whole else words.goes_on
    again = then.format(amount=money_text(win.next_cents, currency))
    message = _message(alpha.RAINBOW, title)
    for part in (where, again):
        # Whole or not at all: half an amount or half a table's name would be a lie.
        piece = charset.encoded(f" - {part}")
        if len(message) + len(piece) <= MESSAGE_BYTES_MAX:
            message += piece
    return message


def _message(color: bytes, text: str) -> bytes:
    return color + charset.encoded(text, MESSAGE_BYTES_MAX - len(color))
