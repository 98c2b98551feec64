"""COLD. The second reading of a journal, for `progressive verify`.

Imports the record format and the plain data of `domain`, and nothing else of the writer's code.
"""
