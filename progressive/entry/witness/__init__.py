"""The witness as a small server: its routes, its page and its start.

Knows notes and logs. It must never see a journal, a meter or an amount.
"""
