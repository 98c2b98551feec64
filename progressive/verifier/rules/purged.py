"""Books that begin in the middle of a journal, where the records before were purged.

The inverse of `snapshot`: what that compares is taken over here, from a state that the next record
confirms. Counts of rounds, wagers and awards begin at nothing; amounts go on.
"""

from progressive.verifier.findings import DiscrepancyError, differs, shown
from progressive.verifier.recorded.table_events import WagersRegistered
from progressive.verifier.recorded.terms import BetRules, MeterRules
from progressive.verifier.rules.accounts import Accounts
from progressive.verifier.rules.books import Books
from progressive.verifier.rules.floor import check_floor
from progressive.verifier.rules.register import FINALS_KEPT
from progressive.verifier.rules.snapshot import Kept, KeptRound, read_kept, stored_balances
from progressive.verifier.rules.tables import AuditedTable
from progressive.verifier.rules.terms import AuditedBet, AuditedMeter, TermsInForce, audited_bets


def books_after(body: bytes, *, link: str, seq: int) -> Books:
    """The books of a link after a record; raises DiscrepancyError where the state cannot be one."""
    of = f"the state after record {seq}"
    kept = read_kept(body, of)
    for what, stored, expected in (("link", kept.link, link), ("seq", kept.seq, seq)):
        if stored != expected:
            raise differs(f"{of}: {what}", stored=stored, recomputed=expected)
    books = Books(link)
    books.began_after = seq
    _take_terms(books, kept)
    _take_accounts(books.accounts, kept, of)
    _take_tables(books, kept, of)
    _take_register(books, kept, of)
    books.corrections.proposed = {each.correction: each for each in kept.corrections}
    books.terms_proposed = kept.terms_proposed
    books.retirement.proposed, books.retirement.done = kept.retirement, kept.retired
    books.days.days = kept.days
    books.check_balance()
    return books


def _take_terms(books: Books, kept: Kept) -> None:
    books.terms, books.terms_version = kept.terms, kept.terms_version
    books.in_force = {
        version: TermsInForce(terms)
        for version, terms in (kept.former_terms | {kept.terms_version: kept.terms}).items()
    }
    if kept.floor is not None:
        check_floor(kept.floor)
        books.floor = kept.floor
        books.recorded_tables = {table.id: table for table in kept.floor.tables}
    # The version that first recorded the floor is the one that lets the dealer's hand decide.
    books.dealer_decides = kept.floor is not None


def _take_accounts(accounts: Accounts, kept: Kept, of: str) -> None:
    accounts.install(audited_bets(kept.terms), ())
    balances = stored_balances(kept)
    for bet, counted in kept.bet_counters.items():
        found = accounts.ever_bets.get(bet)
        if found is None:
            found = accounts.ever_bets[bet] = AuditedBet(_former_bet(bet))
        found.wagered_cents, found.voided_cents = counted.wagers_cents, counted.voided_cents
    for name in balances:
        kind, _, meter_id = name.partition(" ")
        if kind == "primary" and meter_id not in accounts.ever_meters:
            accounts.ever_meters[meter_id] = AuditedMeter(_former_meter(meter_id))
    for meter in accounts.ever_meters.values():
        meter.primary, meter.reset, meter.overflow = (
            _balance(balances, f"{part} {meter.id}", of)
            for part in ("primary", "reset", "overflow")
        )
        if kept.meter_counters is not None and (hits := kept.meter_counters.get(meter.id)):
            meter.hits, meter.wins_cents = hits.hits, hits.wins_cents
            meter.voided_hits, meter.voided_cents = hits.voided_hits, hits.voided_cents
    totals = accounts.totals
    # What money came from is negative in a state.
    totals.wagers_chip = -_balance(balances, "wagers chip", of)
    totals.wagers_coupon = -_balance(balances, "wagers coupon", of)
    totals.funding = -_balance(balances, "funding", of)
    totals.corrections = -balances["corrections"]
    totals.refunds_chip = _balance(balances, "refunds chip", of)
    totals.refunds_coupon = _balance(balances, "refunds coupon", of)
    totals.hold = _balance(balances, "hold", of)
    totals.pending, totals.paid = balances["pending"], balances["paid"]
    totals.returned, totals.parked = balances["returned"], balances["parked"]


