"""Hands dealt at random by the million, as a check of the exact odds.

A check that borrows from what it checks is none: nothing here knows `progressive.domain.odds`. It
deals cards, one after another out of a shoe, and reads them by code of its own. The only part of
the program that needs numpy.
"""
