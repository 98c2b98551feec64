"""A segment is written whole and proved, or not at all; the same cut gives the same bytes."""

import fcntl
import gzip
import os
import shutil
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest

from progressive.adapters.segments.files import INDEX, RECORDS, STATE, SegmentFiles
from progressive.adapters.segments.writer import STEPS, left_over_cut, write_segment
from progressive.application.journal.cut import Cut
from progressive.application.journal.ports import (
    StoreConflictError,
    StoreCorruptError,
    StoreUnavailableError,
)
from progressive.application.journal.segments import BLOCK_RECORDS, Segment
from progressive.common.steps import steps_watched
from tests.support.chains import CHAIN_LINK, Batches, a_chain, a_time, in_batches, lines_of

DAY = "2026-11-17"
STATE_BODY = b'{"link":"bj-x","seq":600}'
CHAIN = a_chain(1_000, acts=(5, 700))


@pytest.fixture
def files(tmp_path: Path) -> SegmentFiles:
    return SegmentFiles(tmp_path)


def first_cut(last_seq: int = 600) -> Cut:
    return Cut(link=CHAIN_LINK, day=DAY, last_seq=last_seq)


def batches() -> Batches:
    """Two epochs; the second begins at record 301."""
    return in_batches(CHAIN[:300], 97) + in_batches(CHAIN[300:], 97, epoch=2)


def write(files: SegmentFiles, last_seq: int = 600) -> Segment:
    return write_segment(files, first_cut(last_seq), batches(), state=STATE_BODY)


def names(files: SegmentFiles) -> list[str]:
    return sorted(path.name for path in files.of_link(CHAIN_LINK).iterdir())


# --- what is written ----------------------------------------------------------------------------


def test_a_segment_says_what_it_holds(files: SegmentFiles) -> None:
    segment = write(files)
    assert (segment.number, segment.day, segment.link) == (1, DAY, CHAIN_LINK)
    assert (segment.first_seq, segment.last_seq) == (1, 600)
    assert (segment.first_at, segment.last_at) == (a_time(0), a_time(599))
    assert segment.prev == "0" * 64
    assert segment.head == sha256(CHAIN[599]).hexdigest()
    assert names(files) == [f"000001-{DAY}{ending}" for ending in (INDEX, RECORDS, STATE)]
    files.check_size(segment)
    files.check_hash(segment)
    assert files.state(segment) == STATE_BODY
    assert lines_of(files.blocks(segment)) == CHAIN[:600]


def test_only_its_owner_reads_it(files: SegmentFiles) -> None:
    segment = write(files)
    folders = (files.folder, files.of_link(CHAIN_LINK))
    assert [oct(path.stat().st_mode & 0o777) for path in folders] == ["0o700", "0o700"]
    modes = {path.stat().st_mode & 0o777 for path, _ in files.sums(segment)}
    assert modes == {0o600}


def test_records_are_read_with_zcat(files: SegmentFiles) -> None:
    path = files.path(write(files), RECORDS)
    shown = subprocess.run(["zcat", path], capture_output=True, check=True).stdout
    assert shown == b"".join(line + b"\n" for line in CHAIN[:600])


def test_the_same_cut_gives_the_same_bytes(files: SegmentFiles, tmp_path: Path) -> None:
    other = SegmentFiles(tmp_path / "other")
    other.folder.parent.mkdir()
    # Other batches, the same records and epochs.
    again = in_batches(CHAIN[:300], 11) + in_batches(CHAIN[300:], 300, epoch=2)
    assert write(files) == write_segment(other, first_cut(), again, state=STATE_BODY)


def test_a_block_never_spans_two_epochs(files: SegmentFiles) -> None:
    blocks = files.index(write(files)).blocks
    assert [(block.first_seq, block.epoch) for block in blocks] == [
        (1, 1),
        (1 + BLOCK_RECORDS, 1),
        (301, 2),
        (301 + BLOCK_RECORDS, 2),
    ]
    assert [block.first_at for block in blocks] == [a_time(b.first_seq - 1) for b in blocks]


