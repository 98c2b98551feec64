"""A snapshot is what a start trusts: it is compared with the books, not only with its digest.

Each forged snapshot here is vouched for by the chain, as one that a faulty writer saved would be.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.journals import JournalFile, JournalShelf, Row


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> JournalShelf:
    return JournalShelf(tmp_path_factory.mktemp("shelf") / "good")


@pytest.fixture
def journal(shelf: JournalShelf, tmp_path: Path) -> JournalFile:
    return shelf.copy_to(tmp_path / "data")


def balance(kind: str, of: str, amount: int) -> Callable[[Row], None]:
    def change(kept: Row) -> None:
        for row in kept["balances"]:
            if row[:2] == [kind, of]:
                row[2] = amount

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (balance("primary", "mega", 1), "primary mega: stored 1, recomputed 100200000000"),
        (balance("reset", "mega", 1), "reset mega: stored 1, recomputed 65006500"),
        (balance("overflow", "mega", 1), "overflow mega: stored 1, recomputed 450000000"),
        (balance("hold", "", 1), "hold: stored 1, recomputed 6069993500"),
        (balance("wagers", "coupon", 1), "wagers coupon: stored 1, recomputed -1300000000"),
        (balance("refunds", "chip", 1), "refunds chip: stored 1, recomputed 2000000000"),
        (balance("funding", "", 1), "funding: stored 1, recomputed -1900000000000"),
        (lambda kept: kept["balances"].pop(), "overflow minor: stored nothing, recomputed 0"),
        (
            lambda kept: kept["balances"].append(["primary", "x", 0]),
            "primary x: stored 0, recomputed nothing",
        ),
        (lambda kept: kept.update(seq=9), "seq: stored 9, recomputed 10"),
        (lambda kept: kept.update(link="other"), "link: stored other, recomputed main"),
        (lambda kept: kept.update(terms_version=2), "terms_version: stored 2, recomputed 1"),
        (lambda kept: kept["terms"].update(decks=8), "terms: stored LinkTerms(decks=8"),
        (
            lambda kept: kept["bet_counters"]["buster"].update(wagers_cents=1),
            "wagers and voids of buster: stored (1, 0), recomputed (1000, 0)",
        ),
        (lambda kept: kept["tables"]["BJ-01"].update(last_seq=5), "table BJ-01: stored"),
        (lambda kept: kept["tables"]["BJ-01"].update(last_round="r9"), "table BJ-01: stored"),
        (lambda kept: kept["tables"]["BJ-02"].update(round=None), "table BJ-02: stored"),
        (lambda kept: kept["tables"]["BJ-02"]["round"].update(hold=1), "table BJ-02: stored"),
        (lambda kept: kept["tables"].pop("BJ-03"), "table BJ-03: stored nothing"),
        (
            lambda kept: kept["tables"].update({"BJ-0\x1b": kept["tables"]["BJ-01"]}),
            "table BJ-0\\x1b: stored",
        ),
        (lambda kept: kept["primaries"].reverse(), "primaries: stored (300260000000"),
        (lambda kept: kept.pop("tables"), "is unreadable"),
        (lambda kept: kept.update(balances=[["primary", 7, "x"]]), "is unreadable"),
        (lambda kept: kept.update(tables=[]), "is unreadable"),
    ],
)
def test_wrong_state_in_a_snapshot_is_found(
    journal: JournalFile, change: Callable[[Row], object], message: str
) -> None:
    journal.forge_snapshot(change)
    problem = journal.verified().problem
    assert problem is not None
    assert (problem.seq, problem.type) == (11, "checkpointed")
    assert problem.message.startswith("the stored snapshot at 10")
    assert message in problem.message


@pytest.mark.parametrize("body", [b"", b"\xff", b"[" * 100_000, b"{}", b"null"])
def test_snapshot_that_is_none_is_found(journal: JournalFile, body: bytes) -> None:
    journal.replace_snapshot(10, body)
    problem = journal.verified().problem
    assert problem is not None
    assert problem.seq == 11
    assert "the stored snapshot at 10 is unreadable" in problem.message


def test_journal_without_its_snapshot_is_still_proved(journal: JournalFile) -> None:
    journal.execute("DELETE FROM snapshot")
    assert journal.verified().problem is None


def test_snapshot_needs_a_record_that_vouches_for_it(journal: JournalFile) -> None:
    journal.execute("UPDATE snapshot SET seq = 5")
    problem = journal.verified().problem
    assert problem is not None
    assert problem.seq == 6
    assert problem.message == "the stored snapshot at 5 has no checkpointed record after it"


def test_snapshot_from_before_awards_is_good(journal: JournalFile) -> None:
    """It has neither the accounts nor the fields that came with them."""

    def older(kept: Row) -> None:
        added = ("pending", "paid", "returned", "corrections")
        kept["balances"] = [row for row in kept["balances"] if row[0] not in added]
        for field in (
            *(
                "dealers",
                "sign_ons",
                "early",
                "awards",
                "won",
                "finals",
                "corrections",
                "documents",
            ),
            *("manual_documents", "terms_proposed", "former_terms"),
        ):
            del kept[field]
        for counted in kept["meter_counters"].values():
            del counted["voided_hits"], counted["voided_cents"]

    journal.forge_snapshot(older)
    assert journal.verified().problem is None
