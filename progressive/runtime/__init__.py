"""What every process of ours has: event loop, JSON log, options of the command line, series.

No fan-out, no domain.
"""
