"""What a gaming day comes to, and what keeps it from closing.

COLD. Reads day books and reports; whether somebody may close the day is decided in `domain`.
"""
