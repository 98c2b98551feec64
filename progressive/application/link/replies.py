"""Waiting for an answer of the writer without binding it to whoever waits."""

import asyncio
from typing import TypeVar

_Answer = TypeVar("_Answer")


class FateUnknownError(Exception):
    """The journal failed under a person's act: it may be durable or not."""


def resolve(done: "asyncio.Future[_Answer]", answer: _Answer) -> None:
    """Answer, unless whoever asked has gone away meanwhile."""
    if not done.done():
        done.set_result(answer)
