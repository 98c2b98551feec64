"""What a link looks like now: its state, its ledger, and the fold that moves both by one event.

Nothing here decides or refuses; nothing here imports `domain/decide`.
"""
