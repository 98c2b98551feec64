"""Entries of the `gl` report as files of ledger programs: import templates, plain-text ledgers.

Whole cents in, text out; no entry is made or changed here.
"""
