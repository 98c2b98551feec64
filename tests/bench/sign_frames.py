"""What every sign server under test is asked to send, and how a sign speaks to a NATS server.

Plain bytes, light to import: the publisher beside NATS uses them too.
"""

import time

from msgspec import Struct

SEQ_MARK = b"@SEQ@"
"""Stands in the template where an update has its seq."""
NATS_SUBJECT = b"feed"


class Broadcast(Struct, frozen=True):
    """So many updates to every sign."""

    count: int
    pause_ms: int = 0
    """Between two of them; without, the next follows when the one before has been dealt with."""
    at_once: bool = False
    """All handed over together; none may be skipped."""


def stamped(template: bytes) -> bytes:
    """An update whose seq is the time it was made, so that the load can tell how old it is."""
    return template.replace(SEQ_MARK, b"%d" % time.monotonic_ns())


def nats_subscribe() -> bytes:
    """What a NATS client says after the server's INFO; the answer is a PONG."""
    options = b'{"verbose":false,"pedantic":false,"protocol":1,"lang":"bench","version":"1"}'
    return b"CONNECT %b\r\nSUB %b 1\r\nPING\r\n" % (options, NATS_SUBJECT)


def nats_publish(payload: bytes) -> bytes:
    """The PING is answered when the message before it has been dealt with."""
    return b"PUB %b %d\r\n%b\r\nPING\r\n" % (NATS_SUBJECT, len(payload), payload)
