"""Simulated tables: a client that plays over real sockets and checks every answer.

Knows the protocol and the published terms, nothing of the service's insides: what it finds right
or wrong, a table on the floor would find too.
"""
