"""Exact odds, one module for each reader of cards. The registry is the only place that knows them.

An engine answers what the deal alone decides: every hand of a bet and its probability, as a
fraction. What the hands are worth is the paytable's business (`returns.py`).
"""
