"""`python3 verifier.pyz` and `python -m progressive.verifier`: the auditor's program."""

import sys

from progressive.verifier.program.main import main

if __name__ == "__main__":
    sys.exit(main())
