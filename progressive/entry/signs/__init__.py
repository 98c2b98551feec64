"""Signs over HTTP: cards, posted terms, keys, the sign log, and the staff page `/signs`."""
