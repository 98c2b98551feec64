"""Signatures, hash trees and signed notes, in the standard library alone.

Knows nothing of files, records or money; what a seal is about is decided in `reading`.
"""
