"""The list of signs that a relay greets with: which there are, and whether its word is fresh."""

from pathlib import Path
from typing import Final

from msgspec import Struct

from display.mirror import FRESH_MS, STALE_MS
from display.relay import Relay
from progressive.wire.signs import SignCard

HOME_FOLDER: Final = Path(__file__).parent


class ListedLink(Struct, frozen=True):
    """A link and its signs."""

    id: str
    name: str
    kind: str
    """How good the news is: `good`, `warn` or `bad`."""
    words: str
    signs: list[SignCard]


class Floor(Struct, frozen=True):
    """All that the page says."""

    name: str
    links: list[ListedLink]


def floor_of(relay: Relay) -> Floor:
    """As it is now."""
    cards = relay.catalogue.cards
    name = next((card.floor_name for card in cards), "Signs")
    links = []
    for link, relayed in sorted(relay.links.items()):
        view = relayed.mirror.view
        kind, words = "bad", "no word yet"
        if view is not None:
            kind, words = _news(relayed.age_ms, view.state, view.reason)
        signs = [card for card in cards if card.link == link]
        links.append(ListedLink(link, relay.catalogue.link_name(link), kind, words, signs))
    return Floor(name, links)


def _news(age_ms: int, state: str, reason: str | None) -> tuple[str, str]:
    if age_ms > STALE_MS:
        return "bad", f"no word for {age_ms // 1000} s"
    if state != "live":
        return "bad", reason or "out of service"
    if age_ms > FRESH_MS:
        return "warn", f"last word {age_ms // 1000} s ago"
    return "good", "live"
