"""The money rules: pure and synchronous. Flat here: units, ids, cards, commands, acts, events.

No asyncio, clock, randomness, logging, I/O or float in here.
"""
