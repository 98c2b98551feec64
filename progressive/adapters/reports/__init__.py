"""Reports as files: one module a format, and `render`, which all callers use.

What a report says belongs to `application/finance`. The same report gives the same bytes: nothing
here reads a clock, a locale or the environment.
"""
