"""The pit console: its board, its socket, its page, and the routes for alarms."""
