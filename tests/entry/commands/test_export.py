"""`progressive export`: the stored bytes, across the seam, beside a service, gone on with."""

import asyncio
import csv
import gzip
import json
import os
import re
import resource
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest

from progressive.adapters.sqlite.journal import SqliteStore
from progressive.application.journal.export import PIECE_RECORDS
from progressive.application.journal.export_lines import COLUMNS, CsvLines
from progressive.application.journal.record import GENESIS, encode_record
from progressive.application.journal.segments import Segment
from progressive.domain.award_events import AwardPaid
from progressive.domain.ids import AwardId, LinkId
from progressive.domain.signatures import Signature
from tests.support.archived import DAYS, archive
from tests.support.award_journals import AwardShelf
from tests.support.long_journal import LongJournal, make_long_journal
from tests.support.service import ROOT, ServiceProcess, run_command, run_inside

RECORDS = PIECE_RECORDS + 900
"""More than one piece."""
PURGED_AT = "2031-03-02T11:00:00.000000Z"


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> LongJournal:
    """Four gaming days, those that are over in closed segments. Nobody writes to it."""
    out = tmp_path_factory.mktemp("long")
    journal = make_long_journal(out, records=RECORDS, tables=6, days=4, archived=False)
    assert len(archive(journal.data, journal.link)) >= 3
    return journal


@pytest.fixture(scope="module")
def whole(stored: LongJournal) -> bytes:
    """The whole journal, by `zcat` and SQLite alone."""
    files = sorted((stored.data / "segments" / "main").glob("*.jsonl.gz"))
    closed = b"".join(gzip.decompress(file.read_bytes()) for file in files)
    with closing(sqlite3.connect(stored.data / "journal.sqlite3")) as db:
        rows = db.execute("SELECT body FROM batch WHERE link = 'main' ORDER BY first_seq")
        opened = b"".join(row[0] for row in rows)
    first = int(re.findall(rb'\A{"seq":(\d+)', opened)[0])
    return closed[: _place(closed, first)] + opened


def _place(lines: bytes, seq: int) -> int:
    """Where a record begins: batches that span the seam lie in both parts."""
    found = lines.find(b'{"seq":%d,' % seq)
    return len(lines) if found < 0 else found


def export(data: Path, *options: str | Path) -> subprocess.CompletedProcess[str]:
    return run_command("export", "--data", data, "--link", "main", *options)


def seqs(text: str) -> list[int]:
    return [json.loads(line)["seq"] for line in text.splitlines()]


def test_the_stored_bytes_come_out_one_record_a_line(stored: LongJournal, whole: bytes) -> None:
    done = export(stored.data)
    assert done.returncode == 0, done.stderr
    assert done.stdout.encode() == whole
    assert whole.count(b"\n") == RECORDS
    assert done.stderr == (
        f"main: records 1 to {RECORDS} written; go on with --from {RECORDS + 1}\n"
    )


@pytest.mark.parametrize(
    ("options", "first", "last"),
    [
        (("--from", "7", "--to", "9"), 7, 9),
        (("--to", "3"), 1, 3),
        (("--from", str(RECORDS)), RECORDS, RECORDS),
        (("--from", "4990", "--to", "999999"), 4990, RECORDS),
    ],
)
def test_a_stretch_by_numbers(
    stored: LongJournal, options: tuple[str, ...], first: int, last: int
) -> None:
    done = export(stored.data, *options)
    assert done.returncode == 0
    assert seqs(done.stdout) == list(range(first, last + 1))


