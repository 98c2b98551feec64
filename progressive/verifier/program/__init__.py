"""The verifier as a program: arguments, what lies at a path, processes, the report.

The outermost part of it: nothing else in the verifier imports this.
"""
