"""What people of finance ask the running service, and how the one process that answers is asked.

Knows the questions and whose turn it is; what answers them is in `questions/`, and who in `entry`.
"""
