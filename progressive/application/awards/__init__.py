"""Reads of one award: the settlement sheet, and what the dealer has to do next."""
