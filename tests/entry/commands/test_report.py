"""`progressive report` and `progressive explain`: exit codes, formats, the same bytes, ledgers."""

import csv
import io
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.finance_days import DAYS, FinanceShelf
from tests.support.forgeries import lie_at, put
from tests.support.long_journal import make_long_journal
from tests.support.service import run_inside

FRIDAY, SATURDAY = DAYS[:2]
PRINTED = "2026-11-04T09:00:00-05:00"


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> FinanceShelf:
    return FinanceShelf(tmp_path_factory.mktemp("finance") / "data")


@pytest.fixture(scope="module")
def data(shelf: FinanceShelf) -> Path:
    """Nobody writes into it: its days are short, so no book is stored."""
    return shelf.directory


def run(*words: str | Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "progressive", *map(str, words)], capture_output=True, check=False
    )


def report(data: Path, *words: str | Path) -> bytes:
    done = run("report", *words, "--data", data, "--printed-at", PRINTED)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_json_is_what_the_contract_says(data: Path) -> None:
    found = json.loads(report(data, "reconciliation", "--day", FRIDAY, "--format", "json"))
    assert (found["report"], found["link"]) == ("reconciliation", "main")
    assert (found["from"], found["to"], found["closed"]) == (FRIDAY, FRIDAY, False)
    assert set(found["journal"]) >= {"first_seq", "last_seq", "head"}
    assert (found["journal"]["first_seq"], found["journal"]["last_seq"]) == (1, 17)
    assert len(found["journal"]["head"]) == 64
    for row in found["rows"]:
        assert row["meter"] == "progressive"
        assert row["part"] in ("primary", "reset", "overflow")
        assert row["difference_microcents"] == 0
        assert isinstance(row["opening_microcents"], int)
    assert found["totals"]["closing_microcents"] == sum(
        row["closing_microcents"] for row in found["rows"]
    )


@pytest.mark.slow
def test_csv_and_table_and_a_file(data: Path, tmp_path: Path) -> None:
    lines = report(data, "wagers", "--from", FRIDAY, "--to", SATURDAY, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(lines.decode("utf-8-sig"))))
    assert rows
    assert b"JACKPOT REGISTER" in report(data, "awards", "--month", "2026-10")
    out = tmp_path / "awards.pdf"
    done = run(
        *("report", "awards", "--data", data, "--day", FRIDAY, "--format", "pdf", "-o", out),
    )
    assert (done.returncode, done.stdout) == (0, b"")
    assert out.read_bytes().startswith(b"%PDF")


