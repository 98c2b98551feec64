"""The writer of a link: batches, recovery, snapshots, what others see of it. HOT files are marked.

No driver, no socket, no page.
"""
