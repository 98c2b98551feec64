"""One file a kind of report: day books in, one `Report` out.

Pure: no journal, clock or file is read here, and nothing is typed in that the books do not hold.
"""
