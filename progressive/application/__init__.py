"""Use cases, a folder a noun, each with its ports beside it. Asyncio yes, drivers and I/O no."""
