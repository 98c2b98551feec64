"""Keys of tables, signs and relays, as files that hold only their hashes."""
