"""One file per technology, each behind a port of application/ports.py."""
