"""Every kind of damage to segments is named: the file, the first broken record, and exit 1.

The journal of `write_journal` in three segments of small blocks: records 1 to 4, 5 to 7 and 8 to 10
with the state after them; 11 to 15 are open.
"""

import gzip
import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result

from progressive.adapters.segments.files import INDEX, RECORDS, STATE
from progressive.entry.cli import main
from progressive.verifier.reading import opened_file, segment_files
from tests.support.journals import JournalFile, JournalShelf, write_journal
from tests.support.killed_writers import contents
from tests.support.segment_mischief import Mischief, close_segments, sum_of

Blocks = list[list[bytes]]


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> JournalShelf:
    shelf = JournalShelf(tmp_path_factory.mktemp("shelf") / "good")
    close_segments(JournalFile(shelf.directory))
    return shelf


@pytest.fixture
def mischief(shelf: JournalShelf, tmp_path: Path) -> Mischief:
    return Mischief(shelf.copy_to(tmp_path / "data"))


def run(directory: Path, *options: str) -> Result:
    result = CliRunner().invoke(main, ["verify", "--data", str(directory), *options])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def told(mischief: Mischief) -> str:
    """The one line about the link; nothing in the directory has changed meanwhile."""
    before = contents(mischief.journal.directory)
    result = run(mischief.journal.directory)
    assert contents(mischief.journal.directory) == before
    assert result.exit_code == 1, result.output
    (line,) = [each for each in result.stdout.splitlines() if each.startswith("link main")]
    return line


def file_of(mischief: Mischief, number: int, ending: str) -> str:
    return f"segments/main/{mischief.row(number)['number']:06}-2026-01-02{ending}"


# --- changes of records ------------------------------------------------------------------------


def changed(block: int, place: int) -> Callable[[Blocks], None]:
    def change(blocks: Blocks) -> None:
        blocks[block][place] = blocks[block][place].replace(b'00Z"', b'01Z"', 1)

    return change


def deleted(block: int, place: int) -> Callable[[Blocks], None]:
    def change(blocks: Blocks) -> None:
        del blocks[block][place]

    return change


def swapped(blocks: Blocks) -> None:
    blocks[0][0], blocks[0][1] = blocks[0][1], blocks[0][0]


def doubled(blocks: Blocks) -> None:
    blocks[0].insert(1, blocks[0][0])


def one_more(blocks: Blocks) -> None:
    blocks[-1].append(blocks[-1][-1].replace(b'"seq":7', b'"seq":8'))


@pytest.mark.parametrize("fit", ["", "index", "row", "index and row"])
@pytest.mark.parametrize(
    ("change", "number", "record", "message"),
    [
        (changed(0, 0), 2, 5, "has been changed: record 6 names another hash"),
        (changed(0, 1), 2, 6, "has been changed: record 7 names another hash"),
        (changed(-1, -1), 2, 7, "has the hash|segment 3 does not follow segment 2|index, last_at"),
        (deleted(0, 0), 2, 5, "missing: record 6 stands in its place"),
        (deleted(0, 1), 2, 6, "missing: record 7 stands in its place"),
        (swapped, 2, 5, "missing: record 6 stands in its place"),
        (doubled, 2, 6, "missing: record 5 stands in its place"),
        (one_more, 2, 8, "one too many|does not follow record 7"),
    ],
    ids=["first", "middle", "last", "deleted first", "deleted", "swapped", "doubled", "one more"],
)
def test_records_of_a_segment(
    mischief: Mischief,
    change: Callable[[Blocks], None],
    number: int,
    record: int,
    message: str,
    fit: str,
) -> None:
    """Whatever is made to fit afterwards: the next record names the hash of this one."""
    mischief.rewrite(number, change, fit=fit)
    line = told(mischief)
    assert re.search(message, line), line
    if "does not follow segment 2" in line:
        # The row was made to fit the record: what follows does not.
        assert line.startswith("link main, record 8")
    elif "the index, last_at" in line:
        assert mischief.name(number, INDEX) in line
    else:
        assert f"record {record}" in line.split(", segments/")[0], line
        assert mischief.name(number, RECORDS) in line


