"""The outermost layer: sockets, HTTP, command line, and the wiring of it all."""
