"""Finding and reading configuration files. What is wrong with one is a problem, never a crash."""

import stat
import tomllib
from pathlib import Path
from typing import Final, Literal

from progressive.adapters.config.problems import Report
from progressive.domain.ids import is_id

FILE_BYTES_MAX: Final = 4 * 1024 * 1024
"""Room for tens of thousands of gaming tables; what is bigger is not a floor file."""

RuleKind = Literal["games", "jurisdictions"]


def shipped_config() -> Path:
    """The folder that holds games/, jurisdictions/ and the demo floor.toml.

    An installed wheel carries it inside the package; a source checkout has it next to the package.
    """
    package = Path(__file__).resolve().parents[2]
    inside = package / "config"
    return inside if inside.is_dir() else package.parent / "config"


def rule_file(kind: RuleKind, name: str, *, beside: Path) -> Path | None:
    """The file of a game or jurisdiction: beside the floor file first, then as shipped."""
    if not is_id(name):
        # A name is no path: nothing outside the two folders can be reached with it.
        return None
    for folder in (beside, shipped_config()):
        file = folder / kind / f"{name}.toml"
        if _may_exist(file):
            return file
    return None


def _may_exist(file: Path) -> bool:
    """False only for certain: a folder that may not be read must not make way for another file."""
    try:
        return file.exists()
    except OSError:
        return True


def rule_names(kind: RuleKind, *, beside: Path) -> list[str]:
    """What `rule_file` would find, for a message that helps."""
    folders = (beside / kind, shipped_config() / kind)
    return sorted({file.stem for folder in folders for file in folder.glob("*.toml")})


def path_text(path: Path) -> str:
    """A path as the user gave it, fit to print: file names are bytes and need not be text."""
    text = str(path).encode(errors="surrogateescape").decode(errors="replace")
    return "".join(character if character.isprintable() else "?" for character in text)


def read_toml(path: Path, report: Report) -> dict[str, object] | None:
    """A file's content, or None and the problem."""
    try:
        return parse_toml(_text(path))
    except FileNotFoundError:
        why = "there is no such file"
    except IsADirectoryError:
        why = "is a folder, not a file"
    except OSError as error:
        why = f"cannot be read: {error.strerror or error}"
    except UnicodeDecodeError as error:
        why = f"is not UTF-8 text: see line {error.object[: error.start].count(10) + 1}"
    except RecursionError:
        why = "is not good TOML: nested too deeply"
    except ValueError as error:
        # tomllib's own error ends with line and column; that of a far too long number does not.
        text = str(error)
        why = f"is not good TOML: {text if len(text) < 200 else text[:100] + ' … ' + text[-50:]}"
    report.problem(path_text(path), "", why)
    return None


def parse_toml(text: str) -> dict[str, object]:
    """What a TOML text says; raises ValueError."""
    # With a line end at the end, tomllib tells the line of a mistake on the last line too.
    return tomllib.loads(text + "\n")


def _text(path: Path) -> str:
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        # Reading a pipe or device could wait for ever.
        raise OSError("not a regular file")
    with path.open("rb") as file:
        raw = file.read(FILE_BYTES_MAX + 1)
    if len(raw) > FILE_BYTES_MAX:
        raise OSError(f"bigger than {FILE_BYTES_MAX} bytes")
    # Some editors put a byte order mark first; TOML does not know it.
    return raw.decode("utf-8-sig")
