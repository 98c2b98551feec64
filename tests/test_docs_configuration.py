"""docs/configuration.md lists every key that a file may have."""

import re
from typing import Final

import pytest

from progressive.adapters.config import floor as config_floor
from progressive.adapters.config import floor_bets as config_floor_bets
from progressive.adapters.config import game_bets as config_game_bets
from progressive.adapters.config import games as config_games
from progressive.adapters.config import policy as config_policy
from progressive.adapters.config import retention as config_retention
from progressive.adapters.config import signs as config_signs
from progressive.adapters.config import tables as config_tables
from tests.support.service import ROOT

PAGE: Final = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")

KEYS: Final = sorted(
    {
        key
        for module in (
            config_floor_bets,
            config_games,
            config_game_bets,
            config_policy,
            config_retention,
            config_signs,
            config_tables,
            config_floor,
        )
        for name, keys in vars(module).items()
        if name.endswith("_KEYS")
        for key in keys
    }
)


CODE: Final = frozenset(re.findall(r"\w+", " ".join(re.findall(r"`([^`\n]+)`", PAGE))))
"""Every word that the page prints as code."""


@pytest.mark.parametrize("key", KEYS)
def test_key_is_documented(key: str) -> None:
    assert key in CODE
