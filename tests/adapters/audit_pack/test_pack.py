"""The audit pack: what is in it, that it says how the day stands, and that its bytes are fixed."""

import io
import json
import re
import stat
import subprocess
import sys
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest
from pypdf import PdfReader

from progressive.adapters.reports.ledgers.programs import PROGRAMS
from progressive.adapters.reports.render import FACTS
from progressive.adapters.seals.key_file import new_signer
from progressive.application.finance.pack.sample import InTheDraw
from progressive.application.finance.refusals import FinanceRefusedError
from progressive.application.finance.reports.kinds import KINDS
from progressive.application.seals.note import COSIGNATURE
from progressive.domain.ids import LinkId
from progressive.entry.verifier_file import verifier_file
from tests.support.journals import JournalFile
from tests.support.packs import (
    CLOSED_DAY,
    EMPTY_DAY,
    KEYS,
    OPEN_DAY,
    TODAY,
    PackShelf,
    unpacked,
)
from tests.support.sealed_award import HOUSE
from tests.support.service import ROOT

CAGE_CENTS = 90_074
"""What document 1 was paid with."""


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> PackShelf:
    return PackShelf(tmp_path_factory.mktemp("packs"), cage_cents=CAGE_CENTS - 1)


@pytest.fixture(scope="module")
def closed(shelf: PackShelf, tmp_path_factory: pytest.TempPathFactory) -> Path:
    name, packed = shelf.packed(CLOSED_DAY)
    assert name == f"audit-pack_main_{CLOSED_DAY}.zip"
    return unpacked(packed, tmp_path_factory.mktemp("closed"))


@pytest.fixture(scope="module")
def running(shelf: PackShelf, tmp_path_factory: pytest.TempPathFactory) -> Path:
    name, packed = shelf.packed(TODAY)
    assert name == f"audit-pack_main_{TODAY}_OPEN.zip"
    return unpacked(packed, tmp_path_factory.mktemp("running"))


def statement(folder: Path) -> str:
    return (folder / "STATEMENT.txt").read_text("utf-8")


def on_paper(folder: Path) -> str:
    reader = PdfReader(folder / "STATEMENT.pdf")
    assert len(reader.pages) == 1, "the statement is one page"
    return " ".join(reader.pages[0].extract_text().split())


# --- what is in it ------------------------------------------------------------------------------


def test_every_report_is_there_in_every_format(closed: Path) -> None:
    due = {f"{kind}_main_{CLOSED_DAY}{facts.suffix}" for kind in KINDS for facts in FACTS.values()}
    assert due <= {path.name for path in (closed / "reports").iterdir()}
    for program in PROGRAMS:
        assert list((closed / "reports").glob(f"gl*{program}*")), program
    reported = json.loads((closed / "reports" / f"wagers_main_{CLOSED_DAY}.json").read_bytes())
    assert reported["closed"] is True


def test_the_records_are_those_of_the_day_as_they_are_stored(
    shelf: PackShelf, closed: Path
) -> None:
    lines = JournalFile(shelf.data).lines()
    assert (closed / "records.jsonl").read_bytes().splitlines() == lines[:17]
    beside = [json.loads(line) for line in (closed / "beside.jsonl").read_bytes().splitlines()]
    # The first record after the day; what finance entered, prepared and closed.
    assert [each["seq"] for each in beside] == [18, 45, 46, 47, 48]
    assert [each["event"]["type"] for each in beside[1:]] == [
        "finance_entered", "finance_entered", "day_prepared", "day_closed",
    ]  # fmt: skip


def test_the_verifier_and_the_key_are_those_of_the_house(closed: Path) -> None:
    assert (closed / "verifier.pyz").read_bytes() == verifier_file()
    assert (closed / "key.txt").read_text() == KEYS


def test_the_manifest_names_every_file_and_the_statement_every_other(closed: Path) -> None:
    names = {
        path.relative_to(closed).as_posix() for path in closed.rglob("*") if path.is_file()
    } - {"SHA256SUMS"}
    lines = (closed / "SHA256SUMS").read_text().splitlines()
    sums = {line[66:]: line[:64] for line in lines}
    assert set(sums) == names
    text, paper = statement(closed), on_paper(closed)
    for name, digest in sums.items():
        assert sha256((closed / name).read_bytes()).hexdigest() == digest
        if not name.startswith("STATEMENT"):
            assert f"{digest}  {name}\n" in text
            assert digest in paper


# --- how the day stands ---------------------------------------------------------------------------