def test_every_block_is_found_by_its_place(files: SegmentFiles) -> None:
    segment = write(files)
    for block in files.index(segment).blocks:
        assert files.block(segment, block)[0] == CHAIN[block.first_seq - 1]


def test_an_index_finds_acts_and_messages(files: SegmentFiles) -> None:
    index = files.index(write(files))
    assert [(act.seq, act.type, act.about) for act in index.acts] == [
        (5, "award_validated", ("A-5",))
    ]
    assert sorted(index.tables) == [f"BJ-{table:02}" for table in range(7)]
    of = index.tables["BJ-01"]
    assert of.last_table_seq == 86
    # Its first message, and one in 32 after it.
    assert of.places == ((1, 1), (33, 225), (65, 449))


def test_the_next_segment_remembers_every_table(files: SegmentFiles) -> None:
    first = write(files)
    cut = Cut(link=CHAIN_LINK, day=DAY, last_seq=602, previous=first)
    second = write_segment(files, cut, in_batches(CHAIN[600:], 50, epoch=2))
    assert (second.number, second.first_seq, second.prev) == (2, 601, first.head)
    assert second.state is None
    tables = files.index(second).tables
    assert len(tables) == 7
    assert tables["BJ-06"].places == ((86, 601),)
    assert (tables["BJ-01"].last_table_seq, tables["BJ-01"].places) == (86, ())


# --- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spoilt", "why"),
    [
        (CHAIN[:5] + CHAIN[6:], "record 6 is missing"),
        (CHAIN[:5] + CHAIN[4:], "record 6 is missing: 5 stands there"),
        ([*CHAIN[:5], CHAIN[5].replace(b"r6", b"r7"), *CHAIN[6:]], "record 7 does not follow"),
        ([*CHAIN[:5], b"{", *CHAIN[6:]], "record 6 is unreadable"),
        (CHAIN[:599], "records 600 to 600 are missing"),
        ([], "records 1 to 600 are missing"),
    ],
)
def test_records_that_are_no_chain_leave_nothing(
    files: SegmentFiles, spoilt: list[bytes], why: str
) -> None:
    with pytest.raises(StoreCorruptError, match=why):
        write_segment(files, first_cut(), in_batches(spoilt, 97))
    assert names(files) == []


def test_a_segment_that_does_not_follow_is_not_written(files: SegmentFiles) -> None:
    first = write(files)
    before = names(files)
    other = a_chain(100, first_seq=601, prev="f" * 64)
    cut = Cut(link=CHAIN_LINK, day=DAY, last_seq=700, previous=first)
    with pytest.raises(StoreCorruptError, match="record 601 does not follow record 600"):
        write_segment(files, cut, in_batches(other, 97))
    assert names(files) == before


