"""The `/finance` pages and the report routes go here.

What they show belongs to `application/finance`.
"""
