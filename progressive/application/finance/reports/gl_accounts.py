"""Accounts of the general ledger by what they are for: a `[gl]` mapping with sensible defaults."""

from typing import Final, Literal

from msgspec import Struct, structs

from progressive.domain.options import HouseMoney
from progressive.domain.rulebook.jurisdiction import Jurisdiction


class GlAccounts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which account of the house's chart takes which side of an entry."""

    company: str = ""
    department: str = ""
    location: str = ""
    source: str = "PROGRESSIVE"
    contributions: str = "4150"
    """Contra revenue: what players put on the meters."""
    display: str = "2310"
    """Liability: the displayed meters."""
    reserve: str = "2311"
    overflow: str = "2312"
    base: HouseMoney | Literal["jurisdiction"] = "jurisdiction"
    """The house's own money on a meter. memo: no liability while it need not be paid (ASC 924), so
    it stands against the liability; accrue: an expense when it is put there. Else as the
    jurisdiction's file says (`[accounting]`), and a memo where it says nothing."""
    base_memo: str = "2319"
    """Contra liability: the house's part of the displayed meters."""
    base_expense: str = "6110"
    jackpot_expense: str = "6100"
    """The house's part of awards, where the base is a memo."""
    fixed_awards: str = "6120"
    """Fixed awards that are paid against a document; those of the rack are inside table win."""
    corrections: str = "6190"
    payable: str = "2320"
    """Awards owed."""
    cage: str = "1010"
    parked: str = "2330"
    """Money of links that were retired."""

    @property
    def without_number(self) -> tuple[str, ...]:
        """Accounts that are blank: no ledger takes a line of them."""
        return tuple(name for name in ACCOUNTS if not getattr(self, name).strip())

    @property
    def accrues_base(self) -> bool:
        """Whether the house's money is a liability as soon as it is on a meter."""
        return self.base == "accrue"


_NO_ACCOUNTS: Final = ("company", "department", "location", "source", "base")
ACCOUNTS: Final = tuple(name for name in GlAccounts.__struct_fields__ if name not in _NO_ACCOUNTS)
OWN_WORD: Final = "[gl] base"
NO_WORD: Final = "nothing else is said by [gl] base or the jurisdiction"


def with_base(accounts: GlAccounts, asks: Jurisdiction | None) -> tuple[GlAccounts, str]:
    """The accounts with the house's money decided, and who decided it, as reports print it."""
    if accounts.base != "jurisdiction":
        return accounts, OWN_WORD
    if asks is None or asks.accounting is None:
        return structs.replace(accounts, base="memo"), NO_WORD
    rule = asks.accounting
    return structs.replace(accounts, base=rule.base), f"{asks.name}: {rule.clause}"
