"""The auditor's program: reads a journal and does every sum again. Standard library only.

Nothing of our own code is imported from outside this folder, so a mistake of the writer shows here.
"""
