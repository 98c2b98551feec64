"""Figures of a backup as a text file for the node exporter's textfile collector."""

import os
from pathlib import Path

FILE_MODE = 0o644
"""Another user's program reads it, and nothing in it is secret."""


def write_metrics(path: Path, series: dict[str, tuple[str, float]]) -> None:
    """Written whole: by name, what it means and its value."""
    lines = []
    for name, (meaning, value) in series.items():
        lines += [f"# HELP {name} {meaning}", f"# TYPE {name} gauge", f"{name} {value:.10g}"]
    # The collector reads names that end with .prom only.
    temporary = path.with_name(f".{path.name}.new")
    temporary.write_text("\n".join(lines) + "\n", encoding="utf-8")
    os.chmod(temporary, FILE_MODE)
    temporary.replace(path)
