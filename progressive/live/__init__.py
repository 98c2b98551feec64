"""Sockets that call back frame by frame, and fan-out: encode once, write the same bytes to all.

Knows no domain; what a message says belongs to `wire`.
"""
