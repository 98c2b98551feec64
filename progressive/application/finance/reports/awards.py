"""`awards`: the jackpot register. Every award from its settlement to its document, and those that
the rack paid at once, by table and line.

An award stands as it stood at the end of the range; it is listed where it was settled, paid or
voided on one of the days, or worked out again because of a void. Awarded, re-settled, paid and
voided are of these days only, so that days add up.
"""

from datetime import datetime
from typing import Final

from progressive.application.finance.book.award_flows import flows_between
from progressive.application.finance.book.figures import RackAwards
from progressive.application.finance.book.house_money import RULE
from progressive.application.finance.book.standing import AwardEntry, Step
from progressive.application.finance.report import Report, Row
from progressive.application.finance.reports.columns import columns
from progressive.application.finance.reports.context import Context, behind, made
from progressive.application.journal.gaming_day import GamingDays
from progressive.domain.ids import AwardId
from progressive.domain.money import MICROCENTS_PER_CENT

KIND: Final = "awards"
TITLE: Final = "Jackpot register"
CLAUSES: Final = ("N.J.A.C. 13:69F-2.28(g)", "N.J.A.C. 13:69F-2.28(h)")

COLUMNS: Final = columns("""
    award                     text                Award: Its number; empty: awards of one line
        that the rack paid at once.
    document                  text                Document: The payment document.
    series                    text, detail        Series: own: numbered without gaps by the
        service; manual: keyed.
    status                    text                Status: rack, pending, validated, paid or void,
        at the end of the range.
    settled_day               day, detail         Settled: The gaming day of its settlement.
    settled_at                time                Settled at: When it was settled.
    table                     text                Table: Where.
    seat                      int, detail         Seat: Seat 1 is at the dealer's left.
    bet                       text, detail        Bet: The side bet.
    line                      text                Line: The line of the paytable.
    cards                     text                Cards: The winner's cards, in the order dealt.
    dealer_cards              text, detail        Dealer's cards: The dealer's cards.
    order                     int, detail         Order: Place in the order of payment.
    awards                    int, sum, detail    Awards: How many stand in this row.
    wager_cents               cents, detail       Wager: The wager that won.
    meter                     text                Meter: Which meter paid; empty: a fixed line.
    share_percent             int, detail         Share: Percent of the meter.
    before_microcents         microcents          Before: On display just before it.
    amount_cents              cents               Amount: What the line is worth now.
    made_cents                cents, detail       As made: What it was worth when it was made.
    bonus_cents               cents, detail       Bonus: On top of the line.
    player_microcents         microcents          Player part: Players' money in it, pro rata.
    house_microcents          microcents          House part: The house's money in it, pro rata.
    reset_house_cents         cents, detail       Reset, house: What the house put on the meter
        for its reset.
    reset_reserve_microcents  microcents, detail  Reset, reserve: What the reset meter gave to it.
    after_microcents          microcents          After: On display just after it.
    awarded_cents             cents, sum          Awarded: Amount and bonus as made, where settled
        in the range.
    resettled_cents           cents, sum, detail  Re-settled: What voids of others of its round,
        in the range, added to it or took from it.
    paid_cents                cents, sum          Paid: Where paid in the range.
    voided_cents              cents, sum, detail  Voided: Where voided in the range.
    dealer                    text, detail        Dealer: Who dealt.
    validator                 text, detail        Validated by: The supervisor.
    validated_at              time, detail        Validated at: When; empty: not yet, or to be
        done again.
    approvers                 text, detail        Approved by: Who approved the payment.
    approved_first_at         time, detail        First approved at: When the first approver did.
    approved_at               time, detail        Approved at: When the last approver did.
    payer                     text, detail        Paid by: Who paid.
    paid_at                   time, detail        Paid at: When.
    paid_day                  day, detail         Paid on: The gaming day of the payment.
    minutes_open              int, detail         Minutes open: From settlement to payment or
        void.
    tax_form                  text, detail        Tax form: The form it needs.
    voided_by                 text, detail        Voided by: The two who voided it.
    void_proposed_at          time, detail        Void proposed: When the first of the two did.
    voided_at                 time, detail        Voided at: When the second of them agreed.
    void_reason               text, detail        Reason: Why it was voided.
    days_since_last_hit       int, detail         Days since hit: Gaming days since the meter was
        hit before.
""")


def report(context: Context) -> Report:
    """The register of a range of days."""
    entries = entries_of(context)
    rows = [_row(context, entry) for entry in entries]
    racks: dict[tuple[str, str, str], RackAwards] = {}
    for book in context.books:
        for rack in book.racks.values():
            if context.at_table(rack.table):
                key = (rack.table, rack.bet, rack.line)
                _join(
                    racks.setdefault(
                        key, RackAwards(table=rack.table, bet=rack.bet, line=rack.line)
                    ),
                    rack,
                )
    rows += [_rack_row(racks[key]) for key in sorted(racks)]
    return made(
        context, kind=KIND, title=TITLE, clauses=CLAUSES, columns=COLUMNS, rows=rows, notes=[RULE]
    )


