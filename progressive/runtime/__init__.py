"""What every process of ours starts with: event loop, JSON log, command line, streams, TLS.

No fan-out, no domain.
"""
