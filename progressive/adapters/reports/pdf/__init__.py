"""The PDF of a report: paper, table, charts, signatures.

Nothing here decides what a report says.
"""
