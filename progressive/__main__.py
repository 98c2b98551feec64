"""`python -m progressive` is the `progressive` command."""

from progressive.entry.cli import main

main()
