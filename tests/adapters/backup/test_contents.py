"""What a backup holds is held against the page that lists every stored file."""

import re
from pathlib import Path

import pytest

from progressive.adapters.backup.contents import (
    is_left_out,
    seal_files,
    small_files,
    unknown_names,
)
from progressive.adapters.backup.manifest import BadManifestError, decode_manifest
from tests.support.service import ROOT

ROW = re.compile(r"^\| `([^`]+)` \|.*\| \d+ \| (?:none|[\d, ]+) \|$", re.MULTILINE)


def test_every_stored_file_is_known() -> None:
    listed = ROW.findall((ROOT / "docs" / "stored-formats.md").read_text("utf-8"))
    assert len(listed) > 10
    for pattern in listed:
        assert is_left_out(pattern.partition("/")[0]), f"{pattern} would be in no backup"


def test_a_file_of_somebody_else_is_named(tmp_path: Path) -> None:
    for name in ("notes.txt", "journal.sqlite3", "journal.sqlite3-wal", "in-use", ".hidden"):
        (tmp_path / name).touch()
    (tmp_path / "before-restore-2026-11-18T07-30-00Z").mkdir()
    assert unknown_names(tmp_path) == ["notes.txt"]


def test_a_key_that_is_being_written_is_not_copied(tmp_path: Path) -> None:
    for name in ("BJ-01.json", "BJ-02.0123.part", ".BJ-03.json.new", "pit.removed"):
        (tmp_path / name).touch()
    assert small_files(tmp_path) == ["BJ-01.json", "pit.removed"]


def test_the_newest_seal_is_copied_behind_other_seals_and_before_the_tree(tmp_path: Path) -> None:
    names = ("tree-8", "newest.note", "000001-2026-11-16.note", "witnesses.json", "at-9.note")
    for name in names:
        (tmp_path / name).touch()
    assert seal_files(tmp_path)[-2:] == ["newest.note", "tree-8"]
    assert len(seal_files(tmp_path)) == len(names)


@pytest.mark.parametrize(
    "path",
    [
        "../keys/BJ-01.json",
        "/etc/passwd",
        "keys/../../BJ-01.json",
        "keys/.hidden",
        "keys/a/b.json",
        "in-use",
        "restoring.json",
        "before-restore-2026/journal.sqlite3",
        "journal.sqlite3-wal",
        "segments/main",
        "segments/../main/000001.jsonl.gz",
        "keys",
        "",
    ],
)
def test_a_manifest_names_only_what_a_backup_holds(path: str) -> None:
    whole = (
        '{"version":1,"program":"p","made_at":"2026-01-02T03:04:05Z","links":[],"files":[{"path":"%s","bytes":0,'
        f'"sha256":"{"0" * 64}"}}]}}'
    )
    with pytest.raises(BadManifestError, match="which no backup holds"):
        decode_manifest((whole % path).encode())
    assert decode_manifest((whole % "keys/BJ-01.json").encode()).files[0].path == "keys/BJ-01.json"


def test_a_manifest_of_a_newer_version_is_refused() -> None:
    with pytest.raises(BadManifestError, match="newer version"):
        decode_manifest(b'{"version":2}')