def entries_of(context: Context) -> list[AwardEntry]:
    """The awards of a range, each as it stood at its end, in the order they were made."""
    found: dict[AwardId, AwardEntry] = {}
    for book in context.books:
        found |= book.awards
    return sorted(
        (entry for entry in found.values() if context.at_table(entry.table)),
        key=lambda entry: (entry.seq, entry.made.order),
    )


def in_range(context: Context, at: str) -> bool:
    """Whether a moment lies in the days of the report."""
    return context.first.begins <= at < context.last.ends


def paid_within(context: Context, entry: AwardEntry) -> int:
    """What was paid of it in the days of the report."""
    return entry.paid_cents if entry.paid is not None and in_range(context, entry.paid.at) else 0


def day_at(context: Context, at: str) -> str:
    """The gaming day of a moment, as the floor counts its days at the end of the range."""
    return next(
        (book.day for book in context.books if book.begins <= at < book.ends),
        context.last.days.day_of(at),
    )


def _row(context: Context, entry: AwardEntry) -> Row:
    award = entry.made
    amount = award.amount_cents * MICROCENTS_PER_CENT
    house = entry.house_part
    ended = entry.paid or entry.voided
    flows = flows_between(entry, context.first.begins, context.last.ends)
    return {
        "award": award.award,
        "document": entry.document,
        "series": None if entry.document is None else "manual" if entry.manual else "own",
        "status": entry.status,
        "settled_day": day_at(context, entry.at),
        "settled_at": entry.at,
        "table": entry.table,
        "seat": award.seat,
        "bet": award.bet,
        "line": award.line,
        "cards": entry.cards or None,
        "dealer_cards": entry.dealer_cards or None,
        "order": award.order,
        "awards": 1,
        "wager_cents": award.wager_cents,
        "meter": award.meter,
        "share_percent": award.share_percent,
        "before_microcents": award.meter_before,
        "amount_cents": award.amount_cents,
        "made_cents": entry.made_cents,
        "bonus_cents": award.bonus_cents,
        "player_microcents": None if house is None else amount - house,
        "house_microcents": house,
        "reset_house_cents": None if award.meter is None else award.funded_cents,
        "reset_reserve_microcents": None if award.meter is None else award.from_reset,
        "after_microcents": award.meter_after,
        "awarded_cents": flows.awarded_cents,
        "resettled_cents": flows.resettled_cents,
        "paid_cents": paid_within(context, entry),
        "voided_cents": flows.voided_cents,
        "dealer": entry.dealer or None,
        "validator": _name(entry.validated),
        "validated_at": _at(entry.validated),
        "approvers": ", ".join(step.name for step in entry.approvals) or None,
        "approved_first_at": _at(*entry.approvals[:1]),
        "approved_at": _at(*entry.approvals[-1:]),
        "payer": _name(entry.paid),
        "paid_at": _at(entry.paid),
        "paid_day": None if entry.paid is None else day_at(context, entry.paid.at),
        "minutes_open": None if ended is None else minutes_between(entry.at, ended.at),
        "tax_form": award.tax_form,
        "voided_by": _both(entry.void_proposed, entry.voided),
        "void_proposed_at": _at(entry.void_proposed),
        "voided_at": _at(entry.voided),
        "void_reason": entry.void_reason or None,
        "days_since_last_hit": _days_since(context.last.days, entry),
        "first_seq": entry.seq,
        "last_seq": entry.last_seq,
    }


def _rack_row(rack: RackAwards) -> Row:
    paid = rack.cents + rack.bonus_cents - rack.paid_before_cents
    row: dict[str, str | int | None] = dict.fromkeys([column.id for column in COLUMNS])
    return row | {
        "status": "rack",
        "table": rack.table,
        "bet": rack.bet,
        "line": rack.line,
        "awards": rack.awards,
        "amount_cents": rack.cents,
        "bonus_cents": rack.bonus_cents,
        "awarded_cents": paid,
        "resettled_cents": 0,
        "paid_cents": paid,
        "voided_cents": 0,
        **behind(rack),
    }


def _join(together: RackAwards, rack: RackAwards) -> None:
    for name in (
        "awards",
        "cents",
        "bonus_cents",
        "returned_cents",
        "paid_before_cents",
        "tax_forms",
    ):
        setattr(together, name, getattr(together, name) + getattr(rack, name))
    together.stands_on(rack.first_seq, rack.last_seq)


def minutes_between(since: str, until: str) -> int:
    """Whole minutes from one moment to another."""
    passed = datetime.fromisoformat(until) - datetime.fromisoformat(since)
    return int(passed.total_seconds()) // 60


def _days_since(days: GamingDays, entry: AwardEntry) -> int | None:
    if entry.hit_before_at is None:
        return None
    before, now = days.day_of(entry.hit_before_at), days.day_of(entry.at)
    return (datetime.fromisoformat(now) - datetime.fromisoformat(before)).days


def _name(step: Step | None) -> str | None:
    return None if step is None else step.name


def _at(step: Step | None = None) -> str | None:
    return None if step is None else step.at


def _both(first: Step | None, second: Step | None) -> str | None:
    names = [step.name for step in (first, second) if step is not None]
    return ", ".join(names) if second is not None else None