def test_a_closed_day_says_by_whom(closed: Path) -> None:
    for text in (statement(closed), on_paper(closed)):
        assert "Prepared by Fay (finance), reviewed and closed by Fin (finance), record 48" in text
        # On the floor's clock, to the second.
        assert re.search(r"record 48, 2026-11-03 15:\d\d:\d\d EST", text)
        assert "meters: agrees" in text
        assert "Meters: difference $0.00 agrees" in text
        assert "OPEN" not in text
    assert "C L O S E D" in statement(closed)
    assert "CLOSED" in on_paper(closed)


def test_a_cent_that_the_cage_paid_less_is_said_to_be_explained(closed: Path) -> None:
    for text in (statement(closed), on_paper(closed)):
        assert "Cage: explained: 1 explained" in text


def test_an_open_day_says_so_everywhere(running: Path) -> None:
    assert running.name.endswith("_OPEN")
    assert all("_OPEN." in path.name for path in (running / "reports").iterdir())
    assert "O P E N" in statement(running)
    assert "The day is not over: these figures can still change." in on_paper(running)
    assert "Nobody has prepared or closed the day." in statement(running)


def test_a_day_without_a_record_has_a_pack(shelf: PackShelf, tmp_path: Path) -> None:
    folder = unpacked(shelf.packed(EMPTY_DAY)[1], tmp_path)
    assert (folder / "records.jsonl").read_bytes() == b""
    assert "no record; the journal stood at record 40" in statement(folder)
    beside = (folder / "beside.jsonl").read_bytes().splitlines()
    assert [json.loads(line)["seq"] for line in beside] == [40, 41]


# --- the sample -----------------------------------------------------------------------------------


def test_the_sample_is_the_one_of_the_rule(closed: Path) -> None:
    """Worked out a second time by what SAMPLE.txt says: the document, then what the rack paid."""
    text = (closed / "sample" / "SAMPLE.txt").read_text()
    assert "1 of 1 payment documents, 2 of 2 other settlements with awards (asked for 5" in text
    drawn = [("document", key_of(15), 15, 11)]
    drawn += sorted(("settlement", key_of(seq), seq, seq) for seq in (4, 6))
    for number, (what, digest, of, settled) in enumerate(drawn, 1):
        assert f"{number:3}  {what} record {of}  {digest}" in text
        sheet = json.loads((closed / "sample" / str(number) / "sheet.json").read_bytes())
        assert sheet["journal_seq"] == settled
    for page in (statement(closed), on_paper(closed)):
        assert "sample/: 1 of 1 payment documents, 2 of 2 other settlements with awards" in page


def key_of(number: int) -> str:
    text = f"progressive.sample/v2 1 main {CLOSED_DAY} {number}"
    return sha256(text.encode()).hexdigest()


