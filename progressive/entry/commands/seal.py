"""`progressive seal`: the newest seal of a link, or a proof from it, as a file to carry away."""

import asyncio
from pathlib import Path

import click

from progressive.adapters.data_directory import refuse_unusable
from progressive.adapters.durable import write_whole
from progressive.adapters.seals.files import LinkSeals
from progressive.adapters.sqlite.journal_file import FILE_NAME
from progressive.adapters.sqlite.journal_reader import SqliteJournalReader
from progressive.application.seals.proving import (
    NotSealedError,
    NotYetSealedError,
    SealReading,
    consistency_text,
    proof_text,
)
from progressive.domain.ids import LinkId
from progressive.runtime.out_file import naming, refuse_not_a_file
from progressive.runtime.plain_errors import CannotRunError, FindingError


@click.command("seal")
@click.option(
    "--data",
    required=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The service's data directory; nothing in it is changed.",
)
@click.option("--link", required=True, metavar="LINK", help="Whose seal.")
@click.option(
    "--proof",
    "seq",
    type=click.IntRange(min=1),
    metavar="SEQ",
    help="That this record is in the newest seal: C2SP tlog-proof.",
)
@click.option(
    "--from",
    "old_size",
    type=click.IntRange(min=0),
    metavar="SIZE",
    help="That the newest seal extends one of so many records.",
)
@click.option(
    "-o",
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write it there instead of to standard output.",
)
def command(data: Path, link: str, seq: int | None, old_size: int | None, out: Path | None) -> None:
    """Print the newest seal of a link, with what its witnesses signed.

    Take it away, on paper or on another machine: whoever has it can say later whether the journal
    is still the one that was sealed. Works beside a running service and on a stopped one.
    """
    if seq is not None and old_size is not None:
        raise click.UsageError("give --proof or --from, not both")
    if out is not None:
        refuse_not_a_file(out)
    refuse_unusable(data)
    if not (data / FILE_NAME).exists():
        raise CannotRunError(f"there is no journal in {data}")
    try:
        content = asyncio.run(_made(data, LinkId(link), seq, old_size))
    except (NotSealedError, NotYetSealedError) as error:
        raise FindingError(str(error)) from None
    if out is None:
        click.echo(content, nl=False)
        return
    with naming(out):
        write_whole(out, content)
    click.echo(f"written to {out}", err=True)


async def _made(data: Path, link: LinkId, seq: int | None, old_size: int | None) -> bytes:
    seals = SealReading(
        SqliteJournalReader(data, unchanged=True), lambda each: LinkSeals(data, each)
    )
    if seq is not None:
        seal, found = await seals.inclusions(link, [seq])
        return proof_text(seq - 1, found[0].hashes, seal.note)
    if old_size is not None:
        seal, hashes = await seals.consistency(link, old_size)
        return consistency_text(old_size, hashes, seal.note)
    return (await seals.newest(link)).note
