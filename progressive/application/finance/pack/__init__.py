"""What an audit pack of a gaming day holds: ties, sample, the records beside the day.

COLD. Reads the journal and its seals; knows no file format and writes nothing.
"""