def test_two_processes_do_not_write_in_one_folder(files: SegmentFiles) -> None:
    folder = files.of_link(CHAIN_LINK)
    folder.mkdir(parents=True)
    held = os.open(folder, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    with pytest.raises(StoreConflictError, match="another process writes segments of bj-x"):
        write(files)
    os.close(held)
    assert write(files).number == 1


# --- a disk that lies ---------------------------------------------------------------------------


@pytest.mark.parametrize("ending", [RECORDS, INDEX, STATE])
@pytest.mark.parametrize("harm", ["one bit", "one byte less", "one byte more", "a member twice"])
def test_what_is_not_read_back_as_written_gets_no_name(
    files: SegmentFiles, ending: str, harm: str
) -> None:
    """The disk changes a file after it was synced: between writing and proving."""

    def spoil(step: str) -> None:
        if step == "prove what was written":
            path = files.of_link(CHAIN_LINK) / f".000001-{DAY}{ending}.new"
            body = bytearray(path.read_bytes())
            if harm == "one bit":
                body[len(body) // 2] ^= 1
            elif harm == "one byte less":
                body.pop()
            elif harm == "one byte more":
                body.append(0)
            else:
                body += bytes(body)
            path.write_bytes(body)

    not_the_same = pytest.raises(StoreUnavailableError, match="read back is not what was written")
    with steps_watched(spoil), not_the_same:
        write(files)
    assert names(files) == []


# --- what is left of an attempt -----------------------------------------------------------------


def test_every_step_is_named_in_order(files: SegmentFiles) -> None:
    steps: list[str] = []
    with steps_watched(steps.append):
        write(files)
    assert steps == list(STEPS)


@pytest.mark.parametrize("failing", dict.fromkeys(STEPS))
def test_a_failure_at_any_step_leaves_no_half_file(files: SegmentFiles, failing: str) -> None:
    def fail(step: str) -> None:
        if step == failing:
            raise OSError(28, "No space left on device")

    no_room = pytest.raises(StoreUnavailableError, match="No space left on device")
    with steps_watched(fail), no_room:
        write(files)
    if files.of_link(CHAIN_LINK).exists():
        assert not [name for name in names(files) if name.startswith(".")]
    segment = write(files)
    files.check_hash(segment)
    assert len(names(files)) == 3
    assert lines_of(files.blocks(segment)) == CHAIN[:600]


def test_finished_files_that_are_the_same_are_taken_as_they_are(files: SegmentFiles) -> None:
    first = write(files)
    path = files.path(first, RECORDS)
    inode = path.stat().st_ino
    assert left_over_cut(files, CHAIN_LINK, 1) == 600
    assert write(files) == first
    assert path.stat().st_ino == inode
    assert not [name for name in names(files) if name.startswith(".")]


def test_nothing_is_left_over_where_nothing_lies(files: SegmentFiles) -> None:
    assert left_over_cut(files, CHAIN_LINK, 1) is None
    write(files)
    assert left_over_cut(files, CHAIN_LINK, 2) is None


def test_an_unreadable_index_in_the_way_is_named(files: SegmentFiles) -> None:
    segment = write(files)
    files.path(segment, INDEX).write_bytes(b"{}")
    with pytest.raises(StoreConflictError, match=f"000001-{DAY}{INDEX} belongs to no segment"):
        left_over_cut(files, CHAIN_LINK, 1)


@pytest.mark.parametrize("ending", [RECORDS, INDEX, STATE])
def test_another_finished_file_in_the_way_is_left_alone(files: SegmentFiles, ending: str) -> None:
    segment = write(files)
    for other in {RECORDS, INDEX, STATE} - {ending}:
        files.path(segment, other).unlink()
    path = files.path(segment, ending)
    path.write_bytes(gzip.compress(b"{}\n"))
    with pytest.raises(StoreConflictError, match=f"{path.name} belongs to no segment"):
        write(files)
    assert gzip.decompress(path.read_bytes()) == b"{}\n"
    assert names(files) == [path.name]


def test_a_file_of_the_same_number_and_another_day_is_in_the_way(files: SegmentFiles) -> None:
    segment = write(files)
    other = files.of_link(CHAIN_LINK) / f"000001-2026-11-16{RECORDS}"
    shutil.move(files.path(segment, RECORDS), other)
    with pytest.raises(StoreConflictError, match="000001-2026-11-16"):
        write(files)
    assert other.exists()


def test_files_of_a_crash_are_removed_and_nothing_else(files: SegmentFiles) -> None:
    folder = files.of_link(CHAIN_LINK)
    folder.mkdir(parents=True)
    (folder / f".000001-2026-11-16{RECORDS}.new").write_bytes(b"half")
    (folder / "note.txt").write_text("from the auditor")
    write(files)
    assert names(files)[-1] == "note.txt"
    assert len(names(files)) == 4
