"""Websocket close codes.

The 44xx codes mean "stay away until something is put right"; 1001, 1011, 1013 and 4503 mean "come
back": the peer keeps its unanswered messages and sends them again.
"""

from typing import Final

GOING_AWAY: Final = 1001
INTERNAL_ERROR: Final = 1011
TRY_AGAIN_LATER: Final = 1013

BAD_FRAME: Final = 4400
BAD_KEY: Final = 4401
NOT_ALLOWED: Final = 4403
UNKNOWN_TABLE: Final = 4404
ALREADY_CONNECTED: Final = 4409
TOO_BIG: Final = 4413
NOT_LEADER: Final = 4503

NOBODY_LEADS: Final = "no node leads the link now"
"""Reason of a 1013 at the door: what this node knows of the table may be old."""

# What aiohttp would close with by itself, in this protocol's terms.
TRANSLATED: Final = {1002: BAD_FRAME, 1003: BAD_FRAME, 1007: BAD_FRAME, 1009: TOO_BIG}
