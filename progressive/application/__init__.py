"""Use cases: one writer per link, recovery, audit. Asyncio yes, I/O libraries no."""
