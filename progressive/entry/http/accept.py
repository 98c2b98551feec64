"""Who asks: a person in a browser, who is shown a page, or a program, which reads JSON."""

import re
from typing import Final

from aiohttp import web

_QUALITY: Final = re.compile(r"q=([01](?:\.[0-9]{0,3})?)", re.ASCII)


def wants_page(request: web.Request) -> bool:
    """Whether this is a browser that goes to an address: then it names HTML among what it accepts.

    Programs, and the scripts of our own pages, do not. Under /v1 there are only programs.
    """
    if is_for_programs(request):
        return False
    accepted = ",".join(request.headers.getall("Accept", []))
    html = _quality(accepted, "text/html")
    return html > 0 and html >= _quality(accepted, "application/json")


def is_for_programs(request: web.Request) -> bool:
    """Whether an address belongs to the protocol, where nothing depends on who asks."""
    return request.path == "/v1" or request.path.startswith("/v1/")


def _quality(accepted: str, wanted: str) -> float:
    """How much a type is wanted, by its own name: `*/*` is what programs send, too."""
    for each in accepted.split(","):
        name, *parameters = (part.strip().lower() for part in each.split(";"))
        if name == wanted:
            told = [part for part in parameters if part.startswith("q=")]
            if not told:
                return 1.0
            shape = _QUALITY.fullmatch(told[0])
            return 0.0 if shape is None else float(shape[1])
    return 0.0
