"""A cage's CSV file is read exactly, or refused with every bad line: never half, never by guess."""

import csv
import io
from hashlib import sha256

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from progressive.application.finance.refusals import FinanceRefusedError
from progressive.application.finance.stated import cage_file
from progressive.application.finance.stated.cage_file import (
    FILE_BYTES_MAX,
    PAYMENTS_MAX,
    CageFileRefusedError,
    read_cage_file,
)
from progressive.application.finance.stated.cage_mapping import CageMapping, in_zone, mapping_of
from progressive.domain.decide import days
from progressive.domain.finance_events import CagePayment
from progressive.domain.money import CENTS_MAX
from progressive.domain.text import text_problem, tidied

PLAIN = "reference,document,amount,paid at\n"


def payments(text: str | bytes, **mapping: object) -> list[tuple[str, str, int, str]]:
    body = text if isinstance(text, bytes) else text.encode()
    known = CageMapping(**mapping)  # type: ignore[arg-type]
    found = read_cage_file(body, "cage.csv", in_zone(known, "America/New_York"))
    return [(each.reference, each.document, each.cents, each.paid_at) for each in found.payments]


def refusal(text: str | bytes, **mapping: object) -> str:
    with pytest.raises(FinanceRefusedError) as refused:
        payments(text, **mapping)
    return str(refused.value)


def test_a_plain_file() -> None:
    body = (PLAIN + "R-1,main-000001,1234.56,2026-10-30 23:30\nR-2,CAGE-9,7,\n").encode()
    found = read_cage_file(body, "days/cage.csv", in_zone(CageMapping(), "America/New_York"))
    assert found.file == "cage.csv"
    assert found.sha256 == sha256(body).hexdigest()
    assert found.payments == (
        CagePayment("R-1", "main-000001", 123_456, "2026-10-31T03:30:00.000000Z"),
        CagePayment("R-2", "CAGE-9", 700, ""),
    )


@pytest.mark.parametrize(
    ("header", "line"),
    [
        ("Reference;Document;Amount;Paid At", "R-1;D-1;1.234,56;2026-10-30T23:30:00-04:00"),
        ("TRANS NO\tSlip #\tAmount Paid\tTimestamp", "R-1\tD-1\t$1,234.56\t2026-10-31T03:30Z"),
        ("id|doc_no|amount_cents|datetime", "R-1|D-1|123456|2026-10-30 23:30:00.000"),
        ("Ref,Document,Amount,Date,Time", "R-1,D-1,1234.56,2026-10-30,23:30"),
        ('"Receipt","Slip","Paid","Time Paid"', '"R-1","D-1","USD 1,234.56","2026-10-30 23:30"'),
        ("Paid on,Table,Voucher,Payment document,Cents", "2026-10-30 23:30,BJ-1,R-1,D-1,123 456"),
    ],
)
def test_columns_are_found_by_their_names(header: str, line: str) -> None:
    expected = [("R-1", "D-1", 123_456, "2026-10-31T03:30:00.000000Z")]
    for end in ("\n", "\r\n", "\r"):
        assert payments(end.join((header, line, ""))) == expected
    assert payments(b"\xef\xbb\xbf" + f"{header}\n{line}".encode()) == expected


@pytest.mark.parametrize(
    ("text", "decimal", "unit", "cents"),
    [
        ("0.01", ".", "units", 1),
        ("1,234,567.89", ".", "units", 123_456_789),
        ("1.234.567,89", ",", "units", 123_456_789),
        ("1'234.50", ".", "units", 123_450),
        ("1\u00a0234,50", ",", "units", 123_450),
        ("£12", ".", "units", 1_200),
        ("12.00 EUR", ".", "units", 1_200),
        ("1,234", ".", "units", 123_400),
        ("123456", ".", "cents", 123_456),
        ("1,000,000,000", ".", "units", CENTS_MAX),
        ("1,000,000,000.01", ".", "units", None),
        ("1,234", ",", "units", None),
        ("1.234", ".", "units", None),
        ("12.5", ".", "units", None),
        ("12.345", ".", "units", None),
        ("1,23.45", ".", "units", None),
        ("1,234'567.00", ".", "units", None),
        ("0.00", ".", "units", None),
        ("-5.00", ".", "units", None),
        ("(5.00)", ".", "units", None),
        ("1e3", ".", "units", None),
        ("٣", ".", "units", None),
        ("12.00", ".", "cents", None),
        ("$12 USD", ".", "units", None),
        ("", ".", "units", None),
    ],
)
def test_amounts(text: str, decimal: str, unit: str, cents: int | None) -> None:
    line = f'{PLAIN}R-1,D-1,"{text}",\n'
    if cents is None:
        assert "line 2, amount: " in refusal(line, decimal=decimal, unit=unit)
    else:
        assert payments(line, decimal=decimal, unit=unit)[0][2] == cents


