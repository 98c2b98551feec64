"""COLD where it is not said otherwise. One journal on several machines: the log that nodes share,
and the copy that each of them holds. What engine the log lies on is not known here.
"""