def _balance(balances: dict[str, int], name: str, of: str) -> int:
    if name not in balances:
        raise DiscrepancyError(f"{of}: no account {shown(name)}")
    return balances[name]


def _take_tables(books: Books, kept: Kept, of: str) -> None:
    for name, stored in kept.tables.items():
        table = books.tables[name] = AuditedTable()
        table.last_seq, table.last_round = stored.last_seq, stored.last_round
        if (round_ := stored.round) is not None:
            if round_.terms_version not in books.in_force:
                raise DiscrepancyError(f"{of}: no terms of the open round of {shown(name)}")
            _check_round(books, round_, f"{of}, the open round of {shown(name)}")
            table.opened = _opened(name, stored.last_seq, round_)
    for name, early in kept.early.items():
        if name not in books.tables:
            raise DiscrepancyError(f"{of}: settled early at {shown(name)}, which has not played")
        books.tables[name].early = early


def _check_round(books: Books, round_: KeptRound, of: str) -> None:
    """Raise where an open round names a bet or a meter that is none, or a seat without a wager."""
    if round_.plain is not None and not round_.plain.whole:
        raise DiscrepancyError(f"{of}: seats and base wagers are not as many")
    bets = {wager.bet for wager in round_.wagers} | {stake.bet for stake in round_.stakes}
    if round_.plain is not None:
        bets.add(round_.plain.bet)
    if unknown := bets - books.in_force[round_.terms_version].bet_by_id.keys():
        raise DiscrepancyError(f"{of}: its terms have no bet {shown(min(unknown))}")
    if unknown := bets - books.accounts.ever_bets.keys():
        raise DiscrepancyError(f"{of}: nothing is counted of bet {shown(min(unknown))}")
    if unknown := {flow.meter for flow in round_.flows} - books.accounts.meter_by_id.keys():
        raise DiscrepancyError(f"{of}: the terms have no meter {shown(min(unknown))}")


def _opened(table: str, table_seq: int, round_: KeptRound) -> WagersRegistered:
    """The lock-out of an open round, as far as its end depends on it."""
    return WagersRegistered(
        table=table,
        table_seq=table_seq,
        round=round_.round,
        terms_version=round_.terms_version,
        listed=round_.wagers,
        plain=round_.plain,
        chips_counted=0,
        stakes=round_.stakes,
        flows=round_.flows,
        hold=round_.hold,
        meters=(),
    )


def _take_register(books: Books, kept: Kept, of: str) -> None:
    register = books.register
    register.dealers = dict(kept.dealers)
    register.sign_ons = dict(kept.sign_ons)
    register.awards = {award.made.award: award for award in kept.awards}
    register.won = dict(kept.won)
    for hit in [hit for hits in kept.won.values() for hit in hits]:
        if hit.meter not in books.accounts.meter_by_id:
            raise DiscrepancyError(f"{of}: {shown(hit.meter)} was won, and the terms lack it")
        if lost := [award for award in hit.awards if award not in register.awards]:
            raise DiscrepancyError(f"{of}: award {shown(lost[0])} of a won meter is not there")
    register.finals.extend(kept.finals[-FINALS_KEPT:])
    register.documents = kept.documents
    register.manual_documents = set(kept.manual_documents)


def _former_bet(bet: str) -> BetRules:
    """A bet of terms that are gone: only what was ever wagered on it still counts."""
    return BetRules(id=bet, game="", reader="", paytable="")


def _former_meter(meter: str) -> MeterRules:
    return MeterRules(id=meter, name="", rate_ppm=0)
