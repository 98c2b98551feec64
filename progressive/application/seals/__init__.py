"""Seals: signed checkpoints over a link's journal, their Merkle tree, and proofs from it.

Pure formats and sums. Keys, files, processes and sockets live in `adapters/seals` and `entry`.
"""
