"""Figures as tables on the console."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from tests.bench.measured import Measured


def show_grid(console: Console, title: str, columns: Sequence[str], rows: list[list[str]]) -> None:
    """The first column is text, the others are figures."""
    grid = Table(title=title)
    for number, column in enumerate(columns):
        grid.add_column(column, justify="right" if number else "left")
    for row in rows:
        grid.add_row(*row)
    console.print(grid)


SIGN_COLUMNS = (
    "server",
    "messages/s",
    "p50 ms",
    "p99 ms",
    "cpu s/million",
    "kernel",
    "skipped",
    "load busy",
)


def sign_row(label: str, measured: Measured | None) -> list[str]:
    if measured is None:
        return [label, "not available here"]
    return [
        label,
        f"{measured.rate:,.0f}",
        f"{measured.p50_ms:.1f}",
        f"{measured.p99_ms:.1f}",
        f"{measured.cpu_us:.2f}",
        f"{measured.kernel_us:.2f}",
        f"{measured.errors:,}",
        f"{measured.load_busy:.0%}",
    ]
