"""Progressive: jackpot meters for linked table games."""

__version__ = "0.1.0"
