"""What one connection and one address may do before they have to wait or go. Plain values.

They act on what harms: unfinished requests, floods, offences. The mere number of connections of an
address is not an offence, because a whole floor may stand behind one proxy.
"""

from typing import Final

from msgspec import Struct

SLICE_BYTES: Final = 2048
"""Read from one stranger's connection before the next one has its turn."""
SLICES_A_TURN: Final = 8
"""Of all strangers together, in one turn of the event loop: tables have the rest of it."""
STARTS_A_TURN: Final = 2
"""Requests of strangers that are begun in one turn of the event loop."""
GATES_A_SLICE: Final = 256
"""Connections that are looked at before others get a turn on the loop."""

OTHER_FILES: Final = 64
"""Open files that are not connections: databases, logs, listening sockets, threads' pipes."""
STRANGERS_PERCENT: Final = 75
UNFINISHED_PERCENT: Final = 10
"""Of the places. What is left is for tables and staff alone."""
YOUNG_SECONDS: Final = 2.0
YOUNG_PERCENT: Final = 20
"""A connection this young may wait for its turn, as when a whole floor comes back at once: it goes
only where unfinished requests hold this much, or where tables and staff need the place."""

CLAIMS_AT_ONCE: Final = 50.0
CLAIMS_A_SECOND: Final = 1.0
"""Keys and sessions of one address that turned out to be wrong; who shows more of them waits with
the strangers."""
OFFENCES_FORGIVEN: Final = 3.0
OFFENCES_A_SECOND: Final = 0.05
"""One faulty sign must not slow a whole floor behind a proxy."""
ADDRESSES_MAX: Final = 10_000
"""Addresses that are remembered; the one that was quiet the longest is forgotten first."""
WAIT_SECONDS_MAX: Final = 10.0
"""A stranger whose turn is further away is refused (429) instead."""


class Limits(Struct, frozen=True):
    """The settings."""

    head_seconds: float = 10.0
    """From a connection, TLS handshake included, to the end of its first request's head; and for
    each further head from its first byte on."""
    body_seconds: float = 20.0
    request_seconds: float = 60.0
    """For a stranger's request, until its answer is ready."""
    idle_seconds: float = 75.0
    """After an answer, until it is read and the next request begins."""
    requests_a_second: float = 2_000.0
    requests_at_once: float = 20_000.0
    """Of one address, of people and signs nobody has checked. Those beyond wait."""
    unfinished_max: int = 256
    """Requests of one address whose head is not complete; above this its oldest goes, unless it is
    young."""
    slowed_a_second: float = 20.0
    slowed_seconds: float = 60.0
    """After offences of an address, its strangers are let in at this pace for so long."""