@pytest.mark.parametrize("fit", ["", "index", "row", "index and row"])
def test_last_record_that_is_gone(mischief: Mischief, fit: str) -> None:
    mischief.rewrite(2, deleted(-1, -1) if len(mischief.blocks(2)[-1]) > 1 else drop_block, fit=fit)
    line = told(mischief)
    assert line.startswith(f"link main, record 7, {mischief.name(2, RECORDS)}: ")
    assert "missing: the file ends with record 6" in line


def drop_block(blocks: Blocks) -> None:
    del blocks[-1]


def test_records_compressed_otherwise_are_not_the_file_that_was_written(mischief: Mischief) -> None:
    path = mischief.path(2, RECORDS)
    members = [
        gzip.compress(b"".join(line + b"\n" for line in block), 1, mtime=77)
        for block in mischief.blocks(2)
    ]
    path.write_bytes(b"".join(members))
    line = told(mischief)
    assert line.startswith(f"link main, record 5, {mischief.name(2, RECORDS)}: it")


# --- bytes ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_flipped_byte_of_a_segment_is_found_in_its_file(mischief: Mischief) -> None:
    """In the records, and in nothing behind them: the block before is proved by then."""
    path = mischief.path(2, RECORDS)
    good = path.read_bytes()
    blocks = mischief.index(2)["blocks"]
    for place in range(0, len(good), 7):
        spoilt = bytearray(good)
        spoilt[place] ^= 1 << (place % 8)
        path.write_bytes(bytes(spoilt))
        problem = first_problem(mischief)
        assert problem["file"] == mischief.name(2, RECORDS), (place, problem)
        first = max(block[0] for block in blocks if block[1] <= place)
        assert problem["seq"] >= first or problem["seq"] == 5, (place, problem)


def first_problem(mischief: Mischief) -> dict[str, Any]:
    result = run(mischief.journal.directory, "--json")
    assert result.exit_code == 1, result.output
    (link,) = json.loads(result.stdout)["links"]
    problem: dict[str, Any] = link["problem"]
    return problem


def test_flipped_byte_names_the_record_it_lies_in(mischief: Mischief) -> None:
    """A literal of the last record of a block: all before it are read."""
    path = mischief.path(2, RECORDS)
    blocks = mischief.index(2)["blocks"]
    body = bytearray(path.read_bytes())
    body[blocks[0][1] + blocks[0][2] - 8] ^= 0xFF
    path.write_bytes(bytes(body))
    line = told(mischief)
    assert "incorrect data check" in line
    assert line.startswith(f"link main, record 7, {mischief.name(2, RECORDS)}: the block at byte 0")


@pytest.mark.parametrize("kept", ["nothing", "one byte", "first block", "all but one byte"])
def test_truncated_records(mischief: Mischief, kept: str) -> None:
    path = mischief.path(2, RECORDS)
    body = path.read_bytes()
    second = mischief.index(2)["blocks"][1][1]
    length = {"nothing": 0, "one byte": 1, "first block": second, "all but one byte": -1}[kept]
    path.write_bytes(body[:length])
    line = told(mischief)
    record = {"nothing": 5, "one byte": 5, "first block": 7, "all but one byte": 7}[kept]
    assert line.startswith(f"link main, record {record}, {mischief.name(2, RECORDS)}: "), line
    assert "the file ends" in line


