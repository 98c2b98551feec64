"""The witness: cosigns checkpoints of logs that only ever grow, and remembers the newest of each.

Knows signed notes and trees; no journal, no money, no socket and no file.
"""
