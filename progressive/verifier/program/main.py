"""The command line of the verifier as a program of its own. Only the standard library."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NoReturn

from progressive.verifier.findings import StoreCorruptError
from progressive.verifier.program.as_json import encoded
from progressive.verifier.program.page import page
from progressive.verifier.program.progress import TerminalProgress
from progressive.verifier.program.verify_path import Verified, verify_path
from progressive.verifier.proof.checkpoint import KEYS_BYTES_MAX, Keyring, read_keys
from progressive.verifier.proof.note import NoteError
from progressive.verifier.reading.data_directory import How
from progressive.verifier.reading.errors import NotReadableHereError, StoreUnavailableError
from progressive.verifier.reading.found import VerifyResult
from progressive.verifier.reading.seals import StoredSeal, read_kept_seal

GOOD: Final = 0
FOUND: Final = 1
BAD_INPUT: Final = 2
INTERRUPTED: Final = 130
READER_GONE: Final = 141

_ABOUT: Final = """\
Verify what a progressive-jackpot system recorded, with nothing but Python: hash chain, numbering,
every amount, every award, seals. Only reads. Exits with 0, with 1 and the first broken thing named,
or with 2 where the input is bad."""
_PATH: Final = """\
a data directory, a backup or a place with backups, an export (JSON lines), a folder of closed
segments, an unpacked audit pack, the proof of an award, a record or an older seal, or a seal"""


class BadInputError(Exception):
    """What the program was given cannot be used."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line, not the whole usage."""
        raise BadInputError(f"{message} (--help says more)")


def main(arguments: Sequence[str] | None = None) -> int:
    """Verify one path; the exit code."""
    for stream in (sys.stdout, sys.stderr):
        # Names of files may hold anything.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        options = _options(arguments)
        return _run(options)
    except BadInputError as error:
        print(f"Error: {error}", file=sys.stderr)  # noqa: T201 - this is the program
        return BAD_INPUT
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # `| head` has what it wanted; nothing may be flushed into the pipe at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return READER_GONE


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = _Parser(prog="verifier", description=_ABOUT)
    parser.add_argument("path", metavar="PATH", type=Path, help=_PATH)
    parser.add_argument(
        "--key",
        metavar="FILE",
        type=Path,
        help="public keys, one a line: of the house (as `progressive seal-key` prints it) and of "
        "witnesses; then it is a finding where nothing is sealed, and where a witness that stands "
        "there has cosigned nothing",
    )
    parser.add_argument(
        "--seal",
        metavar="FILE",
        type=Path,
        action="append",
        default=[],
        help="a seal that you took away at some time: is this data directory, backup or export "
        "(from record 1 on) still the journal of then? As often as you have some. Also the older "
        "seal of a proof from it",
    )
    parser.add_argument(
        "--record",
        metavar="FILE",
        type=Path,
        help="the record that a proof is about: its line, or an export that holds it",
    )
    parser.add_argument(
        "--jobs", metavar="N", type=int, default=default_jobs(), help="processes (every core)"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object, for machines")
    return parser.parse_args(arguments)


def default_jobs() -> int:
    """As many processes as this one may use processors."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def _run(options: argparse.Namespace) -> int:
    if options.jobs < 1:
        raise BadInputError("--jobs: 1 or more")
    keys = None if options.key is None else keys_of(options.key)
    kept = kept_seals(options.seal)
    progress = TerminalProgress()
    try:
        how = How(keys=keys, kept=kept, jobs=options.jobs, progress=progress)
        verified = verify_path(options.path, how, options.record)
    except (NotReadableHereError, StoreUnavailableError) as error:
        raise BadInputError(str(error)) from None
    except StoreCorruptError as error:
        broken = VerifyResult(ok=False, links=(), file_problems=(str(error),))
        told = encoded(broken) if options.json else f"NOT GOOD: {options.path}: {error}"
        print(told)  # noqa: T201 - this is the program
        return FOUND
    except OSError as error:
        raise BadInputError(in_words(error)) from None
    finally:
        progress.end()
    _print(options, verified)
    return GOOD if verified.ok else FOUND


def _print(options: argparse.Namespace, verified: Verified) -> None:
    if options.json:
        found = verified.journal or verified.note or verified.pack
        lines = [encoded(found)]
    else:
        lines = list(page(str(options.path), verified))
    sys.stdout.write("".join([f"{line}\n" for line in lines]))
    sys.stdout.flush()


def keys_of(path: Path) -> Keyring:
    """The keys that the auditor trusts; raises BadInputError."""
    try:
        with open(path, "rb") as file:
            return read_keys(file.read(KEYS_BYTES_MAX + 1))
    except OSError as error:
        raise BadInputError(f"--key: {in_words(error)}") from None
    except NoteError as error:
        raise BadInputError(f"--key {path}: {error}") from None


def kept_seals(paths: Sequence[Path]) -> tuple[StoredSeal, ...]:
    """Seals that the auditor brought along; raises BadInputError."""
    found = []
    for path in paths:
        try:
            found.append(read_kept_seal(path))
        except OSError as error:
            raise BadInputError(f"--seal: {in_words(error)}") from None
        except NoteError as error:
            raise BadInputError(f"--seal {path}: not a seal: {error}") from None
    return tuple(found)


def in_words(error: OSError) -> str:
    """Which file, and why."""
    why = error.strerror or str(error)
    return why if error.filename is None else f"{error.filename}: {why}"
