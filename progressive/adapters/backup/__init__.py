"""Copies of a data directory elsewhere, and the way back.

Nothing here reads what a record means: whether a copy is good is asked of `verify`, which the
commands hand in.
"""
