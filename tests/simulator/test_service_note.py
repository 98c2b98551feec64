"""The note that tells where a service keeps its data: for the same user only, and no stale ones."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from progressive.adapters import service_note

URL = "http://127.0.0.1:8123"


@pytest.fixture
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "run"
    folder.mkdir()
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(temporary))
    return folder


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def written(data: Path, url: str = URL) -> Path:
    path = service_note.write(url, data)
    assert path is not None
    return path


def test_a_note_is_found_by_its_port(runtime: Path, data: Path) -> None:
    path = written(data)
    assert path == runtime / f"progressive-{os.geteuid()}" / "8123.json"
    assert service_note.find(URL) == data
    assert service_note.find("http://localhost:8123/") == data
    assert service_note.find("http://[::1]:8123") == data
    assert service_note.find("http://127.0.0.1:8124") is None


def test_a_service_is_found_by_its_data(runtime: Path, data: Path, tmp_path: Path) -> None:
    data.mkdir()
    assert service_note.address_of(data) is None
    path = written(data)
    assert service_note.address_of(data) == URL
    (tmp_path / "another way").symlink_to(data)
    assert service_note.address_of(tmp_path / "another way") == URL
    assert service_note.address_of(tmp_path) is None
    (tmp_path / "loop").symlink_to("loop")
    assert service_note.address_of(tmp_path / "loop") is None
    service_note.remove(path)
    assert service_note.address_of(data) is None


def test_only_its_owner_can_read_it(runtime: Path, data: Path) -> None:
    path = written(data)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("url", ["http://10.0.0.7:8123", "http://example.org:8123", "nonsense"])
def test_another_machine_has_no_notes_here(runtime: Path, data: Path, url: str) -> None:
    written(data)
    assert service_note.find(url) is None


def test_a_relative_folder_is_noted_in_full(
    runtime: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written(Path("var"))
    assert service_note.find(URL) == tmp_path / "var"


def test_the_note_is_gone_with_the_service(runtime: Path, data: Path) -> None:
    with service_note.noted(URL, data):
        assert service_note.find(URL) == data
    assert service_note.find(URL) is None
    assert list(runtime.rglob("*.json")) == []


def test_a_later_services_note_is_left_alone(runtime: Path, data: Path) -> None:
    path = written(data)
    other = path.read_text().replace(f'"pid":{os.getpid()}', f'"pid":{os.getppid()}')
    path.write_text(other)
    service_note.remove(path)
    assert path.read_text() == other


def test_a_note_of_a_process_that_is_gone_is_ignored(runtime: Path, data: Path) -> None:
    path = written(data)
    gone = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True
    )
    pid = int(gone.stdout)
    path.write_text(path.read_text().replace(f'"pid":{os.getpid()}', f'"pid":{pid}'))
    assert service_note.find(URL) is None


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"pid":-1,"url":"x","data":"/"}', "\x00"])
def test_a_spoiled_note_is_ignored(runtime: Path, data: Path, content: str) -> None:
    written(data).write_text(content)
    assert service_note.find(URL) is None


@pytest.mark.parametrize("mode", [0o660, 0o606, 0o622])
def test_a_note_that_others_can_write_is_not_believed(runtime: Path, data: Path, mode: int) -> None:
    written(data).chmod(mode)
    assert service_note.find(URL) is None


def test_a_folder_that_others_can_write_is_not_used(runtime: Path, data: Path) -> None:
    path = written(data)
    path.parent.chmod(0o777)
    assert service_note.find(URL) is None
    assert service_note.write(URL, data) is None


def test_another_users_folder_is_not_used(
    runtime: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(data)
    found = os.stat(path.parent)
    somebody = found.st_uid + 1
    monkeypatch.setattr(os, "geteuid", lambda: somebody)
    path.parent.rename(runtime / f"progressive-{somebody}")
    assert service_note.find(URL) is None
    assert service_note.write(URL, data) is None


def test_a_link_in_place_of_the_folder_or_the_note_is_not_followed(
    runtime: Path, data: Path, tmp_path: Path
) -> None:
    path = written(data)
    kept = tmp_path / "kept.json"
    path.rename(kept)
    path.symlink_to(kept)
    assert service_note.find(URL) is None
    # Writing replaces the link, never what it points to.
    before = kept.read_text()
    written(tmp_path / "elsewhere")
    assert kept.read_text() == before
    assert not path.is_symlink()
    folder = tmp_path / "folder"
    path.parent.rename(folder)
    path.parent.symlink_to(folder)
    assert service_note.find(URL) is None


def test_a_service_started_without_a_runtime_folder_is_found_too(
    runtime: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as without:
        without.delenv("XDG_RUNTIME_DIR")
        written(data)
    assert service_note.find(URL) == data


def test_nowhere_to_write_is_no_reason_not_to_serve(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path / "missing" / "deep"))
    assert service_note.write(URL, data) is None
    service_note.remove(None)
