"""Accounts of the general ledger by what they are for: a `[gl]` mapping with sensible defaults."""

from typing import Literal

from msgspec import Struct


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
    base: Literal["memo", "accrue"] = "memo"
    """The house's own money on a meter. memo: no liability while it need not be paid (ASC 924), so
    it stands against the liability; accrue: an expense when it is put there."""
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