@pytest.mark.parametrize(
    "garbage",
    [b"\0", b"x", b"\0" * 512, b"\x1f\x8b", gzip.compress(b"", mtime=0)],
    ids=["zero", "x", "zeros", "begins like a block", "empty block"],
)
@pytest.mark.parametrize("fit", [False, True])
def test_garbage_after_the_last_block(mischief: Mischief, garbage: bytes, fit: bool) -> None:
    path = mischief.path(3, RECORDS)
    path.write_bytes(path.read_bytes() + garbage)
    if fit:
        mischief.edit_index(3, lambda index: index.update(records=sum_of(path)))
        mischief.fit_row(3)
    line = told(mischief)
    assert line.startswith(f"link main, record 10, {mischief.name(3, RECORDS)}: something follows")


@pytest.mark.parametrize("number", [2, 3])
def test_bomb_is_never_inflated(
    mischief: Mischief, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    monkeypatch.setattr(opened_file, "MEMBER_BYTES_MAX", 1 << 20)
    path = mischief.path(number, RECORDS)
    path.write_bytes(gzip.compress(bytes(64 << 20)))
    mischief.fit_row(number)
    line = told(mischief)
    assert mischief.name(number, RECORDS) in line
    assert "inflates to more than" in line


def test_bomb_in_place_of_a_state(mischief: Mischief, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segment_files, "STATE_BYTES_MAX", 1 << 20)
    mischief.path(3, STATE).write_bytes(gzip.compress(bytes(64 << 20)))
    mischief.fit_row(3)
    assert "inflates to more than" in told(mischief)


# --- the index -----------------------------------------------------------------------------------


def at(*path: Any, value: object) -> Callable[[dict[str, Any]], None]:  # noqa: ANN401 - keys
    def change(index: dict[str, Any]) -> None:
        inner: Any = index
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = value

    return change


def without(*path: Any) -> Callable[[dict[str, Any]], None]:  # noqa: ANN401 - keys
    def change(index: dict[str, Any]) -> None:
        inner: Any = index
        for key in path[:-1]:
            inner = inner[key]
        del inner[path[-1]]

    return change


@pytest.mark.parametrize("fit", [False, True])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (at("link", value="other"), "the index, link: stored other, recomputed main"),
        (at("number", value=9), "the index, number: stored 9, recomputed 1"),
        (at("day", value="2026-01-03"), "the index, day"),
        (at("first_seq", value=2), "the index, first_seq: stored 2, recomputed 1"),
        (at("last_seq", value=5), "the index, last_seq: stored 5, recomputed 4"),
        (at("first_at", value="2026-01-02T03:04:06.000000Z"), "the index, first_at"),
        (at("last_at", value="2026-01-02T03:04:06.000000Z"), "the index, last_at"),
        (at("prev", value="1" * 64), "the index, prev"),
        (at("head", value="1" * 64), "the index, head"),
        (at("records", "bytes", value=1), "the index, length and SHA-256 of the records"),
        (at("records", "sha256", value="1" * 64), "the index, length and SHA-256 of the records"),
        (at("blocks", 1, 0, value=4), "the index, block 2: stored first_seq 4"),
        (at("blocks", 1, 1, value=7), "the index, block 2: .* offset 7"),
        (at("blocks", 1, 2, value=7), "the index, block 2"),
        (at("blocks", 1, 3, value=9), "epoch 9, the newest is"),
        (at("blocks", 1, 4, value="2026-01-02T03:04:06.000000Z"), "the index, block 2"),
        (without("blocks", 1), "the index, block 2: stored nothing"),
        (lambda index: index["blocks"].append(index["blocks"][-1]), "the index, block 3"),
        (at("acts", 0, 0, value=2), "the index, act 1: stored seq 2"),
        (at("acts", 0, 1, value="award_paid"), "the index, act 1: stored seq 1, type award_paid"),
        (at("acts", 0, 2, value=["main.3.1"]), "the index, act 1"),
        (without("acts", 0), "the index, act 1: stored nothing"),
        (lambda index: index["acts"].append([4, "award_paid", []]), "the index, act 2"),
        (at("landmarks", 0, 0, value=2), "the index, landmark 1"),
        (without("landmarks", 0), "the index, landmark 1: stored nothing"),
        (at("tables", "BJ-01", 0, value=3), "table BJ-01, its newest message: stored 3"),
        (at("tables", "BJ-01", 1, 0, value=[1, 3]), "table BJ-01, place 1: stored"),
        (at("tables", "BJ-01", 1, value=[]), "table BJ-01, place 1: stored nothing"),
        (without("tables", "BJ-02"), "table BJ-02, its newest message: stored nothing"),
        (at("tables", "BJ-77", value=[1, []]), "table BJ-77, its newest message: stored 1"),
        (at("version", value=2), "the index is of version 2, this program knows 1"),
        (at("blocks", value="x"), "the index is unreadable"),
    ],
)
def test_edited_index(
    mischief: Mischief, change: Callable[[dict[str, Any]], None], message: str, fit: bool
) -> None:
    mischief.edit_index(1, change)
    if fit:
        mischief.fit_row(1)
    line = told(mischief)
    assert mischief.name(1, INDEX) in line
    assert re.search(message, line), line


