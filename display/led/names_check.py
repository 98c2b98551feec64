"""Whether the link and the meters named on the command line exist, asked once at the start.

A mistyped name would leave the sign waiting for ever. An upstream that cannot be reached, or a
relay that has not heard of everything yet, is asked again: only a sure answer stops the driver.
"""

import asyncio
import logging
import random
from collections.abc import Sequence

import aiohttp
import msgspec

from display.catalogue import LinkTerms, decode_links, is_complete
from display.client import Client
from progressive.common.backoff import Backoff
from progressive.common.nearest import no_such
from progressive.wire.codec import UNDECODABLE

log = logging.getLogger(__name__)


class UnknownNameError(Exception):
    """No upstream has the link or the meter; the message names what there is."""


class _Named(msgspec.Struct):
    id: str


class _Bet(msgspec.Struct):
    meters: list[_Named] = []


async def check_names(
    client: Client, upstreams: Sequence[str], link: str, meters: Sequence[str]
) -> None:
    """Return once an upstream has them; raise UnknownNameError once all of them have not.

    With several upstreams one that is away may be the one that has them: it is waited for.
    """
    missing: dict[str, str] = {}
    backoff = Backoff(random.SystemRandom().random)
    while True:
        for upstream in upstreams:
            found = await _asked(client, upstream, link, meters)
            if found == "":
                return
            if found is None:
                missing.pop(upstream, None)
            elif missing.get(upstream) != found:
                missing[upstream] = found
                if len(upstreams) > 1:
                    log.warning("unknown name", extra={"upstream": upstream, "why": found})
        if len(missing) == len(upstreams):
            raise UnknownNameError("; ".join(f"{each}: {why}" for each, why in missing.items()))
        await asyncio.sleep(backoff.next_seconds())


async def _asked(client: Client, upstream: str, link: str, meters: Sequence[str]) -> str | None:
    """What an upstream does not have; empty: it has all. None: it cannot be said yet."""
    try:
        answer = await client.get(upstream, "/v1/links")
        if answer.status != 200:
            return None
        links = decode_links(answer.body)
        if link not in links:
            sure = links and is_complete(answer.body)
            return no_such(f"link {link}", link, links) if sure else None
        known = _meters(links[link])
    except (aiohttp.ClientError, OSError, TimeoutError, *UNDECODABLE):
        # The feed reports what is wrong with the connection.
        return None
    if known is None:
        return None
    unknown = [meter for meter in meters if meter not in known]
    return no_such(f"meter {unknown[0]}", unknown[0], known) if unknown else ""


def _meters(terms: LinkTerms) -> list[str] | None:
    """The meters of a link by its terms, which are there even while it is out of service."""
    if "bets" in terms:
        bets = msgspec.json.decode(terms["bets"], type=list[_Bet])
        return [meter.id for bet in bets for meter in bet.meters]
    shown = msgspec.json.decode(terms.get("meters", msgspec.Raw(b"[]")), type=list[_Named])
    return [meter.id for meter in shown] or None
