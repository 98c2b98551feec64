"""How `serve` is told to seal: the key, those before it, and the witnesses."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from progressive.adapters.seals.key_file import CREDENTIALS
from progressive.application.seals.note import SIGNATURE, NoteError, VerifierKey, read_key
from progressive.application.seals.witnessing import Witness, read_witness, read_witnesses
from progressive.entry.seals import SealSettings
from progressive.runtime.plain_errors import CannotRunError, in_words

CREDENTIAL: Final = "seal-key"
"""Its name in a unit's LoadCredential=."""

F = TypeVar("F", bound=Callable[..., Any])


def seal_options(command: F) -> F:
    """The options; `seal_settings` makes something of them."""
    for option in reversed(
        (
            click.option(
                "--seal-key",
                type=click.Path(dir_okay=False, path_type=Path),
                metavar="FILE",
                help="The key that seals the journals (progressive seal-key); systemd's credential "
                "seal-key, if none is given. Without a key nothing is sealed.",
            ),
            click.option(
                "--seal-key-before",
                "keys_before",
                multiple=True,
                metavar="VKEY",
                help="Public line of the key that sealed before this one, for a planned change: "
                "what it sealed counts. May be repeated.",
            ),
            click.option(
                "--witness",
                "witnesses",
                multiple=True,
                metavar="'URL VKEY'",
                help="A witness that confirms every seal: its address and its public line. May be "
                "repeated.",
            ),
            click.option(
                "--witnesses",
                "witnesses_file",
                type=click.Path(dir_okay=False, path_type=Path),
                metavar="FILE",
                help="The same, one a line.",
            ),
        )
    ):
        command = option(command)
    return command


def seal_settings(
    data: Path,
    key: Path | None,
    before: tuple[str, ...],
    witnesses: tuple[str, ...],
    witnesses_file: Path | None,
) -> SealSettings:
    """What was asked for; raises click's errors."""
    if key is None:
        key = _credential()
    elif key.resolve().is_relative_to(data.resolve()):
        raise click.BadParameter(
            f"{key} lies in the data directory: whoever copies the journal has the key with it, "
            "and can forge both; move it elsewhere",
            param_hint="--seal-key",
        )
    named = [_witness(each) for each in witnesses]
    if witnesses_file is not None:
        named += _of_file(witnesses_file)
    names = [each.name for each in named]
    if len(set(names)) != len(names):
        raise click.UsageError("two witnesses have one name: they could not be told apart")
    if key is None and (named or before):
        raise click.UsageError("--witness and --seal-key-before need a key: --seal-key FILE")
    return SealSettings(
        key=key, before=tuple([_key(each) for each in before]), witnesses=tuple(named)
    )


def _credential() -> Path | None:
    folder = os.environ.get(CREDENTIALS)
    path = Path(folder) / CREDENTIAL if folder else None
    return path if path is not None and path.exists() else None


def _key(line: str) -> VerifierKey:
    try:
        key = read_key(line)
    except NoteError as error:
        raise click.BadParameter(str(error), param_hint="--seal-key-before") from None
    if key.kind != SIGNATURE:
        raise click.BadParameter(
            f"{key.name} is a witness's key: it seals nothing", param_hint="--seal-key-before"
        )
    return key


def _witness(text: str) -> Witness:
    try:
        return read_witness(text)
    except NoteError as error:
        raise click.BadParameter(str(error), param_hint="--witness") from None


def _of_file(path: Path) -> list[Witness]:
    try:
        return read_witnesses(path.read_text("utf-8"))
    except OSError as error:
        raise CannotRunError(in_words(error)) from None
    except (NoteError, UnicodeDecodeError) as error:
        raise click.BadParameter(f"{path}: {error}", param_hint="--witnesses") from None
