"""The journal as bytes: record format, reader port, the past at a moment, closed segments. Seals go
here.

What a record means for money belongs to `domain`, how a file is written to `adapters`.
"""
