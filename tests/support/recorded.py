"""Values of the program as the verifier knows them, by way of the bytes that are stored."""

from typing import Any

import msgspec

from progressive.verifier.record import Record, read_json
from progressive.verifier.recorded.decoder import reader_of


def as_recorded(kind: type, value: object) -> Any:  # noqa: ANN401 - one of that kind
    """A value of the domain as the verifier reads it."""
    return reader_of(kind, exact=True)(read_json(msgspec.json.encode(value)))


def decoded(stored: bytes) -> Record:
    """A record whose keys may stand in any order: for a forger who has looked at the sums only."""
    record: Record = reader_of(Record, exact=False)(read_json(stored))
    return record
