"""What every process of ours starts with: event loop, JSON log, options of the command line.

No fan-out, no domain.
"""
