"""Questions about a link's money, answered whole: reports over days, and how a meter came about.

Brings the books from the journal, from where they are stored, or by folding; writes no journal.
"""
