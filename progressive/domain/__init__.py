"""The money rules: pure and synchronous.

No asyncio, clock, randomness, logging, I/O or float in here.
"""
