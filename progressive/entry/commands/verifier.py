"""`progressive verifier`: the auditor's program as one file, for a machine with nothing but Python.

The same modules give the same bytes, so that an auditor can compare its hash with somebody else's.
"""

import hashlib
from pathlib import Path

import click

from progressive.entry.verifier_file import verifier_file
from progressive.runtime.out_file import naming
from progressive.runtime.plain_errors import CannotRunError
from progressive.runtime.streams import print_line


@click.command("verifier")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    help="The file to write, like verifier.pyz. One that is there already is not written over.",
)
def command(out: Path) -> None:
    """Write the auditor's verifier as one file, and print its SHA-256.

    It runs on any machine with Python 3.11 and nothing else: python3 -I -S verifier.pyz PATH, where
    PATH is a data directory, a backup, an export, a folder of segments, an award proof or a seal.
    """
    body = verifier_file()
    with naming(out):
        try:
            file = open(out, "xb")  # noqa: SIM115 - closed below
        except FileExistsError:
            raise CannotRunError(
                f"{out} is there already: remove it, or choose another name"
            ) from None
        try:
            with file:
                file.write(body)
        except OSError:
            # Half a program would only be in the way of the next try.
            out.unlink(missing_ok=True)
            raise
    print_line(f"{hashlib.sha256(body).hexdigest()}  {out}")
