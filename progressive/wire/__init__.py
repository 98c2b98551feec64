"""The protocol: every message on every socket and route, and its bytes. Pure.

Nothing is decided here; `display/` may import it.
"""
