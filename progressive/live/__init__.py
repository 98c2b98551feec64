"""Fan-out to signs: encode once, write the same bytes to everyone. Knows no domain.

Also what every process that does so runs on: the event loop, options, and logs as JSON lines.
"""
