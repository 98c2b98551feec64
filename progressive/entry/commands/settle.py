"""`progressive settle`: rounds in, results out, a JSON object a line each."""

import sys
from collections.abc import Iterator
from typing import BinaryIO, Final

import click

from progressive.adapters.config.games import shipped_games
from progressive.application.settle_tool.request import LINE_BYTES_MAX, Settler
from progressive.runtime.streams import reading_input

_REFUSED: Final = b'{"error"'


@click.command("settle")
@click.option("--strict", is_flag=True, help="Exit 1 where any line was refused.")
def command(strict: bool) -> None:
    """Settle rounds: one JSON request a line in, one JSON result a line out.

    A line that cannot be settled gets {"error":{"code","message"}}; the rest still run. Nothing is
    remembered from one line to the next.
    """
    settler = Settler(shipped_games())
    refused = 0
    with reading_input() as source:
        for line in _lines(source):
            answer = settler.settle_line(line)
            refused += answer.startswith(_REFUSED)
            sys.stdout.buffer.write(answer + b"\n")
            # Whoever asks round by round waits for each answer before the next question.
            sys.stdout.buffer.flush()
    if strict and refused:
        sys.exit(1)


def _lines(source: BinaryIO) -> Iterator[bytes]:
    """The lines with something in them; of one that is far too long, enough to be refused."""
    while line := source.readline(LINE_BYTES_MAX + 2):
        rest = line
        while not rest.endswith(b"\n") and (rest := source.readline(LINE_BYTES_MAX)):
            pass
        # What ends a line is no part of it; blanks without end are too long to be called blank.
        line = line.removesuffix(b"\n").removesuffix(b"\r")
        if line.strip() or len(line) > LINE_BYTES_MAX:
            yield line
