"""Fan-out to signs: encode once, write the same bytes to everyone. Knows no domain.

Sockets and queues only; what a message says belongs to `wire`.
"""
