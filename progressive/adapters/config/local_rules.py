"""Rule files that lie beside the floor file and are read instead of the shipped ones.

They are lawful to use, and part of the recorded terms: two people approve each by its SHA-256.
Where one asks for less than the shipped file of its name, that is said value by value.
"""

from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from progressive.adapters.config.files import (
    FILE_BYTES_MAX,
    RuleKind,
    path_text,
    shipped_config,
)
from progressive.adapters.config.games import load_game, load_jurisdiction
from progressive.adapters.config.problems import Report
from progressive.domain.rulebook.jurisdiction import Jurisdiction
from progressive.domain.rulebook.lesser_rules import (
    Lesser,
    lesser_in_game,
    lesser_in_jurisdiction,
)
from progressive.domain.rulebook.paytable import Game


class LocalRules:
    """The local files that one floor reads."""

    def __init__(self, report: Report) -> None:
        self.lesser: list[str] = []
        """What they ask less for, a sentence each, beginning with the name of the file."""
        self._report = report
        self._digests: dict[tuple[RuleKind, str], str] = {}

    def note(self, kind: RuleKind, name: str, file: Path) -> None:
        """A file that is read; a local one is remembered by its digest."""
        if not _is_local(file):
            return
        try:
            with file.open("rb") as opened:
                self._digests[kind, name] = sha256(opened.read(FILE_BYTES_MAX + 1)).hexdigest()
        except OSError:
            # Whoever reads its content says what is wrong with it.
            return

    def compare(self, kind: RuleKind, file: Path, local: Game | Jurisdiction | None) -> None:
        """Say where a file that was read asks for less than the shipped one of its name."""
        shipped = shipped_config() / kind / file.name
        if local is None or not _is_local(file) or not shipped.exists():
            return
        lesser = _lesser(local, shipped)
        for each in lesser:
            self.lesser.append(f"{local.id}: {each.sentence}")
            self._report.warning(
                path_text(file), local.id, each.sentence, value=each.local, clause=each.clause
            )
        if not lesser:
            message = "is read instead of the shipped file of this name, and asks for no less"
            self._report.warning(path_text(file), local.id, message)

    def recorded(self, jurisdiction: object, games: Iterable[object]) -> list[dict[str, object]]:
        """The local files among these, as the terms record them."""
        wanted: list[tuple[RuleKind, str]] = [("jurisdictions", str(jurisdiction))]
        wanted += [("games", name) for name in sorted({str(game) for game in games})]
        return [
            {
                "kind": "game" if kind == "games" else "jurisdiction",
                "name": name,
                "sha256": self._digests[kind, name],
            }
            for kind, name in wanted
            if (kind, name) in self._digests
        ]


def _is_local(file: Path) -> bool:
    return file.parent.parent.resolve() != shipped_config().resolve()


def _lesser(local: Game | Jurisdiction, shipped: Path) -> list[Lesser]:
    """What the shipped file asks more for; it is known to be good."""
    unread = Report()
    if isinstance(local, Game):
        game = load_game(shipped, unread)
        return [] if game is None else lesser_in_game(local, game)
    jurisdiction = load_jurisdiction(shipped, unread)
    return [] if jurisdiction is None else lesser_in_jurisdiction(local, jurisdiction)
