"""The statement of a pack: one value, from which the text and the page of paper are made.

It says what is there, what it proves and what it cannot, and how anybody checks it: nothing that
the files beside it do not show.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from msgspec import Struct

from progressive.adapters.reports.figures.figures import moment_text
from progressive.application.finance.closing.checks import Check
from progressive.application.finance.pack.closing import Statement
from progressive.domain.money import exact_money_text

STATEMENT: Final = "STATEMENT"
KEY: Final = "key.txt"
VERIFIER: Final = "verifier.pyz"
RECORDS: Final = "records.jsonl"
BESIDE: Final = "beside.jsonl"
OPEN: Final = "OPEN"
"""Of a check that neither agrees nor is explained; in red on paper."""
_STATES: Final = {
    "agrees": "agrees",
    "explained": "explained",
    "none": "nothing to compare",
    "open": OPEN,
}

PROVES: Final = (
    "No record of the day is missing, added or changed: numbers and hashes join, also with the "
    "records before and after it.",
    "Every figure of the reports names the records behind it; the checks can be done again.",
)
SEALED: Final = (
    "These are the records that were sealed: the proofs lead from the day's records to the root "
    "that the house signed{witnesses}.",
)
NOT_SEALED: Final = "Without a seal: whether all of it was written again since."
CANNOT: Final = (
    "Whether cards, chips and readings were as they were keyed, and people are who their names "
    "say.",
    "Amounts before the day are taken as recorded: run the verifier on the journal or a backup to "
    "have every sum done again from record 1.",
    "What was recorded after the last record here.",
)


class Figures(Struct, frozen=True, kw_only=True):
    """What the statement is about."""

    floor: str
    link: str
    link_name: str
    day: str
    begins: str
    ends: str
    """On the floor's clock."""
    time_zone: str
    day_rule: str
    currency: str
    closed: bool
    over: bool
    first_seq: int | None
    last_seq: int | None
    head: str
    records: int
    prepared: Statement | None
    close: Statement | None
    restated: Sequence[Statement]
    checks: Sequence[Check]
    sealed_seq: int | None
    """How many records of the journal the newest seal is of; None: not sealed."""
    witnesses: int
    key: str
    """The public lines; empty where none were given."""
    sampled: str
    """What was drawn, of how many."""
    seed: int
    left_out: Sequence[str]
    program: str
    printed: str
    hashes: Mapping[str, str]
    """Of every file but the statement itself and the manifest."""


class Section(Struct, frozen=True):
    """A heading with its lines."""

    title: str
    lines: tuple[str, ...]
    commands: bool = False


def banner(of: Figures) -> tuple[str, str]:
    """The large letters, and what they mean."""
    if of.closed:
        again = f", stated again {len(of.restated)} times" if of.restated else ""
        return "CLOSED", f"The day is closed{again}: none of its records is changed any more."
    why = "The day is over and not closed" if of.over else "The day is not over"
    return "OPEN", f"{why}: these figures can still change."


def sections(of: Figures) -> list[Section]:
    """Everything below the heading but the hashes, in the order in which it is read."""
    return [
        Section("Day", tuple(_day(of))),
        Section("By whom", tuple(_people(of))),
        Section("Checks", tuple(_check(each, of.currency) for each in of.checks)),
        Section("In this pack", tuple(_contents(of))),
        Section("It proves", tuple(_proves(of))),
        Section("It cannot prove", (*(() if of.sealed_seq else (NOT_SEALED,)), *CANNOT)),
        Section("Check it, unpacked", commands(of), commands=True),
    ]


def commands(of: Figures) -> tuple[str, ...]:
    """Exactly as they are typed."""
    key = f" --key {KEY}" if of.key else ""
    lines = ["sha256sum -c SHA256SUMS"]
    if of.records:
        lines.append(f"python3 -I -S {VERIFIER} {RECORDS}{key}")
    lines.append(f"python3 -I -S {VERIFIER} .{key}")
    return tuple(lines)


