"""Whoever gets a pack can check it with `sha256sum` and the verifier that lies in it."""

import base64
import shutil
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from progressive.adapters.seals.key_file import new_signer
from tests.support.packs import CLOSED_DAY, KEYS, TODAY, PackShelf, copy_of, unpacked, verified
from tests.support.sealed_award import HOUSE

PYTHON = Path(sys.base_prefix) / "bin" / "python3"


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> PackShelf:
    return PackShelf(tmp_path_factory.mktemp("packs"))


@pytest.fixture(scope="module")
def packed(shelf: PackShelf) -> bytes:
    return shelf.packed(CLOSED_DAY)[1]


@pytest.fixture(scope="module")
def good(packed: bytes, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpacked(packed, tmp_path_factory.mktemp("good"))


@pytest.fixture
def folder(good: Path, tmp_path: Path) -> Path:
    return copy_of(good, tmp_path)


def sums_again(folder: Path) -> None:
    """As a forger does it, who makes the manifest fit."""
    lines = [
        f"{sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder).as_posix()}\n"
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "SHA256SUMS"
    ]
    (folder / "SHA256SUMS").write_text("".join(lines))


@pytest.mark.slow
def test_the_commands_of_the_statement_say_that_it_is_good(packed: bytes, tmp_path: Path) -> None:
    """The real tools: `unzip`, `sha256sum`, and a Python that knows nothing of this program."""
    (tmp_path / "pack.zip").write_bytes(packed)
    if (unzip := shutil.which("unzip")) is not None:
        subprocess.run([unzip, "-q", "pack.zip"], cwd=tmp_path, check=True)
        (folder,) = [path for path in tmp_path.iterdir() if path.is_dir()]
    else:
        folder = unpacked(packed, tmp_path / "unpacked")
    text = (folder / "STATEMENT.txt").read_text()
    commands = [
        line.strip()
        for line in text[text.index("CHECK IT") : text.index("SHA-256 OF")].splitlines()
        if line.startswith("    ")
    ]
    assert commands == [
        "sha256sum -c SHA256SUMS",
        "python3 -I -S verifier.pyz records.jsonl --key key.txt",
        "python3 -I -S verifier.pyz . --key key.txt",
    ]
    for command in commands:
        words = [str(PYTHON) if word == "python3" else word for word in command.split()]
        done = subprocess.run(
            words, cwd=folder, env={}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, (command, done.stdout, done.stderr)
    assert "sealed by casino.example/main" in done.stdout


def test_it_says_what_is_proved(good: Path) -> None:
    ok, text = verified(good, good / "key.txt")
    assert ok, text
    # The day's last record, the first one after it, and four that finance stated.
    assert "49 records: the whole day" in text
    assert "6 proofs lead there, and 6 award proofs are good" in text
    assert "cosigned by witness.example/w1" in text
    assert "not sealed" not in text
    assert "warning" not in text
    assert "warning: who signed it was not checked" in verified(good)[1]


def test_a_day_that_is_not_over_is_good_as_well(shelf: PackShelf, tmp_path: Path) -> None:
    folder = unpacked(shelf.packed(TODAY)[1], tmp_path)
    ok, text = verified(folder, folder / "key.txt")
    assert ok, text


def _change(path: str, old: bytes, new: bytes) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        body = (folder / path).read_bytes()
        assert old in body, path
        (folder / path).write_bytes(body.replace(old, new, 1))

    return change


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (
            _change(f"reports/wagers_main_{CLOSED_DAY}.csv", b"BJ-01", b"BJ-02"),
            f"reports/wagers_main_{CLOSED_DAY}.csv is not the file that was packed",
        ),
        (lambda folder: (folder / "extra.txt").write_text("x"), "extra.txt is not in SHA256SUMS"),
        (lambda folder: (folder / "STATEMENT.pdf").unlink(), "STATEMENT.pdf is missing"),
        (
            _change("SHA256SUMS", b"STATEMENT.txt", b"../STATEMENT.txt"),
            "is not a hash and a name",
        ),
    ],
)
def test_a_file_that_was_changed_is_named(
    folder: Path, spoil: Callable[[Path], None], said: str
) -> None:
    spoil(folder)
    ok, text = verified(folder, folder / "key.txt")
    assert not ok
    assert said in text


