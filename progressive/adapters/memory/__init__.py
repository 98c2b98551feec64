"""Stores in memory: the reference for the contract suite, and for trying things out."""
