"""Whoever stops reading in the middle closes what it read from: a store holds a file for it."""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager

Chunks = AsyncIterator[Sequence[bytes]]


@asynccontextmanager
async def reading(chunks: Chunks) -> AsyncIterator[Chunks]:
    """The chunks of a `JournalReader`, closed at the end of the block at the latest."""
    try:
        yield chunks
    finally:
        if isinstance(chunks, AsyncGenerator):
            await chunks.aclose()
