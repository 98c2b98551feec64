"""Typed names, so that a table is never taken for a link."""

import re
from typing import Final, NewType

LinkId = NewType("LinkId", str)
BetId = NewType("BetId", str)
MeterId = NewType("MeterId", str)
TableId = NewType("TableId", str)
SignId = NewType("SignId", str)
RoundId = NewType("RoundId", str)
AwardId = NewType("AwardId", str)
"""`LINK.RECORD.ORDER`: the record that made the award, and its place in the order of payment."""
CorrectionId = NewType("CorrectionId", str)

ID_PATTERN: Final = r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}\Z"
"""Configured ids appear in URLs, file names and metric labels: nothing there needs escaping. `$`
would let a newline pass at the end."""

_ID = re.compile(ID_PATTERN)


def is_id(text: str) -> bool:
    """Whether a text may name a link, bet, meter, table or sign."""
    return _ID.fullmatch(text) is not None
