"""A server's address that cannot be had is an error in plain words, with the address in it."""

from collections.abc import Iterator
from contextlib import contextmanager

from progressive.runtime.plain_errors import CannotRunError, cannot_listen


@contextmanager
def listening_on(host: str, port: int) -> Iterator[None]:
    """Around the call that binds the address, and nothing else: every OSError is taken for its."""
    try:
        yield
    except (OSError, UnicodeError) as error:
        raise CannotRunError(cannot_listen(host, port, error)) from None