def _day(of: Figures) -> list[str]:
    if of.first_seq is None:
        records = f"no record; the journal stood at record {of.last_seq}, hash {of.head}"
    else:
        records = f"records {of.first_seq} to {of.last_seq} ({of.records:,}), last hash {of.head}"
    return [f"{of.begins} to {of.ends}", records, of.day_rule]


def _people(of: Figures) -> list[str]:
    lines = []
    if of.close is not None:
        prepared, closed = of.close.by[0], of.close.by[-1]
        lines.append(
            f"Prepared by {prepared.name} ({prepared.department}), reviewed and closed by "
            f"{closed.name} ({closed.department}), record {of.close.seq}, {_at(of, of.close)}"
        )
    for each in of.restated:
        names = " and ".join(f"{by.name} ({by.department})" for by in each.by)
        lines.append(
            f"Stated again (no. {each.number}) by {names}, record {each.seq}, {_at(of, each)}: "
            f"{each.note}"
        )
    if of.prepared is not None:
        by = of.prepared.by[0]
        lines.append(
            f"Prepared by {by.name} ({by.department}), record {of.prepared.seq}; waits for a "
            "reviewer"
        )
    stated = of.restated[-1] if of.restated else of.close or of.prepared
    if stated is not None and stated.checks:
        checks = "; ".join(f"{each.check}: {each.state}" for each in stated.checks)
        lines.append(f"Checklist as they signed it: {checks}")
    return lines or ["Nobody has prepared or closed the day."]


def _at(of: Figures, stated: Statement) -> str:
    """On the floor's clock, to the second: the record has the rest."""
    moment = datetime.fromisoformat(stated.at)
    return moment_text(moment.astimezone(ZoneInfo(of.time_zone)))


def _check(check: Check, currency: str) -> str:
    off = check.difference_microcents
    said = _STATES[check.state]
    amount = "" if off is None else f"difference {exact_money_text(off, currency)} "
    return f"{check.title}: {amount}{said}: {check.detail}"


def _contents(of: Figures) -> list[str]:
    reports = sum(name.startswith("reports/") for name in of.hashes)
    sealed = "not sealed"
    if of.sealed_seq is not None:
        sealed = f"seals/: the newest seal ({of.sealed_seq:,} records), proofs that lead to it"
    lines = [
        f"{RECORDS}: the records of the day as stored; {BESIDE}: the one before, the one after, "
        "what finance stated",
        f"reports/: {reports} files, every report in every format; {sealed}",
        f"sample/: {of.sampled}, seed {of.seed}, with the records behind each",
        f"{VERIFIER}: the auditor's program; "
        + (f"{KEY}: {of.key}" if of.key else "no public key was given: ask the house for it"),
    ]
    return lines + [f"Left out: {each}" for each in of.left_out]


def _proves(of: Figures) -> list[str]:
    if of.sealed_seq is None:
        return [*PROVES]
    witnesses = f" (cosigned by {of.witnesses} of its witnesses)" if of.witnesses else ""
    lines = [*PROVES, *(each.format(witnesses=witnesses) for each in SEALED)]
    if of.last_seq is not None and of.sealed_seq < of.last_seq:
        lines.append(f"Sealed up to record {of.sealed_seq}; later ones of the day are not yet.")
    return lines


def statement_text(of: Figures) -> str:
    """The statement as plain text, the hash of every file at its end."""
    word, meaning = banner(of)
    name = " ".join(each for each in (of.floor, of.link_name) if each)
    lines = [
        "AUDIT PACK",
        f"{name} ({of.link}), gaming day {of.day}",
        "",
        f"***** {' '.join(word)} *****",
        meaning,
    ]
    for section in sections(of):
        mark = "    " if section.commands else "- "
        lines += ["", section.title.upper(), *(f"{mark}{line}" for line in section.lines)]
    lines += ["", "SHA-256 OF EVERY FILE"]
    lines += [f"{digest}  {path}" for path, digest in sorted(of.hashes.items())]
    lines += ["", f"{of.program}, printed at {of.printed}"]
    return "".join([f"{line}\n" for line in lines])
