"""Exact odds, one module for each reader of cards. Only `engines.py` knows them all.

An engine answers what the deal alone decides: every hand of a bet and its probability, as a
fraction, read by the very module that reads the cards on the floor. What the hands are worth is the
paytable's business (`returns.py`).
"""
