"""The tables and signs of a floor, as far as a command can know them, to find a mistyped name.

Known from a floor file, or from the service that runs on the data directory. The journal is not
asked: what it recorded is the floor of an earlier start.
"""

import ssl
import urllib.request
from pathlib import Path
from typing import Final, Literal, NamedTuple

import msgspec

from progressive.adapters import service_note
from progressive.adapters.config.floor import ConfigError, load_floor
from progressive.runtime.plain_errors import CannotRunError

ASK_SECONDS: Final = 3.0
ANSWER_BYTES_MAX: Final = 4 * 1024 * 1024

Kind = Literal["table", "sign"]


class FloorNames(NamedTuple):
    """The ids of a floor."""

    tables: frozenset[str]
    signs: frozenset[str]
    source: str
    """Where they are from, for a message."""

    def of(self, kind: Kind) -> frozenset[str]:
        """The ids of one kind."""
        return self.tables if kind == "table" else self.signs


def floor_names(data: Path, floor: Path | None) -> FloorNames | None:
    """From the file, where one is given, else from the running service; None: nothing is known.

    Raises CannotRunError where the file is not a good floor file.
    """
    if floor is not None:
        return _in_file(floor)
    url = service_note.address_of(data)
    return None if url is None else _in_service(url)


def _in_file(floor: Path) -> FloorNames:
    try:
        rules = load_floor(floor).rules
    except ConfigError as error:
        raise CannotRunError(error.problems[0].line()) from None
    return FloorNames(
        tables=frozenset(table.id for link in rules.links for table in link.tables),
        signs=frozenset(sign.id for sign in rules.signs),
        source=str(floor),
    )


class _Named(msgspec.Struct):
    id: str


class _Link(msgspec.Struct):
    tables: list[_Named]


class _Links(msgspec.Struct):
    links: list[_Link]


class _Signs(msgspec.Struct):
    signs: list[_Named]


def _in_service(url: str) -> FloorNames | None:
    try:
        links = msgspec.json.decode(_answer(f"{url}/v1/links"), type=_Links).links
        signs = msgspec.json.decode(_answer(f"{url}/v1/signs"), type=_Signs).signs
    except (OSError, ValueError):
        # It has just stopped, or does not answer: a key can be issued all the same.
        return None
    return FloorNames(
        tables=frozenset(table.id for link in links for table in link.tables),
        signs=frozenset(sign.id for sign in signs),
        source=f"the running service, {url}",
    )


def _answer(url: str) -> bytes:
    # Our own note says that this process of the same user listens there, and nothing secret is
    # sent: its certificate, which may be for another name, need not be checked.
    unchecked = ssl.create_default_context()
    unchecked.check_hostname = False
    unchecked.verify_mode = ssl.CERT_NONE
    with urllib.request.urlopen(url, timeout=ASK_SECONDS, context=unchecked) as response:  # noqa: S310 - from our own note
        body: bytes = response.read(ANSWER_BYTES_MAX)
    return body
