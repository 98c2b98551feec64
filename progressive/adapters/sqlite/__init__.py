"""SQLite: one file helper, and on it the journal, people and the sign log. SQL scripts in `sql/`.

Driver errors become the errors of the ports here and nowhere else.
"""
