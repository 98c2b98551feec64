"""Files of pages: read once at the start, each under a route of its own.

What is not there at the start is not served, so no path from outside ever reaches the disk.
"""

import hashlib
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from aiohttp import web

CONTENT_TYPES: Final = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
KIT_FOLDER: Final = Path(__file__).parent / "web" / "kit"


class Asset(NamedTuple):
    """One file, as it is sent."""

    body: bytes
    content_type: str
    etag: str


def load_assets(folder: Path) -> dict[str, Asset]:
    """Every stylesheet, script and drawing of a folder, by name."""
    assets = {}
    for path in sorted(folder.iterdir()):
        if path.suffix in CONTENT_TYPES:
            body = path.read_bytes()
            etag = hashlib.sha256(body).hexdigest()[:32]
            assets[path.name] = Asset(body, CONTENT_TYPES[path.suffix], etag)
    return assets


def asset_routes(prefix: str, folder: Path) -> list[web.AbstractRouteDef]:
    """`{prefix}/{name}` for each of them."""
    return [
        web.get(f"{prefix}/{name}", _sender(asset)) for name, asset in load_assets(folder).items()
    ]


def kit_routes() -> list[web.AbstractRouteDef]:
    """`/assets/kit/…`: what all pages share, those of the signs too."""
    return asset_routes("/assets/kit", KIT_FOLDER)


def version_of(files: Mapping[str, bytes]) -> str:
    """One short name for exactly these files: any change of a byte or an address changes it."""
    digest = hashlib.sha256()
    for address, body in sorted(files.items()):
        digest.update(f"{address}\n{len(body)}\n".encode())
        digest.update(body)
    return digest.hexdigest()[:16]


def _sender(asset: Asset) -> Callable[[web.Request], Awaitable[web.Response]]:
    async def send(request: web.Request) -> web.Response:
        known = {tag.value for tag in request.if_none_match or ()}
        if asset.etag in known or "*" in known:
            response = web.Response(status=304)
        else:
            response = web.Response(
                body=asset.body, content_type=asset.content_type, charset="utf-8"
            )
        response.etag = asset.etag
        # A sign runs for months: after an upgrade its next load must not mix old and new files.
        response.headers["Cache-Control"] = "no-cache"
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response

    return send
