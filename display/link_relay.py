"""One link, relayed: what the mirror makes of its feeds goes out as the service would send it."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final

from msgspec import structs

from display.mirror import LinkMirror
from progressive.live.hub import Hub
from progressive.wire.codec import encode
from progressive.wire.feed import FeedEncoding, LinkView, Place
from progressive.wire.feed_messages import FeedMessage, Tick

_TIME_FORMAT: Final = "%Y-%m-%dT%H:%M:%S.%fZ"


class RelayEncoding:
    """The service's own messages; in a snapshot, also how old its word is."""

    def __init__(self, mirror: LinkMirror) -> None:
        self._mirror = mirror
        self._feed = FeedEncoding(self._service_time)
        self.win = self._feed.win
        self.update = self._feed.update
        self.state = self._feed.state

    def snapshot(self, view: LinkView, after: Place | None = None) -> bytes:
        """With its age. Who knows no ages is told that amounts nobody vouches for are not live."""
        now = time.monotonic()
        age_ms = self._mirror.age_ms(now)
        if self._mirror.is_stale(now) and view.state == "live":
            reason = f"no word from the service for {age_ms // 1000} s"
            view = structs.replace(view, state="inoperable", reason=reason)
        return self._feed.snapshot(view, after, age_ms=age_ms)

    def tick(self, view: LinkView) -> bytes:
        """The service's own, for the place that is shown here."""
        return encode(Tick(view.epoch, view.seq, self._mirror.tick_at))

    def _service_time(self) -> str:
        """By the service's clock: this machine's may be anything."""
        ticked_at = self._mirror.ticked_at
        try:
            now = datetime.fromisoformat(self._mirror.tick_at)
            now += timedelta(seconds=0 if ticked_at is None else time.monotonic() - ticked_at)
        except ValueError:
            now = datetime.now(UTC)
        return now.strftime(_TIME_FORMAT)


class LinkRelay:
    """Listens to all feeds of one link and speaks to its signs."""

    def __init__(
        self, link: str, upstreams: tuple[str, ...], on_connected: Callable[[str], None]
    ) -> None:
        self.link = link
        self.connected = on_connected
        """Called with an upstream whose feed is up again."""
        self.mirror = LinkMirror(link, upstreams)
        self._encoding = RelayEncoding(self.mirror)
        self.hub: Hub[LinkView] | None = None
        """None until a first word: there is nothing that a sign could be told."""

    @property
    def place(self) -> Place:
        """What has been heard already."""
        return self.mirror.place

    @property
    def age_ms(self) -> int:
        """How old the last word for what is shown is."""
        return self.mirror.age_ms(time.monotonic())

    async def stop(self) -> None:
        """Send what is left."""
        if self.hub is not None:
            await self.hub.stop()

    def lost(self, upstream: str) -> None:
        """A feed broke off. Its amounts stay, and age."""
        self.mirror.lost(upstream)

    def hear(self, upstream: str, message: FeedMessage) -> None:
        """Pass on what is new by a message, at once."""
        before = self.mirror.view
        heard = self.mirror.hear(upstream, message, time.monotonic())
        view = self.mirror.view
        if view is None:
            return
        if self.hub is None:
            self.hub = Hub(view, self._encoding, paced=False)
            self.hub.start()
            return
        if heard.moved:
            self.hub.publish(view)
        elif view is not before:
            self.hub.keep(view)
        for win in heard.wins:
            self.hub.announce(self._encoding.win(win))
        if heard.state:
            self.hub.announce(self._encoding.state(view))
        if heard.whole:
            self.hub.announce(self._encoding.snapshot(view))
        if heard.tick:
            self.hub.tick()