@pytest.mark.slow
def test_the_same_input_gives_the_same_bytes(data: Path) -> None:
    for form in ("json", "table", "csv", "beancount"):
        first, second = (report(data, "gl", "--day", FRIDAY, "--format", form) for _ in range(2))
        assert first == second


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("wagers", "--day", "2026-10-32"), "'2026-10-32' is not a day like 2026-11-17"),
        (("wagers", "--day", "2026-10-29"), "the journal begins on 2026-10-30"),
        (("wagers", "--day", "2199-01-01"), "2199-01-01 has not begun"),
        (("wagers",), "give one of: a day"),
        (("wagers", "--day", FRIDAY, "--link", "high"), "no link 'high' (there are: main)"),
        (("wagers", "--day", FRIDAY, "--table", "X"), "no table 'X'"),
        (("profit", "--day", FRIDAY), "'profit' is not one of"),
        (("wagers", "--day", FRIDAY, "--format", "beancount"), "is for `gl` only"),
        (("wagers", "--day", FRIDAY, "--printed-at", "soon"), "is not a time with its offset"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(data: Path, words: tuple[str, ...], said: str) -> None:
    done = run_inside("report", *words, "--data", data)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


def test_a_difference_is_printed_and_is_exit_1(shelf: FinanceShelf, tmp_path: Path) -> None:
    journal = shelf.copy_to(tmp_path / "data")
    journal.forge(lie_at(5, put("flows", 0, 1, value=200_000_001)))
    done = run(
        *("report", "reconciliation", "--data", journal.directory, "--day", FRIDAY),
        *("--format", "json"),
    )
    assert done.returncode == 1
    assert b"does not come to zero" in done.stderr
    notes = json.loads(done.stdout)["notes"]
    assert any(note.startswith("DIFFERENCE: record 5: ") for note in notes)


def test_a_broken_chain_is_exit_1_and_names_the_record(shelf: FinanceShelf, tmp_path: Path) -> None:
    journal = shelf.copy_to(tmp_path / "data")
    lines = journal.lines()
    lines[3] = lines[3].replace(b'"BJ-01"', b'"BJ-02"')
    journal.store(lines)
    done = run("report", "wagers", "--data", journal.directory, "--day", FRIDAY)
    assert done.returncode == 1
    assert b"record 5 does not follow record 4" in done.stderr


@pytest.mark.slow
def test_a_long_day_is_stored_and_taken_from_there(tmp_path: Path) -> None:
    made = make_long_journal(tmp_path, records=12_000, tables=10, days=1)
    words = ("reconciliation", "--day", "2026-02-28", "--format", "json")
    first = report(made.data, *words)
    book = made.data / "finance" / "main" / "2026-02-28.book"
    assert book.exists()
    assert report(made.data, *words) == first
    shutil.rmtree(made.data / "finance")
    assert report(made.data, *words, "--fresh") == first
    assert not (made.data / "finance").exists()


# --- ledgers --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_beancount_accepts_the_ledger_and_its_balances(data: Path, tmp_path: Path) -> None:
    """An outside program adds up every entry and holds it against every closing."""
    from beancount import loader
    from beancount.core.data import Balance, Transaction

    for days in ((FRIDAY, DAYS[-1]), (SATURDAY, SATURDAY)):
        text = report(data, "gl", "--from", days[0], "--to", days[1], "--format", "beancount")
        path = tmp_path / "ledger.beancount"
        path.write_bytes(text)
        entries, errors, _ = loader.load_file(str(path))
        assert errors == []
        assert sum(isinstance(entry, Transaction) for entry in entries) >= 3
        assert sum(isinstance(entry, Balance) for entry in entries) >= 5
    wrong = text.replace(b" balance ", b" balance Equity:Opening-Balances 7 USD\n; ", 1)
    path.write_bytes(wrong)
    assert loader.load_file(str(path))[1] != []


@pytest.mark.parametrize(
    ("form", "header"),
    [
        ("oracle", "STATUS,LEDGER_ID,ACCOUNTING_DATE,USER_JE_SOURCE_NAME"),
        ("intacct", "JOURNAL,DATE,DESCRIPTION,LINE_NO,ACCT_NO,DEBIT,CREDIT"),
        ("quickbooks", "JournalNo,JournalDate,AccountName,Debits,Credits"),
    ],
)
def test_import_templates_balance(data: Path, form: str, header: str) -> None:
    text = report(data, "gl", "--day", FRIDAY, "--format", form).decode()
    assert text.startswith(header)
    rows = list(csv.DictReader(io.StringIO(text)))
    debits = {"oracle": "ENTERED_DR", "intacct": "DEBIT", "quickbooks": "Debits"}[form]
    credit_column = {"oracle": "ENTERED_CR", "intacct": "CREDIT", "quickbooks": "Credits"}[form]
    total = [
        sum(round(float(row[name] or 0) * 100) for row in rows) for name in (debits, credit_column)
    ]
    assert total[0] == total[1] > 0
    assert not any((row[debits] or row[credit_column]).startswith("-") for row in rows)


def test_sap_amounts_are_signed_and_sum_to_nothing(data: Path) -> None:
    text = report(data, "gl", "--day", FRIDAY, "--format", "sap").decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert sum(round(float(row["Amount"]) * 100) for row in rows) == 0


@pytest.mark.slow
def test_accounts_of_the_house(data: Path, tmp_path: Path) -> None:
    mapping = tmp_path / "accounts.toml"
    mapping.write_text('[gl]\ncompany = "BW"\ndisplay = "21-400"\nbase = "accrue"\n')
    found = json.loads(
        report(data, "gl", "--day", FRIDAY, "--format", "json", "--accounts", mapping)
    )
    assert {row["company"] for row in found["rows"]} == {"BW"}
    accounts = {row["account"] for row in found["rows"]}
    assert "21-400" in accounts
    assert "2319" not in accounts
    mapping.write_text('[gl]\ndisplay_account = "21-400"\n')
    done = run("report", "gl", "--data", data, "--day", FRIDAY, "--accounts", mapping)
    assert done.returncode == 2
    assert b"display_account" in done.stderr
    mapping.write_text('[gl]\ndisplay = ""\ncage = " "\n')
    done = run("report", "gl", "--data", data, "--day", FRIDAY, "--accounts", mapping)
    assert done.returncode == 2
    assert b"[gl] without an account's number: display, cage" in done.stderr


# --- explain --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_explain_says_the_sum(data: Path) -> None:
    done = run("explain", "main", "progressive", "--data", data)
    assert done.returncode == 0, done.stderr
    head, *_, last = done.stdout.decode().splitlines()
    assert head == "main: progressive after record 44 (2026-11-03 14:00:35 EST)"
    assert last.split() == ["difference", "0.00000000"]
    found = json.loads(run("explain", "main", "progressive", "--data", data, "--json").stdout)
    total = found["opening_microcents"] + sum(line["microcents"] for line in found["lines"])
    assert total == found["sum_microcents"] == found["microcents"]
    assert found["seq"] == 44


@pytest.mark.slow
def test_explain_at_a_record_or_a_moment(data: Path) -> None:
    def seq(at: str) -> int:
        done = run("explain", "main", "progressive", "--data", data, "--at", at, "--json")
        assert done.returncode == 0, done.stderr
        found: int = json.loads(done.stdout)["seq"]
        return found

    assert seq("16") == 16
    assert seq("2026-10-30T12:00:55Z") == 5
    # 08:01:12 in New York is 12:01:12 UTC.
    assert seq("2026-10-30 08:01:12") == 5


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("main", "mega"), "no meter 'mega' at record 44 (there are: progressive)"),
        (("high", "mega"), "no link 'high' (there are: main)"),
        (("main", "progressive", "--at", "0"), "has the records 1 to 44: there is no 0"),
        (("main", "progressive", "--at", "noon"), "neither a time nor a record's number"),
        (("main", "progressive", "--at", "2020-01-01T00:00:00Z"), "is before the first record"),
    ],
)
def test_explain_refuses_in_one_line(data: Path, words: tuple[str, ...], said: str) -> None:
    done = run_inside("explain", *words, "--data", data)
    assert done.returncode == 2
    assert said in done.stderr
