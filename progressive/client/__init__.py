"""The library for makers of table controllers: one table, several nodes, every message once.

Knows the protocol (`wire`) and nothing of how a service answers; docs/client.md is its guide.
"""
