"""Accounts, sessions, the act log, and how often somebody may try. Ports beside them.

HTTP belongs to `entry/people`, the file to `adapters/sqlite`.
"""