def test_index_that_is_written_otherwise_is_not_the_file_that_was_written(
    mischief: Mischief,
) -> None:
    path = mischief.path(2, INDEX)
    path.write_bytes(path.read_bytes() + b"\n")
    line = told(mischief)
    assert re.match(f"link main, record 5, {mischief.name(2, INDEX)}: it has .* bytes", line)


def test_landmarks_go_on_from_segment_to_segment(mischief: Mischief) -> None:
    mischief.edit_index(3, without("landmarks", 0))
    mischief.fit_row(3)
    assert "the index, landmark 1: stored nothing, recomputed seq 1" in told(mischief)


def test_index_of_another_segment(mischief: Mischief) -> None:
    mischief.swap_files(2, 3, INDEX)
    line = told(mischief)
    assert line.startswith(f"link main, record 5, {mischief.name(2, INDEX)}: the index, number")


# --- files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ending", "record"), [(RECORDS, 8), (INDEX, 8), (STATE, 10)], ids=["records", "index", "state"]
)
def test_missing_file(mischief: Mischief, ending: str, record: int) -> None:
    name = mischief.name(3, ending)
    mischief.path(3, ending).unlink()
    line = told(mischief)
    assert line.startswith(f"link main, record {record}, {name}: ")
    assert line.endswith("is missing")


def test_segments_whose_files_were_swapped(mischief: Mischief) -> None:
    for ending in (RECORDS, INDEX):
        mischief.swap_files(1, 2, ending)
    line = told(mischief)
    assert mischief.name(1, RECORDS) in line
    assert "record 5 stands in its place" in line
    assert "the file is that of segment 000002-2026-01-02 of link main" in line


def test_segments_whose_rows_were_swapped(mischief: Mischief) -> None:
    first, second = mischief.row(1), mischief.row(2)
    for number, row in ((1, second), (2, first)):
        mischief.edit_row(number, lambda kept, row=row: kept.update(row))
    assert "the row of segment 1: its number is 2, and 1 beside" in told(mischief)


