"""The rule texts and the floor's terms as checked, plain data.

No cards are read and no money moves here.
"""
