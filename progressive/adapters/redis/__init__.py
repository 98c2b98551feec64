"""The Redis engine: the log that several nodes share (`application/shared/ports.py`).

It stores bytes and compares texts. No amount is ever read here: numbers in Lua are doubles.
"""
