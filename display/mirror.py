"""PURE. One link as several feeds tell of it, made into one view that never goes backwards.

A place is (epoch, seq). A place behind the one shown is not shown, with one exception: once nobody
has vouched for what is shown for ten seconds, a source that vouches for its own amounts right now
is believed even if they are older (a service that was restored from a copy). Unless its link is out
of service: a standby that cannot follow has older amounts too, and will have the newer ones.

A word is vouched once: a frame that was heard before, whether a proxy repeats it or two relays
feed each other, makes no amount younger. Time is monotonic seconds, handed in; nothing here reads
a clock.
"""

from collections.abc import Iterable, Sequence
from math import inf
from typing import Final

from msgspec import Struct, structs

from display.feed_source import FeedSource
from progressive.wire.feed import LinkView, Place, WinView, win_of
from progressive.wire.feed_messages import FeedMessage, Snapshot, Tick, Update, Win

FRESH_MS: Final = 3_000
"""A word younger than this is a live one."""
STALE_MS: Final = 10_000
"""Without a word for longer, what is shown is called stale."""
WINS_KEPT: Final = 64
AWARDS_REMEMBERED: Final = 4_096
"""Awards already told: more than all sources together still carry."""
TICKS_REMEMBERED: Final = 1_024
"""Ticks already heard: a quarter of an hour of them."""
TICK_MS: Final = 500
"""Ticks closer together than this are one: several sources tick no faster than one."""

NOWHERE: Final[Place] = (0, 0)


class Heard(Struct, frozen=True):
    """What a message brought, for whoever passes it on: in the order of these fields."""

    moved: bool = False
    """The view has other amounts or another place."""
    wins: tuple[WinView, ...] = ()
    """Meters won that nobody has told of before."""
    state: bool = False
    """The link went out of service, or came back."""
    whole: bool = False
    """So much is different that readers need all of it: another epoch, other meters, a place
    further back, or a first word after silence."""
    tick: bool = False
    """A sign of life for the place that is shown."""


NOTHING: Final = Heard()


