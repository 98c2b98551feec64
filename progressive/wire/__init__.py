"""The protocol: every message and its bytes. Pure; display/ may import it."""
