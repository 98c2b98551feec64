"""What stands in records and saved states: plain values, and the strict decoder from JSON to them.

No rule is applied here: what a value may be, never what it should be.
"""
