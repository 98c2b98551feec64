"""Which signs are there, what they report, what each one read at a moment."""
