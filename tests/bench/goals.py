"""What is to be reached, and whether it was."""

from msgspec import Struct
from rich.console import Console


class Goal(Struct, frozen=True):
    """A figure and its aim: at least so much, or at most."""

    what: str
    figure: float | None
    """None: it could not be measured on this machine."""
    aim: float
    at_most: bool = False
    unit: str = ""
    noise: float | None = None
    """Slowest to fastest turn of one and the same thing: less than that tells nothing."""

    @property
    def reached(self) -> bool:
        if self.figure is None:
            return False
        return self.figure <= self.aim if self.at_most else self.figure >= self.aim

    def __str__(self) -> str:
        if self.figure is None:
            return f"{self.what}: not available here"
        verdict = "reached" if self.reached else "MISSED"
        if not self.reached and self.noise is not None and self.figure >= self.noise:
            verdict = f"within the noise of {self.noise:.2f}"
        aim = f"{'at most ' if self.at_most else ''}{round(self.aim, 2):g}{self.unit}"
        return f"{self.what}: {self.figure:.2f}{self.unit} (goal {aim}: {verdict})"


def show_goals(console: Console, goals: list[Goal]) -> None:
    for goal in goals:
        console.print(str(goal), highlight=False)
