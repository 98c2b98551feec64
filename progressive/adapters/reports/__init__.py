"""Reports as files go here: CSV, XLSX, PDF, HTML.

What a report says belongs to `application/finance`.
"""
