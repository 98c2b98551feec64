"""The audit pack of a gaming day as one zip: its files, their names, its statement on one page.

What belongs into it is worked out in `application/finance/pack`; who may have one is asked outside.
"""