async def test_segment_of_another_link_in_its_place(mischief: Mischief, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = await write_journal(tmp_path / "other", link="other")
    close_segments(other)
    theirs = Mischief(other)
    for number in (1, 2):
        for ending in (RECORDS, INDEX):
            shutil.copyfile(theirs.path(number, ending), mischief.path(number, ending))
        mischief.fit_row(number)
    line = told(mischief)
    assert mischief.name(1, RECORDS) in line
    assert "this is the journal of other" in line


def test_folder_that_was_renamed(mischief: Mischief) -> None:
    mischief.folder.rename(mischief.folder.with_name("elsewhere"))
    result = run(mischief.journal.directory)
    assert result.exit_code == 1
    assert "the store: segments/elsewhere belongs to no link of the journal" in result.stdout
    assert "segments/main/000001-2026-01-02.index.json is missing" in result.stdout


# --- rows ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "change", "message"),
    [
        (2, at("records", "sha256", value="1" * 64), "SHA-256 is not the one"),
        (2, at("records", "bytes", value=7), "bytes, 7 were written"),
        (2, at("records", "bytes", value=-7), "length and SHA-256 of its records are none"),
        (2, at("index", "sha256", value="1" * 64), "SHA-256 is not the one"),
        (2, at("index", "bytes", value=7), "bytes, 7 were written"),
        (3, at("state", "sha256", value="1" * 64), "SHA-256 is not the one"),
        (3, at("state", value=None), "state.json.gz belongs to no segment"),
        (2, at("first_seq", value=6), "begins with record 6, and 5 is the next"),
        (2, at("last_seq", value=8), "record 8, .*000002.*: missing: the file ends with record 7"),
        (3, at("last_seq", value=9), "one too many: the segment ends before it"),
        (3, at("last_seq", value=11), "missing: the file ends with record 10"),
        (2, at("last_seq", value=3), "ends with record 3, before it begins"),
        (2, at("prev", value="1" * 64), "does not follow segment 1: the hashes do not join"),
        (1, at("prev", value="1" * 64), "does not follow the first record"),
        (
            2,
            at("head", value="1" * 64),
            "record 7 .* has the hash .*, the row of segment 2 says 1111",
        ),
        (3, at("head", value="1" * 64), "has the hash .*, the row of segment 3 says 1111"),
        (2, at("first_at", value="2026-01-02T03:04:06.000000Z"), "segment 2, first_at: stored"),
        (2, at("last_at", value="2026-01-02T03:04:06.000000Z"), "segment 2, last_at: stored"),
        (2, at("day", value="2026-02-02"), "its day is 2026-02-02"),
        (2, at("day", value="2026-01-03"), "000002-2026-01-03.index.json is missing"),
        (2, at("day", value="../../x"), "Invalid isoformat string"),
        (2, at("link", value="other"), "its link is other, and main beside"),
        (2, at("purged", value="2026-01-02T03:04:06.000000Z"), "though the segment before it is"),
        (2, without("head"), "the row of segment 2 is unreadable"),
    ],
)
def test_edited_row(
    mischief: Mischief, number: int, change: Callable[[dict[str, Any]], None], message: str
) -> None:
    mischief.edit_row(number, change)
    result = run(mischief.journal.directory)
    assert result.exit_code == 1, result.output
    assert re.search(message, result.stdout), result.stdout


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("DELETE FROM segment WHERE number = 1", "record 1: the row of segment 1 is missing: 2"),
        ("DELETE FROM segment WHERE number = 2", "record 5: the row of segment 2 is missing: 3"),
        (
            "DELETE FROM segment WHERE number = 3",
            r"record 8: missing: .* record 11; segments/main/000003-\S+\.jsonl\.gz holds it, and "
            "the journal file has no row of that segment",
        ),
        (
            "DELETE FROM segment",
            r"record 1: missing: .* with record 11; segments/main/000001-.* no",
        ),
        ("UPDATE segment SET number = 7 WHERE number = 3", "segment 3 is missing: 7 stands"),
        ("UPDATE segment SET number = 'x' WHERE number = 3", "segment 3 is missing: x stands"),
        ("UPDATE segment SET last_seq = 9 WHERE number = 3", "its last_seq is 10, and 9 beside"),
        ("UPDATE segment SET body = x'00' WHERE number = 2", "segment 2 is unreadable"),
        ("UPDATE segment SET body = 7 WHERE number = 2", "segment 2 is unreadable"),
        (
            "UPDATE segment SET body = CAST(body AS TEXT) WHERE number = 2",
            "segment 2 is unreadable: .*it is not bytes",
        ),
    ],
)
def test_rows_that_are_missing_or_none(mischief: Mischief, statement: str, message: str) -> None:
    mischief.journal.execute(statement)
    line = told(mischief)
    assert re.search(message, line), line


