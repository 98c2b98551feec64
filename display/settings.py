"""What a relay is told at its start."""

import socket
import ssl
from pathlib import Path

from msgspec import Struct

from progressive.common.addresses import base_of
from progressive.runtime.client_tls import trusting
from progressive.runtime.plain_errors import in_words
from progressive.wire.feed import is_id


class Settings(Struct, frozen=True, kw_only=True):
    """Checked: nothing in here has to be looked at again."""

    upstreams: tuple[str, ...]
    """By preference; each an address without a path of its own at the end."""
    name: str
    """What upstreams know this relay by."""
    key: str | None = None
    """What it shows upstream, to be believed about signs that have keys."""
    tls: ssl.SSLContext | bool = True
    """Whose certificates are trusted; True: whose the machine trusts."""


class BadSettingError(ValueError):
    """Something that cannot be meant."""


def settings(
    *,
    upstreams: tuple[str, ...],
    name: str | None,
    key_file: Path | None,
    ca: Path | None = None,
) -> Settings:
    """From the options of the command line; `ca` is a private CA to trust."""
    bases = tuple(dict.fromkeys(base_of(upstream) for upstream in upstreams))
    named = own_name() if name is None else name
    if not is_id(named):
        raise BadSettingError(
            f"{named!r} is not a valid name: up to 64 of letters, digits, _ . and -"
        )
    return Settings(
        upstreams=bases,
        name=named,
        key=None if key_file is None else _key(key_file),
        tls=trusting(ca),
    )


def own_name() -> str:
    """The machine's name, where that can be one."""
    name = socket.gethostname()
    return name if is_id(name) else "relay"


def _key(file: Path) -> str:
    try:
        key = file.read_text(encoding="ascii").strip()
    except OSError as error:
        raise BadSettingError(f"--key-file {in_words(error)}") from None
    except UnicodeDecodeError:
        key = ""
    if not key or not key.isprintable() or " " in key:
        raise BadSettingError(f"--key-file {file}: does not hold a key")
    return key
