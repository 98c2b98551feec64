"""Everything the verifier reads: databases, segments, seals, backups, exports. Never writes.

A look changes no byte and no name where it looks; what is read is judged by `rules`.
"""
