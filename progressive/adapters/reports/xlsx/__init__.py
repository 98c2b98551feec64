"""The Excel workbook of a report: one sheet of figures, one that says what they are.

Nothing here decides what a report says.
"""
