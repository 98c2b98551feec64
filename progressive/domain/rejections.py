"""Why a command was refused. A refused command changes nothing."""

from enum import StrEnum

from msgspec import Struct


class Rejection(StrEnum):
    """The fact that stood in the way, in order of precedence."""

    BAD_MESSAGE = "BAD_MESSAGE"
    LINK_INOPERABLE = "LINK_INOPERABLE"
    NOT_LEADER = "NOT_LEADER"
    TRY_AGAIN = "TRY_AGAIN"
    SEQ_REUSED = "SEQ_REUSED"
    SEQ_GAP = "SEQ_GAP"
    ROUND_OPEN = "ROUND_OPEN"
    NO_ROUND = "NO_ROUND"
    WRONG_ROUND = "WRONG_ROUND"
    UNKNOWN_SEAT = "UNKNOWN_SEAT"
    UNKNOWN_BET = "UNKNOWN_BET"
    DUPLICATE_WAGER = "DUPLICATE_WAGER"
    NO_BASE_WAGER = "NO_BASE_WAGER"
    WRONG_AMOUNT = "WRONG_AMOUNT"
    BELOW_MINIMUM = "BELOW_MINIMUM"
    ABOVE_MAXIMUM = "ABOVE_MAXIMUM"
    ABOVE_BASE_WAGER = "ABOVE_BASE_WAGER"
    CHIP_COUNT_MISMATCH = "CHIP_COUNT_MISMATCH"
    BAD_CARD = "BAD_CARD"
    NOT_WAGERED = "NOT_WAGERED"
    INCOMPLETE_CARDS = "INCOMPLETE_CARDS"
    IMPOSSIBLE_CARDS = "IMPOSSIBLE_CARDS"
    AWARDS_UNAVAILABLE = "AWARDS_UNAVAILABLE"


class Refusal(Struct, frozen=True):
    """A rejection in words a dealer can act on."""

    code: Rejection
    message: str
    expected: int | None = None
    """With SEQ_GAP the next number, with CHIP_COUNT_MISMATCH the lights that are on."""
