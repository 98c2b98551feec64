"""Fan-out to signs: encode once, write the same bytes to everyone. Knows no domain."""
