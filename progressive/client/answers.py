"""PURE. What a table hears from the service, decoded."""

from typing import Final

import msgspec

from progressive.wire.feed_messages import StateChanged
from progressive.wire.table_messages import ErrorMessage, Locked, Settled, Voided, Welcome

Answer = Locked | Settled | Voided
ServerMessage = Welcome | Answer | ErrorMessage | StateChanged

_decoder: Final[msgspec.json.Decoder[ServerMessage]] = msgspec.json.Decoder(ServerMessage)


class UnreadableAnswerError(Exception):
    """A frame that is no message of the protocol."""


def decode_answer(frame: bytes) -> ServerMessage:
    """A frame's message; raises UnreadableAnswerError."""
    try:
        return _decoder.decode(frame)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise UnreadableAnswerError(repr(frame[:200])) from None
