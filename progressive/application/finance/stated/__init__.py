"""What people stated about gaming days: figures they entered, days they prepared and closed.

COLD. Read from the journal; what may be stated is decided in `domain/decide/days.py`.
"""
