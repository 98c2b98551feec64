"""What a message or a person's act leads to: an event, a repeat or a refusal. Pure.

`decide.py` is for tables, `acts.py` for people. Nothing here moves a state: that is `domain/state`.
"""