def _last_line(folder: Path) -> None:
    """The newest record of the day is cut off: the chain before it is as good as before."""
    path = folder / "records.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))


def _one_cent(folder: Path) -> None:
    """The first record is another, and every hash after it is made to fit."""
    lines = (folder / "records.jsonl").read_bytes().splitlines()
    lines[3] = lines[3].replace(b'"table":"BJ-01"', b'"table":"BJ-02"', 1)
    for place in range(4, len(lines)):
        prev = sha256(lines[place - 1]).hexdigest().encode()
        start = lines[place].index(b'"prev":"') + 8
        lines[place] = lines[place][:start] + prev + lines[place][start + 64 :]
    (folder / "records.jsonl").write_bytes(b"".join([line + b"\n" for line in lines]))


def _no_proof(folder: Path) -> None:
    (folder / "seals" / "record-17.tlog-proof").unlink()


def _other_proof(folder: Path) -> None:
    path = folder / "seals" / "record-17.tlog-proof"
    lines = path.read_bytes().split(b"\n")
    lines[2] = base64.b64encode(b"\x07" * 32)
    path.write_bytes(b"\n".join(lines))


def _other_award(folder: Path) -> None:
    path = next(folder.glob("sample/*/main.6.1.award-proof"))
    path.write_bytes(path.read_bytes().replace(b'"round":"', b'"round":"x', 1))


def _other_sample(folder: Path) -> None:
    path = next(folder.glob("sample/*/records.jsonl"))
    path.write_bytes(path.read_bytes().replace(b'"round":"', b'"round":"x', 1))


def _no_seal(folder: Path) -> None:
    shutil.rmtree(folder / "seals")


def _other_seal(folder: Path) -> None:
    """Signed by somebody else under the same name."""
    path = folder / "seals" / "newest.note"
    text = path.read_text().partition("\n\n")[0] + "\n"
    origin = text.partition("\n")[0]
    signed = new_signer(HOUSE.name).named(origin).sign(text)
    path.write_text(f"{text}\n{signed.line}")


def _without_witness(path: Path) -> None:
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))


def test_a_pack_that_a_given_witness_has_not_cosigned_is_a_finding(folder: Path) -> None:
    (key := folder.parent / "key.txt").write_text(KEYS)
    _without_witness(folder / "seals" / "newest.note")
    sums_again(folder)
    ok, text = verified(folder, key)
    assert not ok
    assert "NOT cosigned by witness.example/w1, whose key was given" in text
    key.write_text(f"{HOUSE.key().text}\n")
    ok, text = verified(folder, key)
    assert ok, text
    assert "seals lie beside a journal" not in text


@pytest.mark.parametrize(
    ("forge", "said"),
    [
        (_last_line, "record 17"),
        (_one_cent, "record 4"),
        (_no_proof, "there is no proof of record 17"),
        (_other_proof, "record 17 is not in the sealed journal"),
        (_other_award, "is not in the sealed journal"),
        (_other_sample, "of the sample is not the one of the day"),
        (_no_seal, "not sealed: a key was given, and no seal is there"),
        (_other_seal, "sealed with another key"),
    ],
)
def test_a_forger_who_makes_the_manifest_fit_is_found(
    folder: Path, forge: Callable[[Path], None], said: str
) -> None:
    (key := folder.parent / "key.txt").write_text(KEYS)
    forge(folder)
    sums_again(folder)
    ok, text = verified(folder, key)
    assert not ok
    assert said in text


def test_a_chain_that_was_written_again_does_not_join_the_record_after_it(folder: Path) -> None:
    """Without the key and the seal, too: what was closed is about other records."""
    shutil.rmtree(folder / "seals")
    lines = (folder / "records.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "records.jsonl").write_bytes(b"".join(lines[:-1]))
    sums_again(folder)
    ok, text = verified(folder)
    assert not ok
    assert "is about records 1 to 17, and the day here has 1 to 16" in text
