"""Whoever stops reading in the middle closes what it read from: a store holds a file for it."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeVar

T = TypeVar("T")


@asynccontextmanager
async def reading(chunks: AsyncIterator[T]) -> AsyncIterator[AsyncIterator[T]]:
    """The chunks of a `JournalReader`, closed at the end of the block at the latest."""
    try:
        yield chunks
    finally:
        if isinstance(chunks, AsyncGenerator):
            await chunks.aclose()
