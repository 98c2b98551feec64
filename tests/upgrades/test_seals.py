"""A data directory of a released version is sealed by today's program, from its first record on."""

import asyncio
from pathlib import Path

import pytest

from progressive.adapters.seals.files import LinkSeals
from progressive.adapters.seals.key_file import new_signer, write_key
from progressive.adapters.sqlite.journal_reader import SqliteJournalReader
from tests.support.sealed import checkpoint_of, tree_of
from tests.upgrades.today import NAMES, Upgraded

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", NAMES)
async def test_an_older_directory_is_sealed_whole(name: str, tmp_path: Path) -> None:
    upgraded = Upgraded(name, tmp_path)
    key = tmp_path / "seal-key"
    write_key(key, new_signer("house"))
    journal = SqliteJournalReader(upgraded.data, unchanged=True)
    for _ in range(2):
        # The second start opens what the first one sealed.
        with upgraded.program.serve(
            upgraded.floor, upgraded.data, "--seal-key", str(key)
        ) as service:
            await asyncio.to_thread(service.stop)
        # One whose floor file nobody has approved yet is not opened, and not sealed.
        live = [
            each for each in await journal.links() if f'live","link":"{each}"' in upgraded.log()
        ]
        assert live
        for link in live:
            records = [stored async for chunk in journal.read(link) for stored in chunk]
            newest = checkpoint_of(LinkSeals(upgraded.data, link).newest())
            assert newest.origin == f"house/{link}"
            assert newest.root == tree_of(records[: newest.size]).root()
            assert newest.size == len(records)
        assert "not the one that was sealed" not in upgraded.log()
