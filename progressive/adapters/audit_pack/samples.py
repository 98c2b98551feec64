"""The payments of the sample as files: sheet, register lines, records, award proofs."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Struct

from progressive.adapters.reports.figures.figures import moment_text
from progressive.application.finance.pack.documents import Document
from progressive.application.finance.pack.sample import RULE, InTheDraw
from progressive.domain.money import exact_money_text, money_text

FOLDER: Final = "sample"


class SampleHead(Struct, frozen=True, kw_only=True):
    """What all of a sample have in common."""

    what: str
    """What was drawn, of how many."""
    seed: int
    asked: int
    currency: str
    time_zone: str


def sampled(documents: Sequence[Document], draw: InTheDraw) -> str:
    """`2 of 2 payment documents, 3 of 208 other settlements with awards`."""
    paid = sum(each.chosen.what == "document" for each in documents)
    return (
        f"{paid} of {len(draw.documents)} payment documents, {len(documents) - paid} of "
        f"{len(draw.others)} other settlements with awards"
    )


def sample_files(documents: Sequence[Document], head: SampleHead) -> Iterator[tuple[str, bytes]]:
    """Names and contents, in the order in which the sample was drawn."""
    yield f"{FOLDER}/SAMPLE.txt", _drawn(documents, head)
    for number, each in enumerate(documents, 1):
        at = f"{FOLDER}/{number}"
        yield f"{at}/sheet.txt", _sheet_text(each, head).encode()
        yield f"{at}/sheet.json", _json(each.sheet)
        yield f"{at}/register.json", _json(each.register)
        yield f"{at}/records.jsonl", b"".join([stored + b"\n" for stored in each.records])
        for award, proof in each.proofs:
            yield f"{at}/{award}.award-proof", proof.encode()


def _json(content: object) -> bytes:
    return msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n"


def _drawn(documents: Sequence[Document], head: SampleHead) -> bytes:
    lines = [
        f"Sample: {head.what} (asked for {head.asked}, seed {head.seed}).",
        "",
        RULE,
        "",
        *(
            f"{number:3}  {each.chosen.what} record {each.chosen.number}  {each.chosen.hash}  "
            f"{', '.join(award.made.award for award in each.sheet.awards)}"
            for number, each in enumerate(documents, 1)
        ),
    ]
    return "".join([f"{line}\n" for line in lines]).encode()


def _sheet_text(document: Document, head: SampleHead) -> str:
    sheet, currency = document.sheet, head.currency
    zone = ZoneInfo(head.time_zone)

    def at(moment: str) -> str:
        return moment_text(datetime.fromisoformat(moment).astimezone(zone))

    dealer = "nobody signed on" if sheet.dealt_by is None else sheet.dealt_by.name
    lines = [
        f"Settlement sheet: round {sheet.round} at table {sheet.table}, link {sheet.link}",
        f"locked out {at(sheet.locked_at)}, settled {at(sheet.settled_at)}, "
        f"record {sheet.journal_seq}",
        f"dealer: {dealer}; cards {' '.join(sheet.dealer_cards) or 'not given'}",
        "",
    ]
    for seat in sheet.seats:
        bets = ", ".join(
            f"{each.bet} {money_text(each.amount_cents, currency)} {each.tender}"
            for each in seat.wagers
        )
        lines.append(f"seat {seat.seat}: {bets}; cards {' '.join(seat.cards) or 'not given'}")
    for award in sheet.awards:
        made = award.made
        lines += [
            "",
            f"award {made.award}: seat {made.seat}, {made.bet}, {made.line}, order {made.order}",
            f"  {award.status}; amount {money_text(award.amount_cents, currency)}, due "
            f"{money_text(award.due_cents, currency)}"
            + (f", document {award.document}" if award.document else ""),
        ]
        if (moved := award.meter_sum) is not None:
            lines.append(
                f"  meter {made.meter}: {exact_money_text(moved.before_microcents, currency)} "
                f"before, {exact_money_text(moved.after_microcents, currency)} after"
            )
    lines.append("")
    lines += [
        f"record {each.journal_seq}, {at(each.at)}: {each.award} {each.what} by {each.by.name} "
        f"({each.by.department}){f': {each.note}' if each.note else ''}"
        for each in sheet.history
    ]
    return "".join([f"{line}\n" for line in lines])
