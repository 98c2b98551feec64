"""What the feeds of a link say, as an LED driver needs it: the view, its age, and the wins."""

from collections.abc import Callable, Sequence

from display.mirror import LinkMirror
from progressive.wire.feed import LinkView, Place, WinView
from progressive.wire.feed_messages import FeedMessage


class Reading:
    """Listens to every feed of one link. What is never shown backwards, the mirror decides."""

    def __init__(self, link: str, upstreams: Sequence[str], *, clock: Callable[[], float]) -> None:
        self._mirror = LinkMirror(link, upstreams)
        self._clock = clock
        self.on_news: Callable[[], None] = lambda: None
        """Called after every word."""

    @property
    def view(self) -> LinkView | None:
        """What may be shown; None until a first snapshot."""
        return self._mirror.view

    @property
    def place(self) -> Place | None:
        """What has been heard already. None before that: wins of last week are no news."""
        return None if self.view is None else self._mirror.place

    @property
    def age_seconds(self) -> float:
        """Since the service vouched for the view."""
        return self._mirror.age_ms(self._clock()) / 1_000

    @property
    def wins(self) -> tuple[WinView, ...]:
        """The last ones, those already shown among them."""
        return () if self.view is None else self.view.wins

    def hear(self, upstream: str, message: FeedMessage) -> None:
        """A message."""
        self._mirror.hear(upstream, message, self._clock())
        self.on_news()

    def lost(self, upstream: str) -> None:
        """The feed broke off: what it said grows old by itself."""
        self._mirror.lost(upstream)

    def connected(self, upstream: str) -> None:
        """A good snapshot has come; the sign was told of it by then."""
