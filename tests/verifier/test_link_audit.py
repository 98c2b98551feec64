"""The chain: numbering, hashes, batches, heads and times. Whatever was touched is named."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from progressive.verifier.findings import FindingError, Problem, StoreCorruptError, shown
from progressive.verifier.link_audit import LinkAudit, audit_link
from progressive.verifier.report import AuditedAmounts, LinkReport, StoredBatch, StoredLink
from tests.support.journals import JournalFile, JournalShelf, Row, without_promise


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> JournalShelf:
    return JournalShelf(tmp_path_factory.mktemp("shelf") / "good")


@pytest.fixture
def journal(shelf: JournalShelf, tmp_path: Path) -> JournalFile:
    return shelf.copy_to(tmp_path / "data")


def problem_of(journal: JournalFile) -> Problem:
    report = journal.verified()
    assert report.problem is not None, "nothing was found"
    assert report.meters == ()
    assert report.totals is None
    return report.problem


def stored_parts(journal: JournalFile) -> tuple[StoredLink, list[StoredBatch]]:
    """The journal as it lies in the file, to be spoilt in memory."""
    epoch, seq, head = journal.execute("SELECT epoch, seq, head FROM link")[0]
    snapshot = journal.execute("SELECT seq, body FROM snapshot")[0]
    rows = journal.rows()
    return (
        StoredLink(journal.link, epoch, seq, head, (snapshot,)),
        [StoredBatch(row.first_seq, row.last_seq, row.epoch, row.body) for row in rows],
    )


def audited(link: StoredLink, batches: list[StoredBatch]) -> LinkReport:
    return audit_link(link, batches, on_progress=lambda _: None)


# --- a good journal ---------------------------------------------------------------------------


def test_good_journal_is_proved_to_the_microcent(journal: JournalFile) -> None:
    report = journal.verified()
    assert report.problem is None
    assert (report.records, report.rounds, report.voided, report.open) == (15, 7, 2, 1)
    assert report.wagers == 22
    assert report.head == journal.execute("SELECT head FROM link")[0][0]
    assert report.clock_steps_back == 0
    # $65 of wagers on Blazing 7's stayed: the Mega took $2 of them to its limit, the rest is above.
    assert report.meters == (
        AuditedAmounts("mega", 100_200_000_000, 65_006_500, 450_000_000),
        AuditedAmounts("major", 1_500_390_000_000, 32_500_000, 0),
        AuditedAmounts("minor", 300_260_000_000, 32_500_000, 0),
    )
    totals = report.totals
    assert totals is not None
    assert totals.came_in == totals.lies == 1_911_000_000_000
    assert totals.wagers_chip == 9_200_000_000
    assert totals.wagers_coupon == 1_800_000_000
    assert (totals.refunds_chip, totals.refunds_coupon) == (3_700_000_000, 800_000_000)


def test_link_that_was_opened_but_never_written_is_good() -> None:
    report = audited(StoredLink("main", 1, 0, "0" * 64), [])
    assert report.problem is None
    assert (report.records, report.meters) == (0, ())


def test_progress_hears_of_every_batch(journal: JournalFile) -> None:
    link, batches = stored_parts(journal)
    heard: list[int] = []
    audit_link(link, batches, on_progress=heard.append)
    assert heard == [batch.last_seq for batch in batches]


def test_older_record_without_a_field_added_since_is_good(journal: JournalFile) -> None:
    def drop_defaults(records: list[Row]) -> None:
        del records[0]["event"]["terms"]["bets"][1]["meters"]
        del records[2]["event"]["seats"][0]["hands"]

    journal.execute("DELETE FROM snapshot")
    journal.forge(drop_defaults)
    assert journal.verified().problem is None


# --- bytes ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_changed_byte_is_found_in_the_record_it_lies_in(journal: JournalFile) -> None:
    link, batches = stored_parts(journal)
    tried = 0
    for number, batch in enumerate(batches):
        seq = batch.first_seq
        for place in range(len(batch.body)):
            spoilt = bytearray(batch.body)
            spoilt[place] ^= 1 << (place % 8)
            altered = StoredBatch(batch.first_seq, batch.last_seq, batch.epoch, bytes(spoilt))
            report = audited(link, [*batches[:number], altered, *batches[number + 1 :]])
            assert report.problem is not None, f"record {seq}, byte {place}"
            assert report.problem.seq == seq, (place, report.problem)
            assert report.records == seq - 1
            assert report.problem.message.isprintable()
            tried += 1
            if batch.body[place] == ord("\n"):
                seq += 1
    assert tried > 7_000


def test_changed_text_is_blamed_on_its_record_and_not_on_the_next(journal: JournalFile) -> None:
    # Nothing computes with the reason of a void: only the chain can know it.
    journal.execute(
        "UPDATE batch SET body = CAST(replace(CAST(body AS TEXT), 'exposed', 'EXPOSED') AS BLOB)"
    )
    problem = problem_of(journal)
    assert (problem.seq, problem.type) == (5, "round_voided")
    assert problem.message == "has been changed: record 6 names another hash"


def test_changed_link_of_the_chain_is_blamed_on_its_record(journal: JournalFile) -> None:
    lines = journal.lines()
    record = msgspec.json.decode(lines[5])
    record["prev"] = record["prev"][::-1]
    head = journal.execute("SELECT head FROM link")[0][0]
    journal.store([*lines[:5], msgspec.json.encode(record), *lines[6:]])
    journal.execute("UPDATE link SET head = ?", head)
    problem = problem_of(journal)
    assert (problem.seq, problem.type) == (6, "wagers_registered")
    assert problem.message == "does not follow record 5: one of the two has been changed"


def test_changed_last_record_is_found_by_the_head(journal: JournalFile) -> None:
    lines = journal.lines()
    head = journal.execute("SELECT head FROM link")[0][0]
    journal.store([*lines[:-1], lines[-1].replace(b"03:07:17", b"03:07:18")])
    journal.execute("UPDATE link SET head = ?", head)
    problem = problem_of(journal)
    assert (problem.seq, problem.type) == (15, "wagers_registered")
    assert "has the hash" in problem.message


def test_first_record_names_none_before_it(journal: JournalFile) -> None:
    lines = journal.lines()
    journal.store([lines[0].replace(b'"prev":"00', b'"prev":"01'), *lines[1:]])
    problem = problem_of(journal)
    assert (problem.seq, problem.type) == (1, "link_opened")
    assert "the first" in problem.message


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\xff\xfe\x00",
        b"null",
        b"[]",
        b"{}",
        b'{"seq":6}',
        b'{"seq":"6","at":"","prev":"","event":{"type":"checkpointed"}}',
        b'{"seq":6,"at":null,"prev":null,"event":null}',
        b'{"seq":6,"at":"","prev":"","event":{"type":"meter_set"}}',
        b'{"seq":6,"at":"","prev":"","event":{"type":["round_voided"]}}',
        b'{"seq":6,"at":"","prev":"","event":' + b"[" * 100_000,
        b'{"seq":6,"at":"","prev":"","event":' + b'{"a":' * 100_000,
        b'{"seq":6,"at":"\xed\xa0\x80","prev":"","event":{}}',
        b'{"seq":' + b"6" * 6_000 + b"}",
        b'{"seq":-6,"at":"","prev":"","event":{"type":"checkpointed","state_digest":"","meters":[]}}',
    ],
)
def test_garbage_is_a_finding_that_names_the_record(journal: JournalFile, line: bytes) -> None:
    lines = journal.lines()
    journal.store([*lines[:5], line, *lines[6:]])
    problem = problem_of(journal)
    assert problem.seq == 6
    assert problem.message.isprintable()
    assert len(problem.message) < 400


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'{"seq":6,', b'{ "seq":6,'),
        (b'{"seq":6,', b'{"seq":6,"note":"x",'),
        (b'{"seq":6,', b'{"seq":7,"seq":6,'),
        (b'"hold":2729996500', b'"hold":1,"hold":2729996500'),
        (b'"hold":2729996500', b'"hold":2729996500,"bonus":1'),
        (b'"plain":["blazing7"', b'"plain":["blazing\\u0037"'),
        (b'["blazing7",3500,0]', b'["blazing7",3500,0,0]'),
        (b"}}", b"}}\r"),
    ],
)
def test_record_in_another_form_is_a_finding(journal: JournalFile, old: bytes, new: bytes) -> None:
    """Another reader of the line could be told another story."""
    link, batches = stored_parts(journal)
    body = batches[5].body.replace(old, new, 1)
    assert body != batches[5].body
    batches[5] = StoredBatch(6, 6, 1, body)
    problem = audited(link, batches).problem
    assert problem is not None
    assert problem.seq == 6
    assert problem.message.startswith("the record is not in canonical form: ")


def test_time_is_named_even_where_the_record_is_unreadable(journal: JournalFile) -> None:
    lines = journal.lines()
    journal.store([*lines[:5], lines[5].replace(b"wagers_reg", b"wagers_dereg"), *lines[6:]])
    problem = problem_of(journal)
    assert problem.at == "2026-01-02T03:05:32.500000Z"
    assert problem.type == "wagers_deregistered"
    assert "unreadable" in problem.message


@given(st.lists(st.binary(max_size=200), max_size=4), st.integers(0, 5), st.binary(max_size=64))
def test_any_bytes_end_in_a_report(bodies: list[bytes], seq: int, head: bytes) -> None:
    batches = [StoredBatch(n, n, 1, body) for n, body in enumerate(bodies, start=1)]
    report = audited(StoredLink("main", 1, seq, head.hex()), batches)
    assert report.problem is not None


# --- batches, heads, epochs -------------------------------------------------------------------


def test_deleted_last_batch_is_missed(journal: JournalFile) -> None:
    journal.execute("DELETE FROM batch WHERE first_seq = 15")
    problem = problem_of(journal)
    assert problem.seq == 15
    assert problem.message == "missing: the journal ends at 14, but 15 were written"


def test_deleted_middle_batch_is_missed(journal: JournalFile) -> None:
    journal.execute("DELETE FROM batch WHERE first_seq = 8")
    problem = problem_of(journal)
    assert problem.seq == 8
    assert problem.message == "missing: the next batch begins with record 10"


def test_deleted_first_batch_is_missed(journal: JournalFile) -> None:
    journal.execute("DELETE FROM batch WHERE first_seq = 1")
    assert problem_of(journal).seq == 1


def test_all_batches_deleted_is_no_empty_journal(journal: JournalFile) -> None:
    journal.execute("DELETE FROM batch")
    assert problem_of(journal).seq == 1


def test_forgotten_journal_is_betrayed_by_its_snapshot(journal: JournalFile) -> None:
    journal.execute("DELETE FROM batch")
    journal.execute("UPDATE link SET seq = 0, head = ?", "0" * 64)
    assert problem_of(journal).message == "missing: there is a stored snapshot at 10"


def test_two_swapped_batches_are_found(journal: JournalFile) -> None:
    rows = journal.rows()
    journal.execute("UPDATE batch SET body = ? WHERE first_seq = 3", rows[3].body)
    journal.execute("UPDATE batch SET body = ? WHERE first_seq = 4", rows[2].body)
    problem = problem_of(journal)
    assert problem.seq == 3
    assert problem.message == "missing: record 4 stands in its place"


def test_batch_stored_twice_is_found(journal: JournalFile) -> None:
    row = journal.rows()[-1]
    journal.execute(
        "INSERT INTO batch VALUES (?, 14.5, ?, ?, ?)", journal.link, 15, row.epoch, row.body
    )
    assert problem_of(journal).seq == 15


@pytest.mark.parametrize(
    ("sql", "seq"),
    [
        ("UPDATE link SET head = 'cafe'", 15),
        ("UPDATE link SET head = x'00'", 15),
        ("UPDATE link SET seq = 16", 16),
        ("UPDATE link SET seq = 14", 15),
        ("UPDATE link SET seq = -1", 1),
        ("UPDATE link SET seq = 'many'", 1),
        ("UPDATE link SET seq = 15.5", 1),
        ("UPDATE link SET epoch = 0", 1),
        ("UPDATE link SET epoch = 'x'", 1),
        ("UPDATE link SET epoch = 1", 12),
        ("UPDATE batch SET epoch = 3 WHERE first_seq = 4", 4),
        ("UPDATE batch SET epoch = 2 WHERE first_seq = 4", 5),
        ("UPDATE batch SET epoch = 1 WHERE first_seq = 14", 14),
        ("UPDATE batch SET epoch = -1 WHERE first_seq = 4", 4),
        ("UPDATE batch SET epoch = 'x' WHERE first_seq = 4", 4),
        ("UPDATE batch SET last_seq = 5 WHERE first_seq = 4", 5),
        ("UPDATE batch SET last_seq = 3 WHERE first_seq = 4", 4),
        ("UPDATE batch SET last_seq = 'x' WHERE first_seq = 4", 4),
        ("UPDATE batch SET last_seq = 8 WHERE first_seq = 8", 9),
        ("UPDATE batch SET first_seq = 0 WHERE first_seq = 1", 1),
        ("UPDATE batch SET first_seq = 'x' WHERE first_seq = 15", 15),
        ("UPDATE batch SET first_seq = 9 WHERE first_seq = 8", 8),
        ("UPDATE batch SET body = x'' WHERE first_seq = 4", 4),
        ("UPDATE batch SET body = '' WHERE first_seq = 4", 4),
        ("UPDATE batch SET body = CAST(body AS TEXT) WHERE first_seq = 4", 4),
        ("UPDATE batch SET body = 4 WHERE first_seq = 4", 4),
        ("UPDATE batch SET body = body || x'0a' WHERE first_seq = 4", 4),
        ("UPDATE batch SET body = CAST(body || '{}' AS BLOB) WHERE first_seq = 4", 5),
        ("UPDATE batch SET body = substr(body, 1, length(body) - 1) WHERE first_seq = 4", 4),
        ("UPDATE batch SET body = substr(body, 1, length(body) - 1) WHERE first_seq = 15", 15),
        ("UPDATE batch SET link = 'other' WHERE first_seq = 15", 15),
        ("INSERT INTO batch VALUES ('main', 16, 15, 2, x'')", 16),
        ("INSERT INTO batch VALUES ('main', 16, 16, 2, x'7b7d0a')", 16),
        ("UPDATE snapshot SET seq = 9", 10),
        ("UPDATE snapshot SET seq = 15", 16),
        ("UPDATE snapshot SET seq = 99", 16),
        ("UPDATE snapshot SET seq = 0", 1),
        ("UPDATE snapshot SET seq = 'x'", 1),
        ("UPDATE snapshot SET body = x''", 11),
        ("UPDATE snapshot SET body = 'text'", 11),
        ("UPDATE snapshot SET body = CAST(replace(body, '100200', '100201') AS BLOB)", 11),
    ],
)
def test_tampered_row_is_found(journal: JournalFile, sql: str, seq: int) -> None:
    journal.execute(sql)
    assert problem_of(journal).seq == seq


def test_broken_chain_before_an_unreadable_batch_is_still_named_first(journal: JournalFile) -> None:
    """It breaks between 5 and 6, and 6 is the last that can be read: one of them it must be."""
    journal.execute(
        "UPDATE batch SET body = CAST(replace(CAST(body AS TEXT), 'exposed', 'EXPOSED') AS BLOB)"
    )
    journal.execute("UPDATE batch SET body = x'00', last_seq = 'x' WHERE first_seq > 6")
    problem = problem_of(journal)
    assert problem.seq == 6
    assert problem.message == "does not follow record 5: one of the two has been changed"


def test_store_that_fails_while_read_is_a_finding(journal: JournalFile) -> None:
    link, batches = stored_parts(journal)

    def failing() -> Iterator[StoredBatch]:
        yield from batches[:3]
        raise StoreCorruptError("page 7 is gone")

    report = audit_link(link, failing(), on_progress=lambda _: None)
    assert report.problem is not None
    assert (report.problem.seq, report.problem.message) == (4, "cannot be read: page 7 is gone")


# --- time -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "at",
    [
        "",
        "yesterday",
        "2026-01-02 03:04:05.000000Z",
        "2026-01-02T03:04:05.000000",
        "2026-01-02T03:04:05.000000+01:00",
        "2026-02-30T03:04:05.000000Z",
        "2026-01-02T25:04:05.000000Z",
        "2026-01-02T03:04:05.000000Z ",
        "２０２６-01-02T03:04:05.000000Z",
        "\u001b[31m" * 100,
    ],
)
def test_time_that_is_none_is_a_finding(journal: JournalFile, at: str) -> None:
    def change(records: list[Row]) -> None:
        records[3]["at"] = at

    journal.forge(change)
    problem = problem_of(journal)
    assert problem.seq == 4
    assert "is not a time in RFC 3339 UTC" in problem.message
    assert problem.message.isprintable()
    assert problem.at is None or problem.at.isprintable()


def test_clock_that_went_back_in_an_older_version_is_counted_and_no_break(
    journal: JournalFile,
) -> None:
    def change(records: list[Row]) -> None:
        without_promise(records)
        records[3]["at"] = "2026-01-02T03:00:00Z"
        records[12]["at"] = "2026-01-02T03:00:00.25+00:00"

    journal.forge(change)
    report = journal.verified()
    assert report.problem is None
    assert report.clock_steps_back == 2


# --- without a store --------------------------------------------------------------------------


def test_records_can_be_fed_one_by_one(journal: JournalFile) -> None:
    link, _ = stored_parts(journal)
    audit = LinkAudit(link)
    audit.begin()
    for line in journal.lines():
        audit.feed(line)
    audit.finish()
    assert audit.report(None).records == 15


def test_finding_is_raised_with_its_problem(journal: JournalFile) -> None:
    link, _ = stored_parts(journal)
    audit = LinkAudit(link)
    with pytest.raises(FindingError) as found:
        audit.feed(b"{}")
    assert found.value.problem.seq == 1


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("BJ-01", "BJ-01"),
        ("ä", "ä"),
        ("a\nb\x1b[0m", "a\\nb\\x1b[0m"),
        (b"\x00", "b'\\x00'"),
        (None, "None"),
        ("x" * 81, "x" * 80 + "…"),
    ],
)
def test_stored_values_are_shown_harmlessly(value: object, text: str) -> None:
    assert shown(value) == text