def test_files_of_a_row_that_is_missing_are_named(mischief: Mischief) -> None:
    mischief.journal.execute("DELETE FROM segment WHERE number = 3")
    result = run(mischief.journal.directory)
    assert "segments/main/000003-2026-01-02.jsonl.gz belongs to no segment" in result.stdout


def test_row_number_that_stands_twice(mischief: Mischief) -> None:
    """Only a table without its key can hold it."""
    for statement in (
        "CREATE TABLE plain AS SELECT * FROM segment",
        "INSERT INTO plain SELECT * FROM segment WHERE number = 2",
        "DROP TABLE segment",
        "ALTER TABLE plain RENAME TO segment",
    ):
        mischief.journal.execute(statement)
    assert "record 8: the row of segment 3 is missing: 2 stands in its place" in told(mischief)


def test_rows_of_a_link_that_is_not_listed(mischief: Mischief) -> None:
    mischief.journal.execute("INSERT INTO segment SELECT 'gone', 1, 4, body FROM segment LIMIT 1")
    result = run(mischief.journal.directory)
    assert result.exit_code == 1
    assert "the store: segment rows of gone, a link that is not listed" in result.stdout


@pytest.mark.parametrize("name", ["'a' || char(0) || 'b'", "'../elsewhere'", "7", "x'ff00'"])
def test_link_whose_name_is_none(mischief: Mischief, name: str) -> None:
    for statement in (f"UPDATE link SET id = {name}", f"UPDATE segment SET link = {name}"):
        mischief.journal.execute(statement)
    assert run(mischief.journal.directory).exit_code == 1


@pytest.mark.parametrize("ending", [RECORDS, INDEX, STATE])
def test_folder_or_pipe_in_place_of_a_file(mischief: Mischief, ending: str) -> None:
    path = mischief.path(3, ending)
    path.unlink()
    path.mkdir()
    assert f"{path.name} is a folder" in told(mischief)
    path.rmdir()
    os.mkfifo(path)
    line = run(mischief.journal.directory).stdout
    assert path.name in line


# --- the state -----------------------------------------------------------------------------------


def test_changed_state(mischief: Mischief) -> None:
    mischief.edit_state(3, at("terms_version", value=2))
    line = told(mischief)
    assert line.startswith(f"link main, record 8, {mischief.name(3, STATE)}: it")


def test_changed_state_whose_row_fits(mischief: Mischief) -> None:
    mischief.edit_state(3, at("documents", value=2))
    mischief.fit_row(3)
    line = told(mischief)
    assert "record 11 (" in line
    assert "checkpointed" in line
    assert mischief.name(3, STATE) in line
    assert "state_digest" in line


# --- what is not yet removed from the journal's file ----------------------------------------------


@pytest.fixture
def untrimmed(tmp_path: Path) -> Mischief:
    journal = JournalShelf(tmp_path / "data").journal
    close_segments(journal, trimmed=False)
    return Mischief(journal)


def test_records_that_lie_in_both_places_are_good(untrimmed: Mischief) -> None:
    result = run(untrimmed.journal.directory)
    assert result.exit_code == 0, result.output
    assert "link main: 15 records" in result.stdout


def test_record_that_is_another_one_in_the_journals_file(untrimmed: Mischief) -> None:
    untrimmed.journal.execute(
        "UPDATE batch SET body = CAST(replace(body, 'BJ-03', 'BJ-04') AS BLOB) WHERE first_seq = 6"
    )
    line = told(untrimmed)
    assert "record 6" in line
    assert "is another one in the journal file than in its segment" in line


def test_epoch_that_is_another_one_in_the_journals_file(untrimmed: Mischief) -> None:
    untrimmed.journal.execute("UPDATE batch SET epoch = 2 WHERE first_seq = 6")
    assert "is another one in the journal file than in its segment" in told(untrimmed)


