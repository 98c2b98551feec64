"""The house's money on meters in the books: as the jurisdiction has it, unless the house says."""

from pathlib import Path
from typing import Literal

import pytest
from msgspec import structs

from progressive.application.finance.report import Report
from progressive.application.finance.reports.gl_accounts import GlAccounts
from progressive.domain.rulebook.jurisdiction import Accounting, Jurisdiction
from tests.support.asked import NEW_JERSEY, asked, row
from tests.support.finance_days import DAYS, NOT_OVER_AT

SUNDAY = DAYS[2]
ACCRUES = structs.replace(NEW_JERSEY, accounting=Accounting(base="accrue", clause="Rule 7"))
MEMO = structs.replace(NEW_JERSEY, accounting=Accounting(base="memo", clause="Rule 8"))
House = Literal["memo", "accrue", "jurisdiction"]
BASE_MEMO = GlAccounts().base_memo


@pytest.mark.parametrize(
    ("jurisdiction", "house", "accrues", "because"),
    [
        (MEMO, "jurisdiction", False, "New Jersey: Rule 8"),
        (ACCRUES, "jurisdiction", True, "New Jersey: Rule 7"),
        (ACCRUES, "memo", False, "[gl] base"),
        (MEMO, "accrue", True, "[gl] base"),
        (NEW_JERSEY, "jurisdiction", False, "nothing else is said by [gl] base or"),
    ],
)
def test_the_house_comes_before_the_jurisdiction(
    data: Path, jurisdiction: Jurisdiction, house: House, accrues: bool, because: str
) -> None:
    def of(kind: str) -> Report:
        return asked(
            data, kind, SUNDAY, now=NOT_OVER_AT, new_jersey=jurisdiction,
            accounts=GlAccounts(base=house),
        )  # fmt: skip

    liability, ledger = of("liability"), of("gl")
    meter = row(liability, item="progressive")
    assert (meter["memo_microcents"] == 0) is accrues
    whole = int(meter["accrued_microcents"] or 0) + int(meter["memo_microcents"] or 0)
    assert whole == sum(
        int(meter[f"{part}_microcents"] or 0) for part in ("displayed", "reserve", "overflow")
    )
    # Whichever it is, the ledger goes along: with a memo, against the liability.
    assert (BASE_MEMO not in {each["account"] for each in ledger.rows}) is accrues
    says = f"House money on the meters: {'accrued' if accrues else 'a memo, not a liability'} ("
    for report in (liability, ledger):
        (note,) = [note for note in report.notes if note.startswith(says)]
        assert because in note
