"""Small helpers without a subject, for every layer but the domain. Standard library only.

What knows the time, a socket or a word of the trade has a folder of its own.
"""
