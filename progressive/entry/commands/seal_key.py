"""`progressive seal-key`: the key that seals journals, or a witness's, and its public line."""

from pathlib import Path

import click

from progressive.adapters.data_directory import LOCK_NAME, MANIFEST_NAME
from progressive.adapters.seals.key_file import (
    KeyFileError,
    new_signer,
    read_signer,
    write_key,
)
from progressive.adapters.sqlite.journal_file import FILE_NAME
from progressive.application.seals.note import COSIGNATURE, SIGNATURE, NoteError, origin_of
from progressive.domain.ids import is_id
from progressive.runtime.plain_errors import CannotRunError
from progressive.runtime.streams import OutputError


@click.command("seal-key")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Make a new key there, for its owner only. A file that is there is never overwritten.",
)
@click.option(
    "--public",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Print the public line of a key that is there.",
)
@click.option(
    "--name",
    metavar="NAME",
    help="What the key is called; progressive- and eight digits of its hash, if none is given.",
)
@click.option(
    "--link",
    metavar="LINK",
    help="With --public: the line under which one link's seals are signed, for other tools.",
)
@click.option("--witness", is_flag=True, help="The key of a witness: its line is of another kind.")
def command(
    out: Path | None, public: Path | None, name: str | None, link: str | None, witness: bool
) -> None:
    """Make the key that seals journals; prints its public line, NAME+ID+KEY.

    Whoever has the public line can check every seal: give it to your auditors and witnesses, and
    print it on paper. Keep the private file out of the data directory and out of its backups.
    """
    if (out is None) is (public is None):
        raise click.UsageError("give one of --out FILE, for a new key, and --public FILE")
    if link is not None and (out is not None or witness):
        raise click.UsageError("--link goes with --public, for a key that seals journals")
    if link is not None and not is_id(link):
        raise click.BadParameter(f"{link!r} cannot be a link's id", param_hint="--link")
    if name is not None and public is not None:
        raise click.UsageError("--name goes with --out: a key keeps the name it was made with")
    kind = COSIGNATURE if witness else SIGNATURE
    try:
        if public is not None:
            key = read_signer(public).key(kind)
            click.echo((key if link is None else key.named(origin_of(key.name, link))).text)
        elif out is not None:
            _make(out, name, kind)
    except KeyFileError as error:
        raise CannotRunError(str(error)) from None
    except NoteError as error:
        raise click.BadParameter(str(error), param_hint="--name") from None


def _make(out: Path, name: str | None, kind: int) -> None:
    _refuse_data_directory(out)
    signer = new_signer(name)
    write_key(out, signer)
    try:
        click.echo(signer.key(kind).text)
    except OutputError as error:
        raise CannotRunError(
            f"{error}; the key is made: `progressive seal-key --public {out}` shows its line"
        ) from None
    click.echo(f"key {signer.name} made in {out}", err=True)


def _refuse_data_directory(out: Path) -> None:
    """A key beside the journal goes wherever the journal goes: whoever has both can forge it."""
    for folder in out.resolve().parents:
        for mark in (FILE_NAME, LOCK_NAME, MANIFEST_NAME):
            if (folder / mark).exists():
                raise CannotRunError(
                    f"{out} is in {folder}, a data directory or a backup ({mark} lies there): a "
                    "key beside the journal is copied with it; name a place elsewhere"
                )
