"""Seals on the disk and their keys: Ed25519 by `cryptography`, key files, notes and tree files.

The formats are those of `application/seals`. Nothing here decides when to sign.
"""
