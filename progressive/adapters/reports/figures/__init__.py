"""What the formats share: values and facts as people read them, wide rows on several lines.

Nothing here knows a file format.
"""
