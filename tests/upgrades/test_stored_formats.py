"""No stored format changes without upgrade data: `docs/stored-formats.md` is held against the code,
the data, and what a running service leaves on the disk.
"""

import contextlib
import json
import re
import sqlite3
from collections.abc import Iterator
from fnmatch import fnmatch
from importlib import resources
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from progressive.adapters import committed, kept_audits, kept_findings
from progressive.adapters.backup import manifest, restore
from progressive.application.journal import segments
from progressive.application.link.snapshot import encode_state
from progressive.domain.events import Event
from progressive.domain.ids import LinkId
from progressive.domain.state.link_state import LinkState
from tests.upgrades.stored import FOLDER, Stored, recorded, sources, versions
from tests.upgrades.today import NAMES, ROOT, Upgraded

PAGE = ROOT / "docs" / "stored-formats.md"
SEE = "see 'Changing a stored format' in docs/stored-formats.md"
ROW = re.compile(r"^\| `([^`]+)` \|.*\| (\d+) \| (none|[\d, ]+) \|$", re.MULTILINE)
BESIDE = re.compile(r"`([a-z]+\.sqlite3-[a-z]+)`")
SQL = ("journal", "people", "signs")
BYTES_MAX = 300 * 1024


@pytest.fixture(scope="module")
def all_stored(tmp_path_factory: pytest.TempPathFactory) -> list[Stored]:
    folder = tmp_path_factory.mktemp("all")
    return [Stored(source, folder / str(place)) for place, source in enumerate(sources())]


def listed() -> dict[str, tuple[int, set[int]]]:
    """Of each file kind on the page: its newest version, and those in the test data."""
    return {
        name: (int(newest), set() if held == "none" else {int(each) for each in held.split(",")})
        for name, newest, held in ROW.findall(PAGE.read_text("utf-8"))
    }


