"""Rule files that lie beside the floor file and are read instead of the shipped ones.

They are lawful to use, and part of the recorded terms: two people approve each by its SHA-256.
"""

from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from progressive.adapters.config.files import FILE_BYTES_MAX, RuleKind, shipped_config


class LocalRules:
    """The local files that one floor reads."""

    def __init__(self) -> None:
        self._digests: dict[tuple[RuleKind, str], str] = {}

    def take(self, kind: RuleKind, name: str, file: Path) -> bool:
        """Note a file that is read; True where it is a local one."""
        if file.parent.parent.resolve() == shipped_config().resolve():
            return False
        try:
            with file.open("rb") as opened:
                self._digests[kind, name] = sha256(opened.read(FILE_BYTES_MAX + 1)).hexdigest()
        except OSError:
            # Whoever reads its content says what is wrong with it.
            return False
        return True

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
