"""What upstreams told of their links and signs, besides amounts: kept while they are away."""

from collections.abc import Collection

import msgspec
from msgspec import Raw

from progressive.wire.codec import UNDECODABLE
from progressive.wire.feed import LinkView, is_id
from progressive.wire.meters import NamedMeter
from progressive.wire.signs import SignCard

LinkTerms = dict[str, Raw]
"""A link of `GET /v1/links`, field by field as it was told, those that are new to us too."""


class _Named(msgspec.Struct):
    id: str


class _Links(msgspec.Struct):
    links: list[Raw]
    complete: bool = True
    """A relay says False while it may not have heard of all links yet."""


class _Signs(msgspec.Struct):
    signs: list[Raw]


def decode_links(body: bytes) -> dict[str, LinkTerms]:
    """The links of an answer. Raises msgspec.DecodeError where it is none."""
    links = {}
    for raw in msgspec.json.decode(body, type=_Links).links:
        link = msgspec.json.decode(raw, type=_Named).id
        if is_id(link):
            links[link] = msgspec.json.decode(raw, type=LinkTerms)
    return links


def is_complete(body: bytes) -> bool:
    """Whether a link that is not in this answer does not exist. Raises msgspec.DecodeError."""
    return msgspec.json.decode(body, type=_Links).complete


def decode_cards(body: bytes) -> dict[str, SignCard]:
    """The signs of an answer, without those this version cannot show."""
    cards = {}
    for raw in msgspec.json.decode(body, type=_Signs).signs:
        try:
            card = msgspec.json.decode(raw, type=SignCard)
        except UNDECODABLE:
            continue
        if is_id(card.id) and is_id(card.link):
            cards[card.id] = card
    return cards


class Catalogue:
    """Of what several upstreams tell, the preferred one's word."""

    def __init__(self, upstreams: tuple[str, ...]) -> None:
        self._links: dict[str, dict[str, LinkTerms]] = {each: {} for each in upstreams}
        self._complete: set[str] = set()
        self._cards: dict[str, dict[str, SignCard]] = {each: {} for each in upstreams}

    def learn_links(
        self, upstream: str, links: dict[str, LinkTerms], *, complete: bool = True
    ) -> None:
        """What an upstream says now; `complete`: it knows of all links that it will have."""
        self._links[upstream] = links
        if complete:
            self._complete.add(upstream)

    def is_complete(self, shown: Collection[str]) -> bool:
        """Whether every upstream has named its links, and these are all of them."""
        return self._complete == self._links.keys() and all(
            link in shown for links in self._links.values() for link in links
        )

    def learn_cards(self, upstream: str, cards: dict[str, SignCard]) -> None:
        """What an upstream says now."""
        self._cards[upstream] = cards

    def upstreams_of(self, link: str) -> list[str]:
        """Who has a link, by preference."""
        return [upstream for upstream, links in self._links.items() if link in links]

    def card(self, sign: str) -> SignCard | None:
        """A sign of the floor."""
        return next((cards[sign] for cards in self._cards.values() if sign in cards), None)

    @property
    def cards(self) -> list[SignCard]:
        """All signs, each once."""
        merged: dict[str, SignCard] = {}
        for cards in self._cards.values():
            merged = cards | merged
        ordered = {sign: merged[sign] for cards in self._cards.values() for sign in cards}
        return list(ordered.values())

    def summary(self, view: LinkView, *, age_ms: int) -> dict[str, object]:
        """A link for `GET /v1/links`: its terms as learnt, its amounts as they are shown now."""
        terms = next((links[view.link] for links in self._links.values() if view.link in links), {})
        shown = {
            "id": view.link,
            "state": view.state,
            "reason": view.reason,
            "epoch": view.epoch,
            "seq": view.seq,
            "at": view.at,
            "meters": [NamedMeter(meter.id, meter.name, meter.cents) for meter in view.meters],
            "age_ms": age_ms,
        }
        return {**terms, **shown}

    def link_name(self, link: str) -> str:
        """A link's name for people."""
        for links in self._links.values():
            if link in links and "name" in links[link]:
                try:
                    return msgspec.json.decode(links[link]["name"], type=str)
                except UNDECODABLE:
                    break
        return link
