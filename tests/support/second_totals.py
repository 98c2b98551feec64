"""The totals of every report of some gaming days, a second time, by a plain script of its own.

    python second_totals.py ZONE STARTS FIRST_DAY LAST_DAY HAPPENINGS < exported.jsonl

Reads the lines that `progressive export` prints and the folder of the log of happenings. Prints
JSON: for each day and for all of them together ("all"), what the totals of each report must be.
Uses the standard library and `second_books` beside it; the program has no part in it. Every day
from the first to the last has a record.
"""

import json
import sys
from collections import Counter
from datetime import date, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

from second_books import PARTS, Day, SecondBooks  # type: ignore[import-not-found]

MICRO = 1_000_000
CAUSES = (
    *("contributions", "void_contra", "house_initial", "house_reset", "reserve_moved"),
    *("overflow_moved", "awards", "award_void_back", "corrections", "transfers", "retired"),
)
STEPS = {
    "increments": ("contributions", "void_contra"),
    "base": ("house_initial", "house_reset"),
    "moved": ("reserve_moved", "overflow_moved"),
    "awards": ("awards", "award_void_back"),
    "transfers": ("transfers",),
    "adjustments": ("corrections",),
    "retired": ("retired",),
}
EXCEPTIONS = {
    "round_voided": "round voided",
    "void_proposed": "award void proposed",
    "void_withdrawn": "award void withdrawn",
    "award_voided": "award voided",
    "correction_proposed": "correction proposed",
    "correction_refused": "correction refused",
    "correction_approved": "correction approved",
    "terms_proposed": "terms proposed",
    "terms_changed": "terms changed",
    "floor_recorded": "service started",
    "day_closed": "day closed",
}
Totals = dict[str, Any]


def micro(amount: Fraction) -> int:
    exact = amount * MICRO
    if exact.denominator != 1:
        raise ValueError(f"{amount} is no whole number of microcents")
    return int(exact)


def floor(amount: Fraction | int) -> int:
    return Fraction(amount).__floor__()


