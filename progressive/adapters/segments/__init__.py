"""Closed segments of a journal as files: `segments/LINK/NUMBER-DAY.*` in the data directory.

They need this program neither to be read nor to be checked: `zcat` shows the records, one JSON line
each, and `sha256sum` tells whether a file is the one that the store speaks of.
"""