@pytest.mark.parametrize(
    ("text", "form", "at"),
    [
        ("2026-10-30 20:14:05", "", "2026-10-31T00:14:05.000000Z"),
        ("2026-10-30T20:14:05.25-05:00", "", "2026-10-31T01:14:05.250000Z"),
        ("10/30/2026 08:14 PM", "%m/%d/%Y %I:%M %p", "2026-10-31T00:14:00.000000Z"),
        ("30.10.2026 20:14 +0100", "%d.%m.%Y %H:%M %z", "2026-10-30T19:14:00.000000Z"),
        # The hour that comes twice is taken at its first time; one that is skipped is no time.
        ("2026-11-01 01:30", "", "2026-11-01T05:30:00.000000Z"),
        ("2026-03-08 02:30", "", None),
        ("2026-10-30", "", None),
        ("20:14", "", None),
        ("20:14", "%H:%M", None),
        ("10/30/2026 08:14 PM", "", None),
        ("2026-10-30 25:00", "", None),
        ("2026-10-30 20:14", "%Q", None),
    ],
)
def test_times(text: str, form: str, at: str | None) -> None:
    line = f"{PLAIN}R-1,D-1,1.00,{text}\n"
    if at is None:
        assert "line 2, paid at: " in refusal(line, time_format=form)
    else:
        assert payments(line, time_format=form)[0][3] == at


def test_a_time_without_an_offset_needs_a_zone() -> None:
    with pytest.raises(CageFileRefusedError, match="with its offset, as no zone is said"):
        read_cage_file(f"{PLAIN}R-1,D-1,1.00,2026-10-30 20:14".encode(), "cage.csv")


def test_every_bad_line_is_named_with_its_column() -> None:
    text = (
        PLAIN
        + "R-1,D-1,5.00,2026-10-30 20:14\n"
        + "R-2,D-2,12.345,2026-10-30 20:14\n"
        + '"R-3","two\nlines",5.00,2026-10-30 20:14\n'
        + "\n"
        + ",D-4,5.00,tomorrow\n"
        + "r-1,D-5,€5.00,\n"
        + "R-6,D-6,$5.00,\n"
    )
    with pytest.raises(CageFileRefusedError) as refused:
        payments(text)
    assert [(each.line, each.column) for each in refused.value.bad_lines] == [
        (3, "amount"),
        (4, "document"),
        (7, "reference"),
        (7, "paid at"),
        (8, "reference"),
        (9, "amount"),
    ]
    assert str(refused.value).startswith(
        "cage.csv: line 3, amount: '12.345' is not an amount above zero like 1,234.56; "
        "line 4, document: it holds a character that cannot be seen; "
    )
    assert "line 8, reference: 'r-1' stands in line 2 too" in str(refused.value)
    assert "line 9, amount: '$', where lines before have '€'" in str(refused.value)


def test_many_bad_lines_are_counted() -> None:
    lines = "".join(f"R-{n},D-{n},none,\n" for n in range(100))
    assert refusal(PLAIN + lines).endswith("; and 80 more")


