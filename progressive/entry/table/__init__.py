"""A table's two drivers: the controller's socket, and the dealer panel with its page and socket."""
