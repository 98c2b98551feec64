"""Where connections come in: who may hold a place, how long a request may take, whose turn it is.

Knows no domain and nobody's rights: whoever checks a key or a session says so here.
"""
