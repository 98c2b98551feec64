"""Options that several commands of ours have on their command line."""

from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import click

LOG_LEVELS: Final = ("debug", "info", "warning", "error")

log_level_option: Final = click.option(
    "--log-level", default="info", show_default=True, type=click.Choice(LOG_LEVELS)
)


class HostAndPort(click.ParamType[tuple[str, int]]):
    """`HOST:PORT`, `[::1]:PORT` for IPv6."""

    name = "HOST:PORT"

    def __init__(self, *, any_port: bool) -> None:
        """`any_port`: 0 is accepted too, and picks a free port."""
        self._lowest = 0 if any_port else 1

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, int]:
        """The two, or a usage error."""
        text = str(value)
        host, _, port = text.rpartition(":")
        host = host.removeprefix("[").removesuffix("]")
        good = host and port.isascii() and port.isdigit() and len(port) <= 5
        if not good or not self._lowest <= int(port) < 2**16:
            self.fail(f"{text!r} is not HOST:PORT", param, ctx)
        return host, int(port)


LISTEN: Final = HostAndPort(any_port=True)
CONNECT: Final = HostAndPort(any_port=False)


class ServerUrl(click.ParamType[str]):
    """`http://HOST:PORT` or `https://HOST:PORT` of a running service."""

    name = "URL"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """The address without a slash at its end, or a usage error."""
        text = str(value)
        try:
            parts = urlsplit(text)
            good = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        except ValueError:
            good = False
        if not good:
            self.fail(f"{text!r} is not http://HOST:PORT or https://HOST:PORT", param, ctx)
        return text.rstrip("/")


SERVER: Final = ServerUrl()

ca_option: Final = click.option(
    "--ca",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Also trust servers whose certificate this private CA has signed (PEM).",
)
