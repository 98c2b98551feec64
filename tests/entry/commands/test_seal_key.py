"""`progressive seal-key`: made once, shown as a public line, refused where it is not safe."""

import stat
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from progressive.adapters.seals.key_file import KeyFileError, read_signer
from progressive.application.seals.note import COSIGNATURE, SIGNATURE, read_key
from progressive.entry.cli import main
from tests.support.killed_writers import without_rights


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["seal-key", *[str(each) for each in arguments]])


def test_a_new_key_is_for_its_owner_only_and_prints_its_public_line(tmp_path: Path) -> None:
    file = tmp_path / "key"
    made = run("--out", file)
    assert made.exit_code == 0, made.output
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    key = read_key(made.stdout)
    signer = read_signer(file)
    assert (key.name, key.kind, key.id) == (signer.name, SIGNATURE, signer.key().id)
    assert made.stdout == run("--public", file).stdout
    assert key.name.startswith("progressive-")


def test_openssl_reads_the_key_and_finds_the_same_public_key(tmp_path: Path) -> None:
    file = tmp_path / "key"
    line = run("--out", file, "--name", "casino.example/pit").stdout
    shown = subprocess.run(
        ["openssl", "pkey", "-in", file, "-pubout", "-outform", "DER"],
        capture_output=True,
        check=True,
    )
    assert shown.stdout.endswith(read_key(line).public)


def test_a_link_and_a_witness_have_lines_of_their_own(tmp_path: Path) -> None:
    file = tmp_path / "key"
    whole = read_key(run("--out", file, "--name", "house").stdout)
    link = read_key(run("--public", file, "--link", "main").stdout)
    assert (link.name, link.public) == ("house/main", whole.public)
    assert link.id != whole.id
    witness = read_key(run("--out", tmp_path / "w", "--name", "w", "--witness").stdout)
    assert witness.kind == COSIGNATURE
    assert read_key(run("--public", tmp_path / "w", "--witness").stdout) == witness


def test_a_key_is_never_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "key"
    run("--out", file)
    before = file.read_bytes()
    again = run("--out", file)
    assert again.exit_code == 2
    assert "never overwritten" in again.output
    assert file.read_bytes() == before


@pytest.mark.parametrize("mark", ["journal.sqlite3", "in-use", "manifest.json"])
def test_no_key_beside_a_journal(tmp_path: Path, mark: str) -> None:
    data = tmp_path / "data"
    (data / "deeper").mkdir(parents=True)
    (data / mark).touch()
    refused = run("--out", data / "deeper" / "key")
    assert refused.exit_code == 2
    assert "a data directory or a backup" in refused.output
    assert not (data / "deeper" / "key").exists()


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660])
def test_a_key_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    file = tmp_path / "key"
    run("--out", file)
    file.chmod(mode)
    refused = run("--public", file)
    assert refused.exit_code == 2
    assert "can be read by others" in refused.output
    assert "chmod 600" in refused.output


def test_a_credential_of_systemd_may_show_a_group_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "seal-key"
    run("--out", file)
    file.chmod(0o440)
    with pytest.raises(KeyFileError):
        read_signer(file)
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))
    read_signer(file)
    file.chmod(0o444)
    with pytest.raises(KeyFileError):
        read_signer(file)


@pytest.mark.slow
def test_a_key_that_this_user_cannot_read_says_so(tmp_path: Path) -> None:
    file = tmp_path / "key"
    run("--out", file)
    file.chmod(0)
    shown = without_rights(
        "setpriv", "--bounding-set=-dac_read_search", "--inh-caps=-dac_read_search",
        *(Path(".venv/bin/progressive").resolve(), "seal-key", "--public", file),
    )  # fmt: skip
    assert shown.returncode == 2
    assert "is not readable" in shown.stderr


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda text: text.replace("name ", "", 1), "its first line is not"),
        (lambda text: text.replace("name ", "name a+", 1), "cannot be used"),
        (lambda text: text[:60], "holds no private key"),
        (lambda text: text.replace("M", "N", 1), "holds no private key"),
        (lambda text: "", "its first line is not"),
    ],
)
def test_a_file_that_holds_no_key_is_refused_without_showing_it(
    tmp_path: Path, change: object, why: str
) -> None:
    file = tmp_path / "key"
    run("--out", file)
    assert callable(change)
    secret = file.read_text().splitlines()[2]
    file.write_text(change(file.read_text()))
    refused = run("--public", file)
    assert refused.exit_code == 2
    assert why in refused.output
    assert secret not in refused.output


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--out", "a", "--public", "b"),
        ("--out", "a", "--link", "main"),
        ("--public", "b", "--name", "x"),
        ("--public", "b", "--link", "no such link"),
    ],
)
def test_options_that_do_not_go_together(arguments: tuple[str, ...], tmp_path: Path) -> None:
    refused = run(*arguments)
    assert refused.exit_code == 2
    assert "Traceback" not in refused.output


def test_a_name_with_a_space_or_a_plus_is_refused(tmp_path: Path) -> None:
    for name in ("a b", "a+b", ""):
        refused = run("--out", tmp_path / "key", "--name", name)
        assert refused.exit_code == 2, refused.output
        assert not (tmp_path / "key").exists()


def test_serve_refuses_a_key_that_lies_where_the_journal_lies(tmp_path: Path) -> None:
    """Whoever copies the data directory would have the key with it, and could forge both."""
    data = tmp_path / "data"
    data.mkdir()
    run("--out", data / "key")
    floor = Path(__file__).parents[3] / "config" / "floor.toml"
    arguments = ["serve", "--floor", floor, "--data", data, "--seal-key", data / "key"]
    refused = CliRunner().invoke(main, [str(each) for each in arguments])
    assert refused.exit_code == 2
    assert "lies in the data directory" in refused.output
    assert list(data.iterdir()) == [data / "key"]
