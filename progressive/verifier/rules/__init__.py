"""Every rule that a journal can be held against, one record after the other.

Written from the rule texts and the recorded terms. No file is opened here.
"""
