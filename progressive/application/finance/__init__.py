"""Meters for those who reconcile. Gaming days and one file for each kind of report go here.

Everything is computed from the journal; nothing here writes.
"""
