"""The Prometheus series of a relay, read when somebody asks."""

from collections.abc import Iterable, Iterator

from prometheus_client import CollectorRegistry

from display.feed_client import FeedClient
from display.link_relay import LinkRelay
from display.relay import Relay
from progressive.live.hub import Hub
from progressive.runtime.series import Series, build_info, counter, expose, gauge
from progressive.wire.feed import LinkView


def registry_of(relay: Relay, more: Iterable[Series]) -> CollectorRegistry:
    """A registry of its own: two relays in one process do not share their counters."""
    registry = CollectorRegistry()
    expose(
        registry,
        [
            build_info("relay_build_info"),
            *_link_series(relay),
            *_upstream_series(relay),
            *more,
        ],
    )
    return registry


def _link_series(relay: Relay) -> list[Series]:
    def fed() -> Iterator[tuple[str, LinkRelay, Hub[LinkView]]]:
        for link, relayed in relay.links.items():
            if relayed.hub is not None:
                yield link, relayed, relayed.hub

    return [
        gauge(
            "relay_signs_connected",
            "Signs and relays with a live socket",
            lambda: [((link,), len(hub.outboxes)) for link, _, hub in fed()],
            "link",
        ),
        counter(
            "relay_signs_dropped",
            "Signs and relays dropped because they did not read",
            lambda: [((link,), hub.dropped) for link, _, hub in fed()],
            "link",
        ),
        gauge(
            "relay_last_word_age_seconds",
            "Since the service confirmed the amounts shown",
            lambda: [((link,), relayed.age_ms / 1000) for link, relayed, _ in fed()],
            "link",
        ),
    ]


def _upstream_series(relay: Relay) -> list[Series]:
    def feeds() -> Iterator[tuple[tuple[str, str], FeedClient]]:
        for base, upstream in relay.upstreams.items():
            for link, feed in upstream.feeds.items():
                yield (base, link), feed

    return [
        gauge(
            "relay_upstream_up",
            "1 while the feed is read",
            lambda: [(names, feed.up) for names, feed in feeds()],
            *("upstream", "link"),
        ),
        counter(
            "relay_upstream_reconnects",
            "Times the feed came back",
            lambda: [(names, max(0, feed.times_up - 1)) for names, feed in feeds()],
            *("upstream", "link"),
        ),
    ]
