"""The journal as bytes: record format, reader port, the past at a moment. Segments, seals go here.

What a record means for money belongs to `domain`.
"""