class LinkMirror:
    """One link. `sources` are listed by preference: of equals, the first one's word counts."""

    def __init__(self, link: str, sources: Sequence[str]) -> None:
        self._link = link
        self._preference = tuple(sources)
        self._sources: dict[str, FeedSource] = {}
        self._doubted: dict[str, FeedSource] = {}
        """Of sources that began anew further back: a service restored, or an old frame repeated?"""
        self._wins: tuple[WinView, ...] = ()
        self._told: dict[tuple[str, str], None] = {}
        self._ticks: dict[tuple[int, int, str], None] = {}
        self._vouched_at = 0.0
        self._tick_ahead: Tick | None = None
        self.view: LinkView | None = None
        """None until a first snapshot; never an invented amount."""
        self.tick_at = ""
        """The service's clock, as its last tick told it; and when that was, here:"""
        self.ticked_at: float | None = None

    @property
    def place(self) -> Place:
        """Where the view stands."""
        return NOWHERE if self.view is None else (self.view.epoch, self.view.seq)

    def age_ms(self, now: float) -> int:
        """How long ago the service vouched for what is shown."""
        return max(0, int((now - self._vouched_at) * 1000))

    def is_stale(self, now: float) -> bool:
        """Nobody vouches for what is shown any more."""
        return self.age_ms(now) > STALE_MS

    def lost(self, source: str) -> None:
        """A feed broke off: it says nothing any more until its next snapshot."""
        self._sources.pop(source, None)
        self._doubted.pop(source, None)

    def hear(self, source: str, message: FeedMessage, now: float) -> Heard:
        """Take a message in, and tell what is new by it."""
        if isinstance(message, Snapshot) and message.link != self._link:
            return NOTHING
        before, was_stale = self.view, self.is_stale(now)
        wins = self._new_wins(message)
        new = self._is_new(source, message)
        self._follow(source, message, now, new=new)
        if new:
            self._vouch(message, now)
        if (told := self._sources.get(source)) is not None:
            self._adopt(told, now)
        if (doubted := self._doubted.get(source)) is not None and self._adopt(doubted, now):
            self._sources[source] = self._doubted.pop(source)
        if self.view is None:
            return NOTHING
        if new and isinstance(message, Tick) and (message.epoch, message.seq) >= self.place:
            # A busy link ticks for amounts that it sends a moment later: only then it is due.
            self._tick_ahead = message
        self._settle_state(now)
        if wins:
            self.view = structs.replace(self.view, wins=self._wins)
        return self._difference(before, was_stale, wins, now)

    # --- what each source says ----------------------------------------------------------------

    def _is_new(self, source: str, message: FeedMessage) -> bool:
        """Whether this can be a word for something, or is only heard again."""
        match message:
            case Snapshot():
                # In the middle of a feed, amounts are vouched for by what follows.
                told = self._sources.get(source)
                return told is None or (message.epoch, message.seq) > told.place
            case Update():
                return (message.epoch, message.seq) > self.place
            case Tick():
                heard = (message.epoch, message.seq, message.at)
                if heard in self._ticks:
                    return False
                self._ticks[heard] = None
                if len(self._ticks) > TICKS_REMEMBERED:
                    del self._ticks[next(iter(self._ticks))]
                return True
            case _:
                return False

    def _follow(self, source: str, message: FeedMessage, now: float, *, new: bool) -> None:
        """A source by itself; before its snapshot it has said nothing that could be shown."""
        told = self._sources.get(source)
        if isinstance(message, Snapshot):
            begun = FeedSource(message, now)
            if told is not None and begun.place < told.place:
                begun.vouched_at = begun.spoke_at = -inf
                self._doubted[source] = begun
                return
            if told is not None and begun.place == told.place:
                begun.vouched_at = told.vouched_at
            self._sources[source] = begun
            self._doubted.pop(source, None)
            return
        if (doubted := self._doubted.get(source)) is not None:
            doubted.follow(message, now, new=new)
        if told is not None and told.follow(message, now, new=new):
            # It stands by what it said before: the other was an old frame.
            self._doubted.pop(source, None)

    def _new_wins(self, message: FeedMessage) -> tuple[WinView, ...]:
        """Wins nobody has told of. After a restore an award's name may be given a second time."""
        told: Iterable[Win] = ()
        if isinstance(message, Snapshot):
            told = message.wins
        elif isinstance(message, Win):
            told = (message,)
        new = []
        for win in told:
            if (win.award, win.at) not in self._told:
                self._told[win.award, win.at] = None
                new.append(win_of(win))
        while len(self._told) > AWARDS_REMEMBERED:
            del self._told[next(iter(self._told))]
        if new:
            self._wins = tuple(sorted((*self._wins, *new), key=_when)[-WINS_KEPT:])
        return tuple(new)

    # --- what is shown ------------------------------------------------------------------------

    def _vouch(self, message: FeedMessage, now: float) -> None:
        """A tick for the place that is shown. One for a later place does not confirm this one."""
        match message:
            case Snapshot(age_ms=age_ms):
                word_at = now - age_ms / 1000
            case Update() | Tick():
                word_at = now
            case _:
                return
        if self.view is not None and (message.epoch, message.seq) == self.place:
            self._vouched_at = max(self._vouched_at, word_at)

    def _adopt(self, told: FeedSource, now: float) -> bool:
        """Show what a source says, if that is no step back or has to be believed."""
        if self.view is not None and told.place == self.place:
            if told.view.meters != self.view.meters:
                self.view = structs.replace(self.view, meters=told.view.meters)
            return False
        is_back = self.view is not None and told.place < self.place
        # Who knows no amounts at all takes none back.
        knows_better = told.view.state == "live" or not told.view.meters
        fresh = knows_better and _within(FRESH_MS, told.vouched_at, now)
        if is_back and not (fresh and self.is_stale(now)):
            return False
        self.view = structs.replace(told.view, wins=self._wins)
        self._vouched_at = told.vouched_at
        return True

    def _settle_state(self, now: float) -> None:
        """Of those who stand at the place that is shown and speak, the preferred one's word."""
        for source in self._preference:
            told = self._sources.get(source)
            if (
                told is not None
                and self.view is not None
                and told.place == self.place
                and _within(FRESH_MS, told.spoke_at, now)
            ):
                state, reason = told.view.state, told.view.reason
                if (state, reason) != (self.view.state, self.view.reason):
                    self.view = structs.replace(self.view, state=state, reason=reason)
                return

    # --- what is new --------------------------------------------------------------------------

    def _difference(
        self, before: LinkView | None, was_stale: bool, wins: tuple[WinView, ...], now: float
    ) -> Heard:
        view = self.view
        if view is None:
            return NOTHING
        tick = self._tick_is_due(now)
        if before is None:
            return Heard(moved=True, whole=True, tick=tick)
        moved = (before.epoch, before.seq, before.meters) != (view.epoch, view.seq, view.meters)
        state = (before.state, before.reason) != (view.state, view.reason)
        whole = (
            before.epoch != view.epoch
            or view.seq < before.seq
            or _names(before) != _names(view)
            or (state and view.state == "live")
            or (was_stale and not self.is_stale(now))
        )
        return Heard(moved=moved, wins=wins, state=state, whole=whole, tick=tick)

    def _tick_is_due(self, now: float) -> bool:
        tick = self._tick_ahead
        if tick is None or (tick.epoch, tick.seq) > self.place:
            return False
        self._tick_ahead = None
        if self.ticked_at is not None and _within(TICK_MS, self.ticked_at, now):
            return False
        if self.age_ms(now) >= FRESH_MS:
            return False
        self.ticked_at = now
        self.tick_at = tick.at
        return True


def _within(limit_ms: int, at: float, now: float) -> bool:
    return (now - at) * 1000 < limit_ms


def _when(win: WinView) -> str:
    return win.at


def _names(view: LinkView) -> list[tuple[str, str]]:
    return [(meter.id, meter.name) for meter in view.meters]