def test_nothing_new_is_no_error(stored: LongJournal) -> None:
    done = export(stored.data, "--from", str(RECORDS + 1))
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == f"main: nothing written; go on with --from {RECORDS + 1}\n"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--from", "6000"), "main ends with record 4996: there is no 6000"),
        (("--from", "9", "--to", "3"), "--to 3 is before --from 9"),
        (
            ("--since", "2026-03-02", "--until", "2026-03-01"),
            "--until 2026-03-01 is before --since 2026-03-02",
        ),
        (("--from", "0"), "0 is not in the range"),
        (("--since", "yesterday"), "'yesterday' is not a time"),
        (("--day", "2026-02-30"), "'2026-02-30' is not a day"),
        (("--day", "2026-02-26", "--until", "2026-02-26"), "give --day, or --since and --until"),
        (("--from", "1", "--since", "2026-02-26"), "record numbers or times, not both"),
        (("--resume",), "--resume goes with --out"),
    ],
)
def test_bad_input_is_one_line(stored: LongJournal, options: tuple[str, ...], words: str) -> None:
    done = run_inside("export", "--data", stored.data, "--link", "main", *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr


def test_an_unknown_link_is_told_which_there_are(stored: LongJournal) -> None:
    done = run_command("export", "--data", stored.data, "--link", "other")
    assert done.returncode == 2
    assert "no link 'other' in this data directory (it has: main)" in done.stderr


def test_an_empty_directory_has_no_journal(tmp_path: Path) -> None:
    done = export(tmp_path)
    assert done.returncode == 2
    assert "there is no journal" in done.stderr


@pytest.mark.slow
def test_a_gaming_day_is_whole_and_days_join(stored: LongJournal, whole: bytes) -> None:
    times = [json.loads(line)["at"] for line in whole.splitlines()]
    days = sorted({DAYS.day_of(at) for at in times})
    assert len(days) >= 4
    joined = ""
    for day in days:
        done = export(stored.data, "--day", day)
        assert {DAYS.day_of(json.loads(line)["at"]) for line in done.stdout.splitlines()} == {day}
        joined += done.stdout
    assert joined.encode() == whole


def test_times_of_the_floor_need_no_offset(stored: LongJournal, whole: bytes) -> None:
    local = export(stored.data, "--since", "2026-02-26 06:00", "--until", "2026-02-26 07:00")
    utc = export(stored.data, "--since", "2026-02-26T11:00:00Z", "--until", "2026-02-26T12:00:00Z")
    wanted = [
        line for line in whole.decode().splitlines() if "2026-02-26T11:" in json.loads(line)["at"]
    ]
    assert local.stdout.splitlines() == utc.stdout.splitlines() == wanted
    assert wanted


# --- as a table ---------------------------------------------------------------------------------


def test_rows_hold_all_that_the_records_hold(stored: LongJournal, whole: bytes) -> None:
    done = export(stored.data, "--format", "csv")
    rows = list(csv.reader(done.stdout.splitlines()))
    assert tuple(rows[0]) == COLUMNS
    rebuilt = b"".join(
        b'{"seq":%b,"at":"%b","prev":"%b","event":%b}\n'
        % tuple(row[place].encode() for place in (0, 1, 11, 13))
        for row in rows[1:]
    )
    assert rebuilt == whole
    for row, line in zip(rows[1:], whole.splitlines(), strict=True):
        assert row[12] == sha256(line).hexdigest()
    lock = next(row for row in rows if row[2] == "wagers_registered")
    event = json.loads(lock[13])
    assert int(lock[5]) == sum(chips + coupons for _, chips, coupons in event["stakes"])
    assert lock[7] == " ".join(str(amount // 1_000_000) for amount in event["meters"])


@pytest.mark.slow
def test_row_of_a_settlement_names_the_dealer_whom_its_record_does_not(tmp_path: Path) -> None:
    """Dora signed on by record 2; record 4 is hers, whichever stretch is asked for."""
    shelf = AwardShelf(tmp_path / "good")
    data = shelf.copy_to(tmp_path / "data").directory
    for options in ((), ("--from", "4", "--to", "4")):
        done = export(data, "--format", "csv", *options)
        rows = {row["seq"]: row for row in csv.DictReader(done.stdout.splitlines())}
        assert "Dora" not in rows["4"]["event"]
        assert rows["4"]["by"] == "Dora (pit)"
    out = tmp_path / "out.csv"
    export(data, "--format", "csv", "--to", "4", "--out", out)
    good = out.read_bytes()
    for end in (len(good), len(good) - 7):
        out.write_bytes(good[:end])
        assert (
            export(data, "--format", "csv", "--to", "4", "--out", out, "--resume").returncode == 0
        )
        assert out.read_bytes() == good


def test_no_cell_is_a_formula() -> None:
    paid = AwardPaid(
        award=AwardId("main.7.1"),
        by=Signature("@anna", "cage, night"),
        document='=HYPERLINK("x")',
        manual=True,
        cents=12_300,
        meters=(),
    )
    record = encode_record(9, "2026-01-02T03:04:05.000000Z", GENESIS, paid)
    line = CsvLines().line(record)
    assert line.endswith(b"\r\n")
    (row,) = csv.reader([line.decode()])
    cells = dict(zip(COLUMNS, row, strict=True))
    assert cells["document"] == '\'=HYPERLINK("x")'
    assert cells["by"] == "'@anna (cage, night)"
    assert (cells["award"], cells["amount_cents"]) == ("main.7.1", "12300")
    assert msgspec.json.decode(cells["event"])["document"] == '=HYPERLINK("x")'


# --- into a file --------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_a_file_is_gone_on_with_wherever_it_was_cut(
    stored: LongJournal, tmp_path: Path, form: str
) -> None:
    out = tmp_path / "main.out"
    assert export(stored.data, "--to", "40", "--format", form, "--out", out).returncode == 0
    good = out.read_bytes()
    places = [0, 1, 5, len(good) // 2, len(good) - 1, len(good)]
    for place in places:
        out.write_bytes(good[:place])
        done = export(stored.data, "--to", "40", "--format", form, "--out", out, "--resume")
        assert done.returncode == 0, done.stderr
        assert out.read_bytes() == good, place


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_a_range_goes_on_by_the_same_command(
    stored: LongJournal, tmp_path: Path, form: str
) -> None:
    """Also where nothing of it was written yet: then it begins with its own first record, and not
    with the journal's."""
    out = tmp_path / "day.out"
    wanted = ("--from", "101", "--to", "140", "--format", form, "--out", out)
    assert export(stored.data, *wanted).returncode == 0
    good = out.read_bytes()
    for place in (0, 5, len(good) // 2, len(good) - 1, len(good)):
        out.write_bytes(good[:place])
        done = export(stored.data, *wanted, "--resume")
        assert done.returncode == 0, done.stderr
        assert out.read_bytes() == good, place


def test_a_gaming_day_goes_on_by_the_same_command(stored: LongJournal, tmp_path: Path) -> None:
    out = tmp_path / "day.jsonl"
    assert export(stored.data, "--day", "2026-02-27", "--out", out).returncode == 0
    good = out.read_bytes()
    assert seqs(good.decode())[0] > 1
    for place in (0, len(good) // 2):
        out.write_bytes(good[:place])
        assert export(stored.data, "--day", "2026-02-27", "--out", out, "--resume").returncode == 0
        assert out.read_bytes() == good, place


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_a_file_that_begins_elsewhere_is_not_gone_on_with(
    stored: LongJournal, tmp_path: Path, form: str
) -> None:
    out = tmp_path / "main.out"
    options = ("--format", form, "--out", out)
    assert export(stored.data, "--from", "5", "--to", "9", *options).returncode == 0
    good = out.read_bytes()
    done = export(stored.data, "--from", "7", "--to", "20", *options, "--resume")
    assert done.returncode == 1
    assert "begins with record 5, and 7 was asked for" in done.stderr
    assert out.read_bytes() == good


def test_a_full_disk_leaves_what_can_be_gone_on_with(
    stored: LongJournal, whole: bytes, tmp_path: Path
) -> None:
    out, limit = tmp_path / "main.jsonl", 100_000
    done = run_command(
        *("export", "--data", stored.data, "--link", "main", "--out", out),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    assert done.returncode == 2, done.stderr
    assert "File too large" in done.stderr
    assert out.read_bytes() == whole[:limit]
    assert export(stored.data, "--out", out, "--resume").returncode == 0
    assert out.read_bytes() == whole


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_a_file_that_holds_more_than_is_wanted_is_not_gone_on_with(
    stored: LongJournal, tmp_path: Path, form: str
) -> None:
    out = tmp_path / "main.out"
    options = ("--format", form, "--out", out)
    assert export(stored.data, "--to", "40", *options).returncode == 0
    good = out.read_bytes()
    # Also where the record behind the last one that is wanted was cut off.
    for there, last in ((good, "5"), (good, "39"), (good[:-9], "39")):
        out.write_bytes(there)
        done = export(stored.data, "--to", last, *options, "--resume")
        assert done.returncode == 2
        assert f"ends with record 40, and no more than up to {last} was asked for" in done.stderr
        assert "written" not in done.stderr
        assert out.read_bytes() == there


@pytest.mark.slow
def test_a_file_that_is_there_is_not_written_over(stored: LongJournal, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.write_text("precious\n")
    for options, code in (((), 2), (("--resume",), 1)):
        done = export(stored.data, "--out", out, *options)
        assert done.returncode == code, done.stderr
        assert out.read_text() == "precious\n"
    out.write_text("precious")
    assert export(stored.data, "--out", out, "--resume").returncode == 1
    assert out.read_text() == "precious"


def test_a_file_of_another_journal_is_not_gone_on_with(
    stored: LongJournal, whole: bytes, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    other = whole.splitlines(keepends=True)[8].replace(b'"seq":9', b'"seq":8')
    out.write_bytes(other)
    done = export(stored.data, "--out", out, "--resume")
    assert done.returncode == 1
    assert "does not end with a record of main" in done.stderr
    assert out.read_bytes() == other


# --- surroundings -------------------------------------------------------------------------------


def test_a_reader_that_leaves_is_no_error(stored: LongJournal) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "progressive", "export", "--data", stored.data, "--link", "main"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith(b'{"seq":1,')
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_ctrl_c_ends_it_with_whole_lines(stored: LongJournal, tmp_path: Path) -> None:
    read, write = os.pipe()
    with subprocess.Popen(
        [sys.executable, "-m", "progressive", "export", "--data", stored.data, "--link", "main"],
        cwd=ROOT,
        stdout=write,
        stderr=subprocess.PIPE,
        # Tests that a shell runs in the background are deaf to it, and so are their children.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    ) as process:
        os.close(write)
        with open(read, "rb") as pipe:
            # The pipe is full long before the end: it waits there.
            got = pipe.readline()
            process.send_signal(signal.SIGINT)
            got += pipe.read()
        assert process.stderr is not None
        told = process.stderr.read().decode()
    assert process.returncode == 130, told
    assert "Interrupted" in told
    assert "Traceback" not in told
    assert seqs(got.decode()) == list(range(1, got.count(b"\n") + 1))


@pytest.fixture
def copied(stored: LongJournal, tmp_path: Path) -> Path:
    subprocess.run(["cp", "-r", stored.data, tmp_path / "data"], check=True)
    return tmp_path / "data"


def _edited(data: Path, seq: int) -> None:
    """A record of the open part changed in place, its length the same."""
    with closing(sqlite3.connect(data / "journal.sqlite3")) as db:
        first, body = db.execute(
            "SELECT first_seq, body FROM batch WHERE first_seq <= ? "
            "ORDER BY first_seq DESC LIMIT 1",
            (seq,),
        ).fetchone()
        lines = body.split(b"\n")
        lines[seq - first] = lines[seq - first].replace(b"Z", b"Y", 1)
        db.execute("UPDATE batch SET body = ? WHERE first_seq = ?", (b"\n".join(lines), first))
        db.commit()


@pytest.mark.slow
def test_a_broken_chain_is_named_and_what_was_good_is_written(copied: Path) -> None:
    seq = RECORDS - 5
    _edited(copied, seq)
    done = export(copied)
    assert done.returncode == 1
    assert f"record {seq + 1} does not follow record {seq}" in done.stderr
    assert seqs(done.stdout) == list(range(1, seq + 1))
    assert f"go on with --from {seq + 1}" in done.stderr
    # The record that stands before the first is held against it too.
    assert export(copied, "--from", str(seq + 1)).returncode == 1
    assert export(copied, "--from", str(seq + 2)).returncode == 0


def test_a_damaged_segment_is_named_and_what_was_good_is_written(copied: Path) -> None:
    file = sorted((copied / "segments" / "main").glob("*.jsonl.gz"))[1]
    body = bytearray(file.read_bytes())
    body[len(body) // 2] ^= 0xFF
    file.write_bytes(body)
    done = export(copied)
    assert done.returncode == 1
    assert file.name in done.stderr
    got = seqs(done.stdout)
    assert got == list(range(1, len(got) + 1))
    assert len(got) > 500


@pytest.fixture
def purged(copied: Path) -> tuple[Path, Segment]:
    """The first two segments are gone; with the last one that went."""

    async def purge() -> Segment:
        store = SqliteStore(copied)
        try:
            link = LinkId("main")
            opened = await store.open_link(link)
            last = (await store.segments(link))[1]
            await store.mark_purged(link, epoch=opened.epoch, until_number=2, at=PURGED_AT)
            await store.remove_purged(link)
        finally:
            await store.close()
        return last

    return copied, asyncio.run(purge())


def test_what_is_gone_is_refused_in_the_same_words_however_it_is_asked_for(
    purged: tuple[Path, Segment], whole: bytes, tmp_path: Path
) -> None:
    data, last = purged
    out = tmp_path / "before.jsonl"
    out.write_bytes(b"".join(whole.splitlines(keepends=True)[:40]))
    said = f"Error: main: the records up to {last.last_seq:,} ({last.last_at}) were purged"
    for options in (
        ("--from", "10"),
        ("--from", "10", "--to", "20"),
        ("--to", "20"),
        ("--to", str(last.last_seq)),
        ("--since", "2026-02-26T12:00:00Z"),
        ("--until", "2026-02-26T12:00:00Z"),
        ("--resume", "--out", out),
    ):
        done = run_inside("export", "--data", data, "--link", "main", *options)
        assert done.returncode == 1, (options, done.stderr)
        assert said in done.stderr, options
        assert done.stdout == "", options
        assert "written" not in done.stderr, options


def test_what_is_left_begins_behind_what_is_gone(purged: tuple[Path, Segment]) -> None:
    data, last = purged
    first = last.last_seq + 1
    for options in ((), ("--from", str(first))):
        assert seqs(export(data, *options).stdout) == list(range(first, RECORDS + 1))
    for end in (first, first + 7):
        assert seqs(export(data, "--to", str(end)).stdout) == list(range(first, end + 1))


@pytest.fixture
def served(copied: Path, stored: LongJournal) -> Iterator[ServiceProcess]:
    with ServiceProcess(copied, floor=stored.floor) as service:
        yield service


@pytest.mark.slow
def test_beside_a_running_service(
    served: ServiceProcess, copied: Path, whole: bytes, tmp_path: Path
) -> None:
    out = tmp_path / "main.jsonl"
    done = export(copied, "--out", out)
    assert done.returncode == 0, done.stderr
    body = out.read_bytes()
    assert body.startswith(whole)
    served.kill()
    done = export(copied, "--out", out, "--resume")
    assert done.returncode == 0, done.stderr
    assert out.read_bytes() == body


def test_the_chain_check_of_the_docs_runs(stored: LongJournal, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "export-and-retention.md").read_text("utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    (tmp_path / "check.py").write_text(block)
    good = export(stored.data).stdout
    check = [sys.executable, "-I", "-S", tmp_path / "check.py"]
    done = subprocess.run(check, input=good, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{RECORDS} records")
    lines = good.splitlines(keepends=True)
    for bad in (
        good.replace('"seq":900,"at":"2', '"seq":900,"at":"3', 1),
        "".join(lines[:70] + lines[71:]),
        "".join([*lines[:70], lines[71], lines[70], *lines[72:]]),
    ):
        done = subprocess.run(check, input=bad, capture_output=True, text=True, check=False)
        assert done.returncode == 1, done.stdout
