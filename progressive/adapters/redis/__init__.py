"""The Redis engine for more than one machine goes here: journal, lease, people, publishing.

It implements the same ports as `adapters/sqlite` and passes the same contract suite.
"""