@pytest.mark.parametrize(
    ("text", "mapping", "said"),
    [
        (b"", {}, "no line in it"),
        ("a,b\n1,2\n", {}, "which column is reference and which document and which amount? (there"),
        ("Ref,Id,Doc,Amount\n", {}, "reference: 'Ref', 'Id' may be it: name it in the mapping"),
        (PLAIN, {"reference": "Slip"}, "reference: no column 'Slip' (there are: 'reference',"),
        (PLAIN, {"reference": 9}, "reference: there is no column 9, but 4"),
        (PLAIN, {"reference": 2}, "one column is given for two things"),
        (PLAIN + "R-1,D-1\n", {}, "line 2: 2 fields, where the first line has 4"),
        (PLAIN + '"R-1"x,D-1,5.00,\n', {}, "line 2: not CSV: "),
        (PLAIN + 'R-1,"D-1,5.00,\n', {}, "line 2: not CSV: "),
        (PLAIN + 'R-1,D-1,1.00,\nR-2,D-2,"1,00",\n', {}, "say which is the decimal sign"),
        (PLAIN.encode("utf-16"), {}, "it is UTF-16"),
        (PLAIN.encode() + b"R-1,D\xe9,1,\n", {}, "line 2: byte 0xE9 is not utf-8: say encoding"),
        (PLAIN.encode() + b"R-1,D\x81,1,\n", {"encoding": "windows-1252"}, "byte 0x81 is not win"),
        ("R-1,D-1,1.00\n", {"header": False}, "needs the numbers of reference, document, amount"),
        (PLAIN, {"skip_lines": -1}, "skip_lines is not between 0 and 100"),
        (PLAIN, {"time_zone": "Mars/Olympus"}, "time_zone: unknown zone 'Mars/Olympus'"),
        (PLAIN, {"date": "paid at"}, "date: give the column of the time, too"),
        (PLAIN, {"only": {"Type": ("JP",)}}, "only: 0 columns are called 'Type'"),
        (PLAIN + "x" * 101 + ",D-1,1,\n", {}, "line 2, reference: more than 100 characters"),
    ],
)
def test_what_is_wrong_is_said(text: str | bytes, mapping: dict[str, object], said: str) -> None:
    found = refusal(text, **mapping)
    assert found.startswith("cage.csv: ")
    assert said in found


def test_too_much_is_refused() -> None:
    lines = "".join(f"R-{n},D-{n},1,\n" for n in range(PAYMENTS_MAX + 1))
    assert "2,001 payments; one file has up to 2,000" in refusal(PLAIN + lines)
    assert len(payments(PLAIN + lines.partition("\n")[2])) == PAYMENTS_MAX
    assert "more than 4 MiB" in refusal(b"x" * (FILE_BYTES_MAX + 1))
    assert "the file's name: it holds" in _named(b"", "a\u202eb")
    assert "the file's name: it is empty" in _named(b"", "folder/")


def _named(body: bytes, name: str) -> str:
    with pytest.raises(FinanceRefusedError) as refused:
        read_cage_file(body, name)
    return str(refused.value)


def test_limits_are_those_of_the_journal() -> None:
    assert days.CAGE_PAYMENTS_MAX == PAYMENTS_MAX
    assert days.TEXT_CHARACTERS_MAX >= cage_file.TEXT_CHARACTERS_MAX


def test_a_mapping_as_toml_reads_a_file_that_names_nothing() -> None:
    mapping = mapping_of(
        b"""
        [cage]
        header = false
        skip_lines = 2
        skip_last_lines = 1
        delimiter = ";"
        encoding = "latin-1"
        reference = 4
        document = 1
        amount = 2
        unit = "cents"
        date = 5
        time = 6
        time_format = "%d.%m.%y %H:%M"
        time_zone = "Europe/Berlin"
        """
    )
    text = 'Käfig "\n\nD-1;123456;x;é-1;30.10.26;23:30\nsum;123456;;;;\n\n'
    found = read_cage_file(text.encode("latin-1"), "k.csv", in_zone(mapping, "America/New_York"))
    assert found.payments == (CagePayment("é-1", "D-1", 123_456, "2026-10-30T22:30:00.000000Z"),)


