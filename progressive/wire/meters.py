"""Displayed meters, as every message carries them."""

from msgspec import Struct


class MeterCents(Struct, frozen=True, gc=False):
    """A displayed meter."""

    id: str
    cents: int


class NamedMeter(Struct, frozen=True, gc=False):
    """A displayed meter with the name a sign writes over it."""

    id: str
    name: str
    cents: int