def not_released(what: str) -> set[str]:
    """What the page says that no released version writes yet."""
    found = re.search(rf"^- {what}: (.+)$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert found is not None, f"the page does not say which {what} are new"
    return set() if found[1] == "none" else set(re.findall(r"`([^`]+)`", found[1]))


def scripts(kind: str) -> list[str]:
    folder = resources.files("progressive.adapters.sqlite").joinpath("sql", kind)
    found = [(each.name, each.read_text("utf-8")) for each in folder.iterdir()]
    return [text for name, text in sorted(found) if name.endswith(".sql")]


def schema(db: sqlite3.Connection) -> list[tuple[str, str]]:
    rows = db.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name")
    return [(name, sql) for name, sql in rows]


def journals(all_stored: list[Stored]) -> Iterator[sqlite3.Connection]:
    for stored in all_stored:
        with contextlib.closing(sqlite3.connect(stored.data / "journal.sqlite3")) as db:
            yield db


# --- the files ----------------------------------------------------------------------------------


def test_every_kind_of_sqlite_file_is_listed() -> None:
    folder = resources.files("progressive.adapters.sqlite").joinpath("sql")
    kinds = {each.name for each in folder.iterdir() if each.is_dir() and each.name[0] != "_"}
    assert kinds == set(SQL), SEE
    assert {f"{kind}.sqlite3" for kind in kinds} <= set(listed()), SEE


@pytest.mark.parametrize("kind", SQL)
def test_every_sql_script_has_upgrade_data(kind: str, all_stored: list[Stored]) -> None:
    newest, held = listed()[f"{kind}.sqlite3"]
    assert len(scripts(kind)) == newest, f"{kind}: another script than the page has; {SEE}"
    found = set()
    for stored in all_stored:
        with contextlib.closing(sqlite3.connect(stored.data / f"{kind}.sqlite3")) as db:
            found.add(db.execute("PRAGMA user_version").fetchone()[0])
    assert found == held, f"{kind}: other versions in the data than on the page; {SEE}"
    # Scripts that no release has can have no data; the first release's must.
    assert 1 in held, f"{kind}: no data of the first version; {SEE}"


@pytest.mark.parametrize("kind", SQL)
def test_script_of_a_released_version_still_says_the_same(
    kind: str, all_stored: list[Stored]
) -> None:
    for stored in all_stored:
        with (
            contextlib.closing(sqlite3.connect(stored.data / f"{kind}.sqlite3")) as db,
            contextlib.closing(sqlite3.connect(":memory:")) as made,
        ):
            for script in scripts(kind)[: db.execute("PRAGMA user_version").fetchone()[0]]:
                made.executescript(script)
            assert schema(db) == schema(made), f"{kind}: a released script was changed; {SEE}"


@pytest.mark.parametrize(
    ("stored", "version"),
    [
        ("segments/*/*.index.json", segments.INDEX_VERSION),
        ("committed/*.json", committed.VERSION),
        ("losses/*.json", committed.VERSION),
        ("findings/*.json", kept_findings.VERSION),
        ("audited/*.json", kept_audits.VERSION),
        ("restoring.json", restore.VERSION),
    ],
)
def test_every_version_in_a_json_file_is_listed(stored: str, version: int) -> None:
    newest, _ = listed()[stored]
    assert newest == version, f"{stored}: another version than the page has; {SEE}"


def test_version_of_backups_is_listed() -> None:
    assert f"`version` in each, newest {manifest.VERSION} " in PAGE.read_text("utf-8"), SEE


@pytest.mark.slow
def test_service_leaves_no_file_that_is_not_listed(tmp_path: Path) -> None:
    upgraded = Upgraded("0.1.0/awards", tmp_path / "stored")
    with upgraded.served() as service:
        running = files_in(upgraded.data)
        service.kill()
    known = [*listed(), *BESIDE.findall(PAGE.read_text("utf-8"))]
    for name in running | files_in(upgraded.data):
        assert any(fnmatch(name, pattern) for pattern in known), f"{name} is not listed; {SEE}"


def test_every_listed_file_is_in_the_newest_upgrade_data(all_stored: list[Stored]) -> None:
    newest = [name for name in NAMES if name.startswith(f"{versions()[-1]}/")]
    found = set[str]()
    for name, stored in zip(NAMES, all_stored, strict=True):
        if name in newest:
            # Unpacked again: a test before may have opened these.
            found |= files_in(Stored(FOLDER / name, stored.data.parent / "again").data)
    held = [name for name, (_, versions_held) in listed().items() if versions_held]
    for pattern in [*held, *BESIDE.findall(PAGE.read_text("utf-8"))]:
        assert any(fnmatch(name, pattern) for name in found), f"no data has {pattern}; {SEE}"
    # What no released version writes is in no data: once it is, the page says so.
    for pattern in set(listed()) - set(held):
        assert not any(fnmatch(name, pattern) for name in found), f"{pattern} has data; {SEE}"


def files_in(data: Path) -> set[str]:
    return {str(path.relative_to(data)) for path in data.rglob("*") if path.is_file()}


# --- what is in them ----------------------------------------------------------------------------


def test_every_type_of_event_has_upgrade_data(all_stored: list[Stored]) -> None:
    types = {msgspec.inspect.type_info(each).tag for each in get_args(Event)}
    assert len(types) > 15
    found = {
        json.loads(record)["event"]["type"]
        for db in journals(all_stored)
        for (body,) in db.execute("SELECT body FROM batch")
        for record in body.splitlines()
    }
    assert types - found == not_released("types of events"), SEE
    assert found <= types, "an event of a released version is not known any more"


def test_every_field_of_a_snapshot_is_filled_in_upgrade_data(all_stored: list[Stored]) -> None:
    fields = set(json.loads(encode_state(LinkState(link=LinkId("main")))))
    assert len(fields) > 15
    filled = {
        name
        for db in journals(all_stored)
        for (body,) in db.execute("SELECT body FROM snapshot")
        for name, value in json.loads(body).items()
        if value
    }
    assert fields - filled == not_released("fields of the snapshot"), SEE


# --- the data itself ----------------------------------------------------------------------------


def test_upgrade_data_is_small_and_holds_no_path(all_stored: list[Stored]) -> None:
    for version in versions():
        files = [path for path in (FOLDER / version).rglob("*") if path.is_file()]
        assert sum(path.stat().st_size for path in files) < BYTES_MAX
    contents = [path.read_bytes() for each in all_stored for path in _files(each.data)]
    assert len(contents) > 20
    for content in contents:
        assert b"/home/" not in content
        assert b"/tmp/" not in content


def test_upgrade_data_was_made_by_the_version_it_stands_under() -> None:
    for source in sources():
        assert recorded(source)["made_with"].split()[-1] == source.parent.name


def _files(data: Path) -> list[Path]:
    return [path for path in data.rglob("*") if path.is_file()]