class Week:
    """The days of a journal with what stood before the first of them: nothing."""

    def __init__(self, exported: str, zone: str, starts: str, happenings: Path) -> None:
        self.books = SecondBooks(exported, zone, starts)
        self.events = [json.loads(line) for line in exported.splitlines()]
        self.said = [
            json.loads(line)
            for path in sorted(happenings.glob("*.jsonl"))
            for line in path.read_text("utf-8").splitlines()
        ]

    def totals(self, first: str, last: str) -> dict[str, Totals]:
        """Of the days from one to another."""
        names = sorted(day for day in self.books.days if first <= day <= last)
        before = [day for day in self.books.days if day < first]
        past = self.books.days[max(before)] if before else None
        days = [self.books.days[name] for name in names]
        return {
            "reconciliation": self._reconciliation(past, days),
            "wagers": self._wagers(names, days),
            "awards": self._awards(days),
            "liability": self._liability(past, days),
            "hold": self._hold(days),
            "rollforward": self._rollforward(past, days),
            "gl": self._gl(past, names),
            "cage": self._cage(names),
            "exceptions": self._exceptions(names),
        }

    # --- meters --------------------------------------------------------------------------------

    def _amount(self, day: Day | None, meter: str, part: str) -> Fraction:
        return Fraction(0 if day is None else day["closing"].get((meter, part), 0))

    def _meters(self, days: list[Day]) -> list[str]:
        return sorted({meter for meter, _ in days[-1]["closing"]})

    def _reconciliation(self, past: Day | None, days: list[Day]) -> Totals:
        found: Counter[str] = Counter()
        for day in days:
            for (_, _, cause), amount in day["flows"].items():
                found[f"{cause}_microcents"] += micro(amount)
        opening, closing = micro(self._whole(past)), micro(self._whole(days[-1]))
        moved = sum(found.values())
        return {
            **{f"{cause}_microcents": found[f"{cause}_microcents"] for cause in CAUSES},
            "opening_microcents": opening,
            "closing_microcents": closing,
            "recomputed_microcents": opening + moved,
            "difference_microcents": 0,
            "breaks": 0,
        }

    def _whole(self, day: Day | None) -> Fraction:
        return Fraction() if day is None else sum(day["closing"].values(), Fraction())

    def _steps(self, past: Day | None, day: Day, meter: str, part: str) -> dict[str, int]:
        """Whole cents of one day: differences of floored running amounts."""
        running, found = self._amount(past, meter, part), {}
        for name, causes in STEPS.items():
            after = running + sum(day["flows"].get((meter, part, cause), 0) for cause in causes)
            found[name] = floor(after) - floor(running)
            running = after
        return found

    def _rollforward(self, past: Day | None, days: list[Day]) -> Totals:
        found: Counter[str] = Counter()
        for meter in self._meters(days):
            for part in PARTS:
                before = past
                for day in days:
                    for name, cents in self._steps(before, day, meter, part).items():
                        found[f"{name}_cents"] += cents
                    before = day
                closing = self._amount(days[-1], meter, part)
                found["opening_cents"] += floor(self._amount(past, meter, part))
                found["closing_cents"] += floor(closing)
                found["fraction_microcents"] += micro(closing - floor(closing))
        return dict(found)

    # --- wagers and awards ---------------------------------------------------------------------

    def _wagers(self, names: list[str], days: list[Day]) -> Totals:
        found: Counter[str] = Counter()
        for day in days:
            for cell in day["cells"].values():
                for name in (
                    *("chips", "chip_cents", "coupons", "coupon_cents", "registered_cents"),
                    *("voided", "voided_cents", "fixed_awards", "fixed_cents", "returned_cents"),
                ):
                    found[name] += int(cell[name])
                found["to_meters_microcents"] += micro(cell["to_meters"])
        found["wagers"] = found["chips"] + found["coupons"]
        found["net_cents"] = found["registered_cents"] - found["voided_cents"]
        found["to_hold_microcents"] = found["net_cents"] * MICRO - found["to_meters_microcents"]
        found["difference_cents"] = (
            found["chip_cents"] + found["coupon_cents"] - found["registered_cents"]
        )
        found["rounds"] = sum(
            record["event"]["type"] == "wagers_registered"
            for record in self.events
            if self.books.day_of(record["at"]) in names
        )
        found["count_mismatches"] = sum(
            said.get("times", 1)
            for said in self.said
            if said["what"] == "refused"
            and said["kind"] == "CHIP_COUNT_MISMATCH"
            and self.books.day_of(said["at"]) in names
        )
        return dict(found)

    def _awards(self, days: list[Day]) -> Totals:
        made = [each for day in days for each in day["made"]]
        paid = [each for day in days for each in day["paid"]]
        voided = [each for day in days for each in day["voided"]]
        rack = [each for day in days for each in day["rack"].values()]
        by_rack = sum(cents for _, cents in rack)
        register: Counter[str] = Counter()
        for day in days:
            for moved in day["register"].values():
                register.update(moved)
        return {
            "awards": len({each["award"] for each in (*made, *paid, *voided)})
            + sum(number for number, _ in rack),
            "awarded_cents": register["awarded"] + by_rack,
            "resettled_cents": register["resettled"],
            "paid_cents": sum(each["paid"] for each in paid) + by_rack,
            "voided_cents": register["voided"],
        }

    def _hold(self, days: list[Day]) -> Totals:
        wagered = self._wagers(names=[], days=days)
        resets = sum(
            (amount for day in days for (_, part, cause), amount in day["flows"].items()
             if (part, cause) == ("primary", "house_reset")),
            Fraction(),
        )  # fmt: skip
        kept = sum((day["hold"] for day in days), Fraction())
        return {
            "wagers": wagered["wagers"] - wagered["voided"],
            "handle_cents": wagered["net_cents"],
            "contributions_microcents": wagered["to_meters_microcents"],
            "house_reset_microcents": micro(resets),
            "net_win_microcents": micro(kept - resets),
        }

    def _liability(self, past: Day | None, days: list[Day]) -> Totals:
        last = days[-1]
        shown, put_by, above = (
            sum((amount for (_, part), amount in last["closing"].items() if part == each),
                Fraction())
            for each in PARTS
        )  # fmt: skip
        house = sum(last["house"].values(), Fraction())
        owed = self._owed_after(last["last_seq"])
        cents = sum(self.books._due(each) for each in owed)
        ages = Counter({"age_0_1_cents": 0, "age_2_7_cents": 0})
        until = datetime.fromisoformat(self.events[last["last_seq"] - 1]["at"])
        for each in owed:
            passed = until - datetime.fromisoformat(each["at"])
            name = "age_0_1_cents" if passed <= timedelta(days=1) else "age_2_7_cents"
            ages[name] += self.books._due(each)
        before = self._whole(past) + (0 if past is None else past["owed"])
        whole = shown + put_by + above
        return {
            **ages,
            "displayed_microcents": micro(shown),
            "player_microcents": micro(shown - house),
            "house_microcents": micro(house),
            "reserve_microcents": micro(put_by),
            "overflow_microcents": micro(above),
            "parked_microcents": 0,
            "pending": len(owed),
            "pending_cents": cents,
            "accrued_microcents": micro(whole - house + cents),
            "memo_microcents": micro(house),
            "bank_required_cents": cents
            + sum(-floor(-each) for (_, part), each in last["closing"].items()
                  if part == "primary"),
            "change_microcents": micro(whole + cents - before),
        }  # fmt: skip

    def _owed_after(self, seq: int) -> list[dict[str, Any]]:
        """Made up to a record, and neither paid nor voided by then."""
        gone = {
            award
            for record in self.events[:seq]
            for award in (
                record["event"].get("awards", [])
                if record["event"]["type"] == "round_validated"
                else [record["event"].get("award")]
                if record["event"]["type"] in ("award_paid", "award_voided")
                else []
            )
        }
        return [
            made
            for day in self.books.days.values()
            for made in day["made"]
            if made["seq"] <= seq and made["award"] not in gone
        ]

    # --- the general ledger --------------------------------------------------------------------

    def _gl(self, past: Day | None, names: list[str]) -> Totals:
        balances: Counter[str] = Counter()
        debit = credit = 0
        for name in names:
            day = self.books.days[name]
            for lines in self._entries(past, day):
                if sum(cents for _, cents in lines):
                    raise ValueError(f"{name}: an entry does not balance: {lines}")
                for account, cents in lines:
                    balances[account] += cents
                    debit += max(0, cents)
                    credit += max(0, -cents)
            past = day
        return {
            "debit_cents": debit,
            "credit_cents": credit,
            "accounts": {account: cents for account, cents in balances.items() if cents},
        }

    def _entries(self, past: Day | None, day: Day) -> list[list[tuple[str, int]]]:
        """What the docs say of the ledger: debits are positive."""
        meters = self._meters([day])
        steps = {
            (meter, part): self._steps(past, day, meter, part) for meter in meters for part in PARTS
        }

        def off(*which: str) -> list[tuple[str, int]]:
            return [
                (_part_account(meter, part), -sum(cents[name] for name in which))
                for (meter, part), cents in steps.items()
            ]

        def against(account: str, lines: list[tuple[str, int]]) -> list[tuple[str, int]]:
            return [(account, -sum(cents for _, cents in lines)), *lines]

        base, part_of_house = [], []
        for meter in meters:
            put = sum(steps[meter, part]["base"] for part in PARTS)
            base.append((f"Liabilities:Progressive:main:{meter}:House-Base", put))
            held = 0 if past is None else past["house"].get(meter, 0)
            change = floor(day["house"].get(meter, 0)) - floor(held)
            part_of_house += [
                ("Expenses:Progressive:main:Jackpots-House-Part", put - change),
                (f"Liabilities:Progressive:main:{meter}:House-Base", change - put),
            ]
        by_cage = sum(each["paid"] for each in day["paid"] if each["document"] is not None)
        by_rack = sum(each["paid"] for each in day["paid"] if each["document"] is None)
        awards = off("awards")
        off_meters = sum(cents for _, cents in awards)
        owed = day["owed"] - (0 if past is None else past["owed"]) + by_cage + by_rack
        payable = "Liabilities:Progressive:main:Awards-Payable"
        fixed = "Expenses:Progressive:main:Fixed-Awards"
        contributions = "Income:Progressive:main:Contributions"
        return [
            against(contributions, off("increments", "moved")),
            [*base, *off("base")],
            [*awards, (fixed, owed - off_meters), (payable, -owed)],
            part_of_house,
            [
                (payable, by_cage + by_rack),
                ("Assets:Progressive:main:Cage", -by_cage),
                (fixed, -by_rack),
            ],
            against(contributions, off("transfers")),
            against("Expenses:Progressive:main:Corrections", off("adjustments")),
        ]

    # --- beside the play -----------------------------------------------------------------------

    def _cage(self, names: list[str]) -> Totals:
        """Each document of ours beside what the cage's newest file of each day has of it."""
        files = {
            record["event"]["day"]: record["event"]["entry"]["payments"]
            for record in self.events
            if record["event"]["type"] == "finance_entered"
            and record["event"]["entry"]["type"] == "cage"
        }
        theirs: list[dict[str, Any]] = [
            {"document": document, "cents": cents, "file": day,
             "day": self.books.day_of(at) if at else day}
            for day, payments in sorted(files.items())
            for _, document, cents, at in payments
        ]  # fmt: skip
        ours = [
            {"document": each["document"], "cents": each["paid"], "day": day}
            for day, book in self.books.days.items()
            for each in book["paid"]
            if each["document"] is not None
        ]
        statuses: Counter[str] = Counter()
        system = cage = 0
        known = {our["document"] for our in ours}
        rest = [their for their in theirs if their["document"] not in known]
        for our in ours:
            same = [their for their in theirs if their["document"] == our["document"]]
            same.sort(key=lambda their: (
                their["cents"] != our["cents"], {their["file"], their["day"]} != {our["day"]}
            ))  # fmt: skip
            status = "ours only"
            if same:
                best = same[0]
                right_day = {best["file"], best["day"]} == {our["day"]}
                status = "matched" if right_day else "day differs"
                if best["cents"] != our["cents"]:
                    status = "amount differs"
            mine, his = our["day"] in names, bool(same) and same[0]["file"] in names
            statuses[status] += mine or his
            system += our["cents"] if mine else 0
            cage += same[0]["cents"] if his else 0
            again = [their for their in same[1:] if their["file"] in names]
            statuses["twice"] += len(again)
            cage += sum(their["cents"] for their in again)
        alone = [their for their in rest if their["file"] in names]
        statuses["theirs only"] += len(alone)
        cage += sum(their["cents"] for their in alone)
        return {
            "system_cents": system,
            "cage_cents": cage,
            "difference_cents": system - cage,
            "statuses": {status: number for status, number in statuses.items() if number},
        }

    def _exceptions(self, names: list[str]) -> Totals:
        """How many of each kind; and every outage from and until when, in seconds."""
        kinds: Counter[str] = Counter()
        for record in self.events:
            if self.books.day_of(record["at"]) in names:
                event = record["event"]
                if (kind := EXCEPTIONS.get(event["type"])) is not None:
                    kinds[kind] += 1
                if event["type"] == "award_paid" and event.get("manual"):
                    kinds["manual document"] += 1
        kinds["refused"] += len({
            (day, said.get("about"), said["kind"])
            for said in self.said
            if said["what"] == "refused" and (day := self.books.day_of(said["at"])) in names
        })  # fmt: skip
        outages = []
        for before, said in zip(self.said, self.said[1:], strict=False):
            days = {self.books.day_of(before["at"]), self.books.day_of(said["at"])}
            if said["what"] == "started" and days & set(names):
                passed = datetime.fromisoformat(said["at"]) - datetime.fromisoformat(before["at"])
                outages.append([before["at"], said["at"], int(passed.total_seconds())])
        kinds["outage"] += len(outages)
        return {"kinds": {kind: number for kind, number in kinds.items() if number},
                "outages": outages}  # fmt: skip


def _part_account(meter: str, part: str) -> str:
    name = {"primary": "Display", "reset": "Reset", "overflow": "Overflow"}[part]
    return f"Liabilities:Progressive:main:{meter}:{name}"


def main() -> None:
    zone, starts, first, last, happenings = sys.argv[1:]
    week = Week(sys.stdin.read(), zone, starts, Path(happenings))
    day, found = date.fromisoformat(first), {"all": week.totals(first, last)}
    while day <= date.fromisoformat(last):
        found[day.isoformat()] = week.totals(day.isoformat(), day.isoformat())
        day += timedelta(days=1)
    if any(name.partition(".")[0] == "progressive" for name in sys.modules):
        raise ImportError("a second opinion shares no code with the first one")
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
