"""One stored line to a record: readable, canonical, and at a real moment.

`{"seq":…,"at":…,"prev":…,"event":{"type":…,…}}`: compact JSON in UTF-8, keys in the order of the
format. Whatever else stands there is a discrepancy, never an exception of another kind.
"""

import json
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from hashlib import sha256
from typing import Any, Final, NoReturn

from progressive.verifier.findings import DiscrepancyError, shown
from progressive.verifier.recorded.decoder import NotCanonicalError, UnreadableError, reader_of
from progressive.verifier.recorded.events import Event
from progressive.verifier.recorded.table_events import WagersRegistered
from progressive.verifier.recorded.usual_records import read_usual

GENESIS: Final = "0" * 64
"""What the first record of a journal names as the one before it."""

_RFC3339_UTC: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|\+00:00)", re.ASCII)
_encode: Final = json.JSONEncoder(
    separators=(",", ":"), ensure_ascii=False, check_circular=False
).encode


@dataclass(slots=True)
class Record:
    """An event with its place in the journal."""

    seq: int
    at: str
    prev: str
    event: Event


def read_json(body: bytes) -> Any:  # noqa: ANN401 - whatever stands there
    """The values of a JSON text; raises UnreadableError where it is none."""
    try:
        return json.loads(body.decode(), parse_constant=_refuse_constant)
    except RecursionError:
        raise UnreadableError("nested too deeply") from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise UnreadableError(shown_error(str(error))) from None
    except ValueError as error:
        if "digits" in str(error):
            raise UnreadableError("a number of thousands of digits") from None
        raise UnreadableError(shown_error(str(error))) from None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_read_record: Final = reader_of(Record, exact=True)


def read_record(stored: bytes) -> Record:
    """The record of a line; raises where it is none, or not written as this format writes it."""
    usual = read_usual(stored)
    return decode_record(stored) if usual is None else Record(*usual)


def decode_record(stored: bytes) -> Record:
    """The same by the general decoder alone, which knows every kind and finds the words."""
    try:
        plain = read_json(stored)
        record: Record = _read_record(plain)
        event = record.event
        if type(event) is WagersRegistered and event.plain is not None and not event.plain.whole:
            raise UnreadableError("seats and base wagers are not as many")
        # Written otherwise, a line could tell another reader another story: a key twice, a number
        # in another notation, a text with other escapes.
        if encoded(plain) != stored:
            raise NotCanonicalError("is written otherwise than this format writes it")
    except NotCanonicalError as error:
        raise DiscrepancyError(
            f"the record is not in canonical form: {shown_error(str(error))}"
        ) from None
    except UnreadableError as error:
        raise DiscrepancyError(f"a record is unreadable: {shown_error(str(error))}") from None
    return record


def encoded(plain: object) -> bytes:
    """A value as the format writes it."""
    try:
        return _encode(plain).encode()
    except (UnicodeEncodeError, RecursionError):
        raise UnreadableError("a text holds half a character") from None


@lru_cache(maxsize=100)
def read_time(at: str) -> datetime:
    """The moment of a record; raises where it is not RFC 3339 UTC."""
    if _RFC3339_UTC.fullmatch(at):
        try:
            return datetime.fromisoformat(at)
        except ValueError:
            pass
    raise DiscrepancyError(f"{shown(at)} is not a time in RFC 3339 UTC")


def days_later(time: datetime, days: int) -> datetime:
    """So many days after a moment; raises where no calendar has it."""
    try:
        return time + timedelta(days=days)
    except OverflowError:
        raise DiscrepancyError(f"{shown(days)} days are more than any calendar has") from None


def glimpse(stored: bytes) -> tuple[str | None, str | None]:
    """Time and type of a record that is no good, as far as they can be made out."""
    try:
        plain = read_json(stored)
    except UnreadableError:
        return None, None
    if type(plain) is not dict:
        return None, None
    at, event = plain.get("at"), plain.get("event")
    kind = event.get("type") if type(event) is dict else None
    return (
        shown(at) if isinstance(at, str) else None,
        shown(kind) if isinstance(kind, str) else None,
    )


def digest_of_terms(stored: bytes) -> str:
    """SHA-256 of the terms in a record, as they are written there."""
    # The line is canonical, so the same values give the same bytes.
    return sha256(encoded(read_json(stored)["event"]["terms"])).hexdigest()


def shown_error(text: str) -> str:
    """A decoder's complaint, which may quote what it met: longer than a value, still one line."""
    return " ".join([shown(word) for word in text.split()])[:300]
