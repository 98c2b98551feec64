"""Keys of tables, signs and relays, as files that hold only their hashes.

The command line uses the plain classes, the service `store`, which never blocks its loop.
"""
