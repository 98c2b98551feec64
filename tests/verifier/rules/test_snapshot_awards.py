"""What a snapshot says of awards and proposals is what a start goes on with: it is compared too.

The snapshot lies at record 30: three rounds with awards, one of them with all that can be open.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.award_journals import AwardShelf
from tests.support.journals import JournalFile, Row


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> AwardShelf:
    return AwardShelf(tmp_path_factory.mktemp("shelf") / "good")


@pytest.fixture
def journal(shelf: AwardShelf, tmp_path: Path) -> JournalFile:
    return shelf.copy_to(tmp_path / "data")


def an_award(name: str, **changes: object) -> Callable[[Row], None]:
    def change(kept: Row) -> None:
        next(each for each in kept["awards"] if each["made"]["award"] == name).update(changes)

    return change


def made(name: str, **changes: object) -> Callable[[Row], None]:
    def change(kept: Row) -> None:
        next(each for each in kept["awards"] if each["made"]["award"] == name)["made"] |= changes

    return change


def balance(kind: str, amount: int) -> Callable[[Row], None]:
    def change(kept: Row) -> None:
        for row in kept["balances"]:
            if row[0] == kind:
                row[2] = amount

    return change


SUE = {"name": "Sue", "department": "pit"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (balance("pending", 0), "pending: stored 0, recomputed 4337"),
        (balance("paid", 0), "paid: stored 0, recomputed "),
        (balance("returned", 0), "returned: stored 0, recomputed 1400000000"),
        (balance("corrections", 0), "corrections: stored 0, recomputed 500000"),
        (lambda kept: kept["meter_counters"]["mega"].update(hits=2), "hits of mega: stored _Hits"),
        (
            lambda kept: kept["meter_counters"]["mega"].update(voided_cents=0),
            "hits of mega: stored _Hits",
        ),
        (lambda kept: kept["meter_counters"].pop("minor"), "hits of minor: stored nothing"),
        (lambda kept: kept["dealers"].update({"BJ-02": SUE}), "dealer of BJ-02: stored Signature"),
        (lambda kept: kept["sign_ons"].update({"BJ-02": 2}), "sign-on at BJ-02: stored 2, recomp"),
        (lambda kept: kept["sign_ons"].update({"BJ-03": 7}), "sign-on at BJ-03: stored 7, recomp"),
        (an_award("main.27.2", status="validated"), "award main.27.2: stored AuditedAward"),
        (an_award("main.27.2", void_proposed_by=None), "award main.27.2: stored AuditedAward"),
        (an_award("main.14.1", dealt_by=SUE), "award main.14.1: stored AuditedAward"),
        (an_award("main.16.1", document="CAGE-78"), "award main.16.1: stored AuditedAward"),
        (made("main.14.1", amount_cents=1), "award main.14.1: stored AuditedAward"),
        (made("main.27.2", approvers=5), "award main.27.2: stored AuditedAward"),
        (lambda kept: kept["awards"].pop(), "award main.27.2: stored nothing"),
        (
            lambda kept: kept["awards"].append(dict(kept["finals"][0])),
            "award main.4.1: stored AuditedAward",
        ),
        (lambda kept: kept["awards"].reverse(), "order of awards: stored"),
        (lambda kept: kept["won"].pop("14"), "meters won by record 14: stored nothing"),
        (
            lambda kept: kept["won"]["27"][0]["before"].update(primary=1),
            "meters won by record 27: stored",
        ),
        (
            lambda kept: kept["won"]["27"][0]["reset"].update(reset_cents=1),
            "meters won by record 27: stored",
        ),
        (
            lambda kept: kept["won"]["16"][0].update(awards=["main.16.2"]),
            "meters won by record 16: stored",
        ),
        (
            lambda kept: kept["finals"][1].update(document="main-P000009"),
            "finished award main.4.3: stored AuditedAward",
        ),
        (lambda kept: kept["finals"].pop(), "finished award main.4.3: stored nothing"),
        (lambda kept: kept["corrections"].pop(), "correction main.28: stored nothing"),
        (
            lambda kept: kept["corrections"][0]["legs"][0].__setitem__(2, 8),
            "correction main.28: stored CorrectionProposed",
        ),
        (lambda kept: kept.update(documents=0), "documents: stored 0, recomputed 1"),
        (lambda kept: kept.update(manual_documents=[]), "manual documents: stored []"),
        (
            lambda kept: kept.update(
                terms_proposed={"terms_digest": "x", "by": SUE, "meters": []}
                | {"type": "terms_proposed"}
            ),
            "terms proposed: stored TermsProposed",
        ),
        (
            lambda kept: kept.update(former_terms={"7": kept["terms"]}),
            "terms of version 7: stored LinkTerms",
        ),
        (
            lambda kept: kept["tables"]["BJ-02"]["round"].update(terms_version=7),
            "table BJ-02: stored",
        ),
    ],
)
def test_wrong_state_in_a_snapshot_is_found(
    journal: JournalFile, change: Callable[[Row], object], message: str
) -> None:
    journal.forge_snapshot(change)
    problem = journal.verified().problem
    assert problem is not None
    assert (problem.seq, problem.type) == (31, "checkpointed")
    assert message in problem.message


def test_snapshot_may_remember_fewer_finished_awards(journal: JournalFile) -> None:
    journal.forge_snapshot(lambda kept: kept["finals"].pop(0))
    assert journal.verified().problem is None


def test_snapshot_from_before_awards_is_still_compared(journal: JournalFile) -> None:
    """It knew neither these fields nor these accounts; here something lies there by now."""

    def older(kept: Row) -> None:
        kept["balances"] = [row for row in kept["balances"] if row[0] != "corrections"]

    journal.forge_snapshot(older)
    problem = journal.verified().problem
    assert problem is not None
    assert "corrections: stored 0, recomputed 500000" in problem.message
