"""What all pages and routes share: errors, page frame, headers, TLS, times; and the public routes.

What belongs to one page or noun has a folder of its own.
"""