def test_saved_state_within_a_segment_is_checked_too(tmp_path: Path) -> None:
    journal = JournalShelf(tmp_path / "data").journal
    close_segments(journal, (12,), trimmed=False)
    assert run(journal.directory).exit_code == 0
    journal.execute("UPDATE snapshot SET body = CAST(body || ' ' AS BLOB)")
    assert "the stored snapshot at 10: state_digest" in told(Mischief(journal))


def test_batch_that_spans_the_cut(tmp_path: Path) -> None:
    """Records 8 and 9 are one batch."""
    journal = JournalShelf(tmp_path / "data").journal
    assert any((row.first_seq, row.last_seq) == (8, 9) for row in journal.rows())
    close_segments(journal, (4, 8))
    assert journal.rows()[0].first_seq == 8
    result = run(journal.directory)
    assert result.exit_code == 0, result.output
    assert "7 records are open" in result.stdout
    journal.execute(
        "UPDATE batch SET body = CAST(replace(body, 'BJ-01', 'BJ-04') AS BLOB) WHERE first_seq = 8"
    )
    assert "record 8" in told(Mischief(journal))


# --- what lies beside ---------------------------------------------------------------------------


def test_leftovers_with_a_dot_are_a_warning(mischief: Mischief) -> None:
    (mischief.folder / ".000004-2026-01-02.jsonl.gz.new").write_bytes(b"half")
    result = run(mischief.journal.directory)
    assert result.exit_code == 0
    assert "warning: segments/main/.000004-2026-01-02.jsonl.gz.new is not finished" in result.stdout


@pytest.mark.parametrize("name", ["notes.txt", "000004-2026-01-02.jsonl.gz", "000003-x.jsonl.gz"])
def test_file_that_no_row_speaks_of_is_named(mischief: Mischief, name: str) -> None:
    (mischief.folder / name).write_bytes(b"x")
    result = run(mischief.journal.directory)
    assert result.exit_code == 1
    assert f"the store: segments/main/{name} belongs to no segment of the journal" in result.stdout


def test_finished_segment_that_no_row_speaks_of_yet_is_a_warning(mischief: Mischief) -> None:
    """A service that archives has such files for a moment; one that was killed, until its start."""
    rows = mischief.journal.execute("SELECT * FROM segment WHERE number = 3")
    journal = JournalShelf(mischief.journal.directory.with_name("again")).journal
    close_segments(journal, (4, 7), trimmed=False)
    shutil.copytree(mischief.folder, journal.directory / "segments" / "main", dirs_exist_ok=True)
    assert rows
    result = run(journal.directory)
    assert result.exit_code == 0, result.output
    assert result.stdout.count("is finished, and no row speaks of it yet") == 3
    # Its records get their name last.
    Mischief(journal).path(3, RECORDS).unlink()
    assert run(journal.directory).exit_code == 0


def test_finished_segment_of_other_records_is_named(mischief: Mischief) -> None:
    journal = JournalShelf(mischief.journal.directory.with_name("again")).journal
    close_segments(journal, (4, 7))
    shutil.copytree(mischief.folder, journal.directory / "segments" / "main", dirs_exist_ok=True)
    Mischief(journal).rewrite(3, changed(0, 0))
    result = run(journal.directory)
    assert result.exit_code == 1
    assert "000003-2026-01-02.jsonl.gz belongs to no segment of the journal" in result.stdout


def test_link_report_tells_of_the_segments(mischief: Mischief) -> None:
    (link,) = json.loads(run(mischief.journal.directory, "--json").stdout)["links"]
    size = sum(path.stat().st_size for path in mischief.folder.iterdir())
    assert link["segments"] == {
        "count": 3,
        "first_day": "2026-01-02",
        "last_day": "2026-01-02",
        "last_seq": 10,
        "bytes": size,
    }
    assert (link["open_records"], link["purged"]) == (5, None)
    assert msgspec.json.encode(link["problem"]) == b"null"
