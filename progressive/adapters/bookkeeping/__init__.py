"""The process that answers questions of finance, as the service sees it: a pipe and its frames.

Knows no report and no journal.
"""