@pytest.mark.parametrize("day", [CLOSED_DAY, OPEN_DAY, EMPTY_DAY])
@pytest.mark.parametrize(("seed", "count"), [(1, 1), (1, 5), (4711, 2), (4711, 50)])
def test_whoever_has_the_pack_can_draw_the_sample_again(
    shelf: PackShelf, tmp_path: Path, day: str, seed: int, count: int
) -> None:
    """By the program that the page prints, which knows nothing of this one."""
    folder = unpacked(shelf.packed(day, sample=count, seed=seed)[1], tmp_path / "pack")
    page = (ROOT / "docs" / "audit-pack.md").read_text("utf-8")
    (program,) = re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)
    done = subprocess.run(
        [sys.executable, "-I", "-c", program, str(seed), "main", day, str(count)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    told = (folder / "sample" / "SAMPLE.txt").read_text().splitlines()
    listed = [
        line.split()[1:5] for line in told if re.match(r" *\d+  (document|settlement) ", line)
    ]
    assert [line.split() for line in done.stdout.splitlines()] == listed
    assert bool(listed) is (day != EMPTY_DAY)


def a_settlement(seq: int) -> bytes:
    """As much of one as the draw looks at."""
    return b'{"seq":%d,"event":{"type":"round_settled","awards":[{' % seq


def test_documents_are_drawn_before_what_the_rack_paid(shelf: PackShelf) -> None:
    """Two documents among two hundred settlements: both are in any sample of two or more."""
    draw = InTheDraw()
    paid = JournalFile(shelf.data).lines()[14]
    for seq in range(1, 201):
        draw.add(seq, a_settlement(seq))
    for seq in (301, 302):
        award = b"main.%d.1" % (seq - 200)
        draw.add(seq, paid.replace(b'"seq":15', b'"seq":%d' % seq).replace(b"main.11.2", award))
    for seed in range(20):
        drawn = draw.chosen(LinkId("main"), CLOSED_DAY, seed=seed, count=5)
        assert [each.what for each in drawn] == ["document"] * 2 + ["settlement"] * 3
        assert {each.seq for each in drawn[:2]} == {101, 102}
        # Their settlements are not drawn a second time.
        assert not {101, 102} & {each.seq for each in drawn[2:]}
        fewer = draw.chosen(LinkId("main"), CLOSED_DAY, seed=seed, count=1)
        assert fewer == drawn[:1]
    assert len(draw.chosen(LinkId("main"), CLOSED_DAY, seed=1, count=1_000)) == 200


def test_the_same_seed_draws_the_same_for_ever() -> None:
    """Fixed numbers: whatever machine or version drew others would fail here."""
    draw = InTheDraw()
    for seq in range(1, 1_000):
        draw.add(seq, a_settlement(seq))
    drawn = draw.chosen(LinkId("main"), "2026-11-17", seed=7, count=4)
    assert [each.seq for each in drawn] == [493, 590, 206, 539]
    other = draw.chosen(LinkId("main"), "2026-11-17", seed=8, count=4)
    assert [each.seq for each in other] != [each.seq for each in drawn]


def test_a_document_has_all_records_behind_it(shelf: PackShelf, closed: Path) -> None:
    """Two winners of one round: lock-out, settlement, the void of one, the payment of the other."""
    (at,) = [
        path.parent
        for path in closed.glob("sample/*/sheet.json")
        if json.loads(path.read_bytes())["journal_seq"] == 11
    ]
    lines = JournalFile(shelf.data).lines()
    found = (at / "records.jsonl").read_bytes().splitlines()
    assert found == [lines[seq - 1] for seq in (10, 11, 12, 13, 14, 15)]
    register = json.loads((at / "register.json").read_bytes())
    assert [row["award"] for row in register] == ["main.11.1", "main.11.2"]
    assert [row["status"] for row in register] == ["void", "paid"]
    assert "main.11.2 paid by Fin (finance)" in (at / "sheet.txt").read_text()
    assert {path.name for path in at.glob("*.award-proof")} == {
        "main.11.1.award-proof", "main.11.2.award-proof",
    }  # fmt: skip


def test_an_award_of_yesterday_that_is_paid_today_may_be_drawn(
    shelf: PackShelf, tmp_path: Path
) -> None:
    folder = unpacked(shelf.packed(OPEN_DAY, sample=50)[1], tmp_path)
    sheets = [json.loads(path.read_bytes()) for path in folder.glob("sample/*/sheet.json")]
    assert 6 in [sheet["journal_seq"] for sheet in sheets]


# --- the bytes ------------------------------------------------------------------------------------


def test_the_same_journal_and_time_give_the_same_bytes(shelf: PackShelf) -> None:
    (_, first), (_, again) = shelf.packed(OPEN_DAY), shelf.packed(OPEN_DAY)
    assert first == again
    with zipfile.ZipFile(io.BytesIO(first)) as archive:
        for info in archive.infolist():
            assert info.date_time == (1980, 1, 1, 0, 0, 0)
            assert stat.filemode(info.external_attr >> 16) == "-rw-r--r--"


def test_a_seal_by_another_key_is_refused(shelf: PackShelf) -> None:
    other = "casino.example+00000000+AAAA"
    with pytest.raises(FinanceRefusedError, match="the public key"):
        shelf.packed(OPEN_DAY, keys=other)
    stranger = HOUSE.named("casino.other").key().text
    with pytest.raises(FinanceRefusedError, match="is by another key"):
        shelf.packed(OPEN_DAY, keys=stranger)


def test_a_witness_that_has_not_cosigned_is_refused(shelf: PackShelf) -> None:
    """Its line in the pack would make the verifier call the pack bad."""
    stranger = new_signer("witness.example/w2").key(COSIGNATURE).text
    with pytest.raises(FinanceRefusedError, match="w2 has cosigned no seal of this pack"):
        shelf.packed(OPEN_DAY, keys=f"{KEYS}{stranger}\n")


def test_without_a_key_it_says_where_to_get_one(shelf: PackShelf, tmp_path: Path) -> None:
    folder = unpacked(shelf.packed(EMPTY_DAY, keys="")[1], tmp_path)
    assert not (folder / "key.txt").exists()
    assert "no public key was given" in statement(folder)
    assert "--key" not in statement(folder)
