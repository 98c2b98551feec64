"""One module per kind of bet: cards to pay line. Only `readers.py` knows them all.

A module answers what its rule text asks of the cards and nothing about money. A hand often makes
several lines of one another (three 7s are also two 7s): a reader names them all, and the paytable,
whose lines stand highest first, picks the one that is paid.
"""
