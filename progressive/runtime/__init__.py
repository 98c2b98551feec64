"""What every process of ours has: event loop, JSON log, command line, streams, TLS, series.

No fan-out, no domain.
"""