def test_only_the_lines_of_jackpots_count() -> None:
    text = "Type,Ref,Doc,Amount\nJP,R-1,D-1,1\nFILL,R-1,,none\nPROG,R-2,D-2,2\n"
    mapping = mapping_of(b'[cage.only]\nType = ["JP", "PROG"]\n')
    assert [each[0] for each in payments(text, only=mapping.only)] == ["R-1", "R-2"]


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        (b"[cage", "my.toml: "),
        (b"[cage]\nreferrence = 1\n", "my.toml: Object contains unknown field `referrence`"),
        (b"[cage]\nencoding = 'ebcdic'\n", "my.toml: Invalid enum value 'ebcdic'"),
        (b"[cage]\namount = 0\n", "my.toml: amount: columns are counted from 1"),
        (b"[cage]\namount = 1.5\n", "my.toml: "),
        (b"\xff", "my.toml: "),
    ],
)
def test_a_bad_mapping_is_refused(toml: bytes, said: str) -> None:
    with pytest.raises(FinanceRefusedError) as refused:
        mapping_of(toml, "my.toml")
    assert str(refused.value).startswith(said)


# --- whatever comes -------------------------------------------------------------------------------

_texts = (
    st.text(st.characters(min_codepoint=32, max_codepoint=0x2FF), min_size=1, max_size=20)
    .map(tidied)
    .filter(lambda text: text != "" and text_problem(text) is None)
)
_payments = st.lists(
    st.tuples(_texts, st.one_of(st.just(""), _texts), st.integers(1, CENTS_MAX)),
    max_size=8,
    unique_by=lambda each: each[0].casefold(),
)


@given(
    _payments,
    st.sampled_from(",;\t|"),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
    st.booleans(),
)
def test_what_was_written_is_read(
    written: list[tuple[str, str, int]], delimiter: str, end: str, comma: bool, bom: bool
) -> None:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator=end)
    writer.writerow(["Reference", "Document", "Amount"])
    for reference, document, cents in written:
        amount = f"{cents // 100:,}.{cents % 100:02}"
        if comma:
            amount = amount.translate({ord(","): ".", ord("."): ","})
        writer.writerow([reference, document, amount])
    body = out.getvalue().encode("utf-8-sig" if bom else "utf-8")
    assert payments(body) == [(*each, "") for each in written]


_mappings = st.fixed_dictionaries(
    {},
    optional={
        "reference": st.one_of(st.integers(-1, 4), st.text(max_size=3)),
        "document": st.one_of(st.integers(1, 4), st.text(max_size=3)),
        "amount": st.integers(1, 4),
        "time": st.integers(1, 4),
        "date": st.integers(1, 4),
        "header": st.booleans(),
        "encoding": st.sampled_from(["utf-8", "latin-1", "windows-1252"]),
        "delimiter": st.sampled_from(["", ",", ";", "\t", "|"]),
        "time_format": st.text(max_size=6),
        "time_zone": st.one_of(st.text(max_size=5), st.just("UTC")),
        "skip_lines": st.integers(-1, 3),
        "skip_last_lines": st.integers(0, 3),
    },
)


@given(
    st.one_of(
        st.binary(max_size=200),
        st.text('R1,.;"\n\r\t$€- :TZ\0', max_size=60).map(lambda rest: (PLAIN + rest).encode()),
    ),
    st.text(max_size=8),
    _mappings,
)
@example(body=PLAIN.encode() + b"R,D,1,0001-01-01 00:00\n", name="x", mapping={"time_zone": "UTC"})
@example(body=PLAIN.encode() + b"R,D,1,9999-12-31 23:59-12:00\n", name="x", mapping={})
@example(body=PLAIN.encode() + b"R\0,D,1,\n", name="x", mapping={})
@example(body=b"a" * 200_000, name="x", mapping={})
def test_no_bytes_lead_to_anything_but_payments_or_a_refusal(
    body: bytes, name: str, mapping: dict[str, object]
) -> None:
    try:
        found = read_cage_file(body, name, CageMapping(**mapping))  # type: ignore[arg-type]
    except FinanceRefusedError as refused:
        assert str(refused)
    else:
        assert all(each.reference and 0 < each.cents <= CENTS_MAX for each in found.payments)
