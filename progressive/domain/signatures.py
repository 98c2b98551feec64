"""Who signed: the part of a person that events, awards and the act log carry."""

from msgspec import Struct


class Signature(Struct, frozen=True):
    """Who signed, as it is kept with what was signed."""

    name: str
    department: str
