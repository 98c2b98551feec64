"""Reads imports with `ast`, and finds what breaks a rule of `layer_rules`. Nothing is run."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.support.layer_rules import (
    CLOCK_CALLS,
    ENGINES,
    IMPURE_MODULES,
    MAY_DIVIDE,
    MAY_SEE,
    WIRING,
)

ROOT = Path(__file__).parents[2]


def modules() -> dict[str, Path]:
    """Every module of ours by its dotted name."""
    found = {}
    for top in ("progressive", "display"):
        for path in sorted((ROOT / top).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


OURS = modules()
FOLDERS = {module for module, path in OURS.items() if path.name == "__init__.py"}


def folder_of(name: str) -> str | None:
    """The folder of ours that a dotted name leads into; None for other people's code."""
    while name:
        if name in FOLDERS:
            return name
        name = name.rpartition(".")[0]
    return None


def in_folders(*folders: str, at_least: int) -> list[tuple[str, Path]]:
    """The modules that lie in these folders or below; too few of them is a failure."""
    found = [
        (module, path)
        for module, path in OURS.items()
        if any(module == folder or module.startswith(folder + ".") for folder in folders)
    ]
    assert len(found) >= at_least, f"only {len(found)} modules in {folders}: did they move?"
    return found


def imports(tree: ast.AST, module: str) -> Iterator[str]:
    """Every name that a module imports, in any form, wherever in the file."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parent = ".".join(module.split(".")[: -node.level])
                base = f"{parent}.{base}".rstrip(".")
            # A folder is seen by what is taken from it: naming it alone shows nothing.
            if base not in FOLDERS:
                yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)
        elif (
            isinstance(node, ast.Call)
            and ast.unparse(node.func) in ("__import__", "import_module", "importlib.import_module")
            and node.args
            and isinstance(node.args[0], ast.Constant)
        ):
            yield str(node.args[0].value)


@cache
def imported(source: str, module: str) -> tuple[str, ...]:
    """Every name that a module of this text imports; a text is read once, however many ask."""
    return tuple(imports(ast.parse(source), module))


def outward_arrows(module: str, source: str) -> list[str]:
    """What a module imports and its folder must not see."""
    folder = folder_of(module)
    if folder is None:
        return []
    allowed = MAY_SEE[folder] | {folder}
    wrong = set()
    for name in imported(source, module):
        seen = folder_of(name)
        if seen is not None and seen not in allowed:
            wrong.add(name)
    return sorted(wrong)


def impurities(module: str, source: str) -> list[str]:
    """What makes a domain module depend on more than its inputs, or inexact."""
    tree = ast.parse(source)
    found = {name for name in imported(source, module) if name.split(".")[0] in IMPURE_MODULES}
    may_divide = folder_of(module) in MAY_DIVIDE
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=float() | complex()):
                found.add(f"line {node.lineno}: {node.value}")
            case ast.Name(id="float" | "open" | "print" | "input" as name):
                found.add(f"line {node.lineno}: {name}")
            case ast.Attribute(attr=attribute) if attribute in CLOCK_CALLS:
                found.add(f"line {node.lineno}: .{attribute}")
            case ast.BinOp(op=ast.Div()) | ast.AugAssign(op=ast.Div()) if not may_divide:
                found.add(f"line {node.lineno}: /")
            case _:
                pass
    return sorted(found)


def reached_from(starts: list[str]) -> set[str]:
    """All modules of ours that these import, and what those import in turn."""
    reached: set[str] = set()
    ahead = starts
    while ahead:
        module = ahead.pop()
        if module in reached:
            continue
        reached.add(module)
        source = OURS[module].read_text("utf-8")
        ahead += [name for name in imported(source, module) if name in OURS]
    return reached


def engines_named(module: str, source: str) -> list[str]:
    """The storage engines that a module of `entry` imports without being wiring."""
    if module in WIRING or folder_of(module) == "progressive.entry.commands":
        return []
    return sorted(name for name in imported(source, module) if folder_of(name) in ENGINES)
