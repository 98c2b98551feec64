"""Who is shown what when a link moves: signs, tables, panels and the pit. Policy, no wiring.

Called by the links' writers for every batch: whoever is called here takes note and returns.
"""

from collections.abc import Callable, Sequence

from progressive.domain.ids import LinkId
from progressive.domain.views import LinkView, WinView
from progressive.live.hub import Hub
from progressive.wire.feed import FeedEncoding

OnView = Callable[[LinkView], None]


class FloorPublisher:
    """`Publisher` for all links of a floor.

    The writers need it before there is anybody to publish to, so those are added afterwards.
    """

    def __init__(self, encoding: FeedEncoding) -> None:
        self._encoding = encoding
        self._hubs: dict[LinkId, Hub[LinkView]] = {}
        self._on_view: list[OnView] = []
        self._on_state: list[OnView] = []
        self._shown: dict[LinkId, tuple[str | None, ...]] = {}

    def add_hub(self, link: LinkId, hub: Hub[LinkView]) -> None:
        """The signs of a link."""
        self._hubs[link] = hub

    def on_view(self, listener: OnView) -> None:
        """Call it with every newer view, of any link."""
        self._on_view.append(listener)

    def on_state(self, listener: OnView) -> None:
        """Call it when a link went out of service or came back, or for another reason."""
        self._on_state.append(listener)

    def publish(self, view: LinkView) -> None:
        """`Publisher`: the newest durable view goes to the signs, a new state to everyone."""
        hub = self._hubs[view.link]
        hub.publish(view)
        for listener in self._on_view:
            listener(view)
        state = (view.state, view.reason, view.leader)
        if self._shown.get(view.link) == state:
            return
        self._shown[view.link] = state
        hub.announce(self._encoding.state(view))
        if view.state == "live":
            # Whoever connected while nothing was known lacks the names of the meters.
            hub.announce(self._encoding.snapshot(view))
        for listener in self._on_state:
            listener(view)

    def announce(self, link: LinkId, wins: Sequence[WinView]) -> None:
        """`Publisher`: a win is on every sign at once."""
        self._hubs[link].announce(*map(self._encoding.win, wins))
