"""The day book: what the reports of one link and one gaming day need, folded from its records once.

Plain values and whole numbers only; no report's wording, and nothing that writes a journal.
"""
