"""Finance worked out a second time, by plain means: JSON lines, dicts and fractions of a cent.

Shares nothing with the program. Reads what `progressive export` prints, record by record, and works
out what each gaming day's reports must say. Amounts are Fractions of cents.
"""

import json
from collections import defaultdict
from datetime import datetime, timedelta
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo

PARTS = ("primary", "reset", "overflow")
Day = dict[str, Any]


def cents(microcents: int) -> Fraction:
    return Fraction(microcents, 1_000_000)


class SecondBooks:
    """All days of one journal."""

    def __init__(self, exported: str, zone: str, starts: str) -> None:
        self._zone, self._starts = ZoneInfo(zone), starts
        self.days: dict[str, Day] = {}
        self.amount: dict[tuple[str, str], Fraction] = defaultdict(Fraction)
        self.house: dict[str, Fraction] = defaultdict(Fraction)
        self.open: dict[str, dict[str, Any]] = {}
        """Awards that are owed, by number."""
        self._terms: dict[int, Any] = {}
        self._locked: dict[str, Any] = {}
        self._made: dict[str, dict[str, Any]] = {}
        self._corrections: dict[str, Any] = {}
        for line in exported.splitlines():
            record = json.loads(line)
            self._enter(record, record["event"])

    def day_of(self, at: str) -> str:
        """By the wall clock: what is before the start belongs to the day before."""
        hour, minute = map(int, self._starts.split(":"))
        local = datetime.fromisoformat(at).astimezone(self._zone).replace(tzinfo=None)
        return (local - timedelta(hours=hour, minutes=minute)).date().isoformat()

    def hour_of(self, at: str) -> str:
        local = datetime.fromisoformat(at).astimezone(self._zone)
        offset = f"{local:%z}"
        return f"{local:%Y-%m-%d %H}:00 {offset[:3]}:{offset[3:]}"

    def _day(self, at: str) -> Day:
        name = self.day_of(at)
        if name not in self.days:
            self.days[name] = {
                "opening": dict(self.amount),
                "flows": defaultdict(Fraction),
                "cells": defaultdict(lambda: defaultdict(Fraction)),
                "hold": Fraction(),
                "made": [],
                "paid": [],
                "voided": [],
                "rack": defaultdict(lambda: [0, 0]),
                "times": {},
                "register": defaultdict(lambda: defaultdict(int)),
                "meter_awards": defaultdict(int),
                "hits": defaultdict(int),
                "returned": 0,
                "paid_out": 0,
                "owed_before": sum(self._due(made) for made in self.open.values()),
                "players_before": self.players(),
            }
        return self.days[name]

    def players(self) -> int:
        """The players' money on all meters, in whole cents."""
        return (sum(self.amount.values()) - sum(self.house.values())).__floor__()

    def _move(self, day: Day, meter: str, part: str, cause: str, amount: Fraction) -> None:
        if amount:
            self.amount[meter, part] += amount
            day["flows"][meter, part, cause] += amount

    def _meters(self, version: int, bet: str) -> list[Any]:
        terms = self._terms[version]
        return next((each.get("meters", []) for each in terms["bets"] if each["id"] == bet), [])

    def _enter(self, record: dict[str, Any], event: dict[str, Any]) -> None:
        day = self._day(record["at"])
        handler = getattr(self, f"_{event['type']}", None)
        if handler is not None:
            handler(day, record, event)
        day["hold"] += cents(event.get("hold", 0) + event.get("money", {}).get("hold", 0))
        order = [m["id"] for bet in self._newest()["bets"] for m in bet.get("meters", [])]
        for meter, shown in zip(order, event.get("meters", []), strict=False):
            assert self.amount[meter, "primary"] == cents(shown), (record["seq"], meter)
            self.house[meter] = max(Fraction(), min(self.house[meter], cents(shown)))
        day["closing"] = dict(self.amount)
        day["house"] = dict(self.house)
        day["owed"] = sum(self._due(made) for made in self.open.values())
        day["players"] = self.players()
        day["last_seq"] = record["seq"]

    def _newest(self) -> Any:  # noqa: ANN401 - JSON
        return self._terms[max(self._terms)]

    # --- terms and house money -----------------------------------------------------------------

    def _link_opened(self, day: Day, record: dict[str, Any], event: dict[str, Any]) -> None:
        self._terms[event["terms_version"]] = event["terms"]
        for bet in event["terms"]["bets"]:
            for meter in bet.get("meters", []):
                if (meter["id"], "primary") not in self.amount:
                    put = Fraction(meter.get("initial_cents", 0))
                    self.amount[meter["id"], "primary"] = Fraction()
                    self._move(day, meter["id"], "primary", "house_initial", put)
                    self.house[meter["id"]] += put

    _terms_changed = _link_opened

    # --- rounds --------------------------------------------------------------------------------

    def _wagers_registered(self, day: Day, record: dict[str, Any], event: dict[str, Any]) -> None:
        wagers = event["wagers"]
        if plain := event.get("plain"):
            bet, each, seats, _ = plain
            wagers = [{"bet": bet, "amount_cents": each} for _ in seats]
        staked: dict[str, Fraction] = defaultdict(Fraction)
        hour = self.hour_of(record["at"])
        for wager in wagers:
            cell = day["cells"][hour, event["table"], wager["bet"]]
            tender = wager.get("tender", "chip")
            cell[f"{tender}s"] += 1
            cell[f"{tender}_cents"] += wager["amount_cents"]
            staked[wager["bet"]] += wager["amount_cents"]
        put: dict[tuple[str, str], Fraction] = defaultdict(Fraction)
        for bet, stake in staked.items():
            cell = day["cells"][hour, event["table"], bet]
            cell["rounds"] += 1
            cell["registered_cents"] += stake
            for meter in self._meters(event["terms_version"], bet):
                primary = stake * meter["rate_ppm"] / 1_000_000
                limit = meter.get("limit_cents", 0)
                room = limit - self.amount[meter["id"], "primary"] if limit else primary
                above = max(Fraction(), primary - max(Fraction(), room))
                put[meter["id"], "primary"] += primary - above
                put[meter["id"], "overflow"] += above
                put[meter["id"], "reset"] += stake * meter.get("reset_rate_ppm", 0) / 1_000_000
                cell["to_meters"] += (
                    stake * (meter["rate_ppm"] + meter.get("reset_rate_ppm", 0)) / 1_000_000
                )
        for (meter, part), amount in put.items():
            self._move(day, meter, part, "contributions", amount)
        self._locked[event["table"]] = (staked, put, len(wagers), wagers)

    def _round_voided(self, day: Day, record: dict[str, Any], event: dict[str, Any]) -> None:
        staked, put, _, wagers = self._locked.pop(event["table"])
        hour = self.hour_of(record["at"])
        for bet, stake in staked.items():
            cell = day["cells"][hour, event["table"], bet]
            cell["voided_cents"] += stake
            cell["voided"] += sum(wager["bet"] == bet for wager in wagers)
            meters = {m["id"] for terms in self._terms.values() for b in terms["bets"]
                      if b["id"] == bet for m in b.get("meters", [])}  # fmt: skip
            for (meter, part), amount in put.items():
                if meter in meters:
                    back = min(amount, self.amount[meter, part])
                    cell["to_meters"] -= back
                    self._move(day, meter, part, "void_contra", -back)

    # --- awards --------------------------------------------------------------------------------

    def _due(self, made: dict[str, Any]) -> int:
        worth = made["amount_cents"] + made.get("bonus_cents", 0) - made.get("paid_before_cents", 0)
        return max(0, int(worth))

    def _round_settled(self, day: Day, record: dict[str, Any], event: dict[str, Any]) -> None:
        if event["type"] == "round_settled":
            self._locked.pop(event["table"], None)
        for made in event.get("awards", []):
            made = made | {"table": event["table"], "at": record["at"], "seq": record["seq"]}
            self._made[made["award"]] = made
            if meter := made.get("meter"):
                assert self.amount[meter, "primary"] == cents(made["meter_before"])
                made["house_before"] = self.house[meter]
                self._take(day, made)
                day["meter_awards"][made["bet"]] += made["amount_cents"]
                day["hits"][made["bet"]] += 1
                assert self.amount[meter, "primary"] == cents(made["meter_after"])
            else:
                cell = day["cells"][self.hour_of(record["at"]), event["table"], made["bet"]]
                cell["fixed_awards"] += 1
                cell["fixed_cents"] += self._due(made)
                cell["returned_cents"] += made.get("stake_returned_cents", 0)
            day["returned"] += made.get("stake_returned_cents", 0)
            if made["status"] == "payable":
                day["paid_out"] += self._due(made)
                rack = day["rack"][event["table"], made["bet"], made["line"]]
                rack[0] += 1
                rack[1] += self._due(made)
            else:
                self.open[made["award"]] = made
                made["times"] = {}
                day["made"].append(made)
                day["register"][made["award"]]["awarded"] += self._due(made)

    _settled_early = _round_settled

    def _take(self, day: Day, made: dict[str, Any]) -> None:
        meter, worth = made["meter"], Fraction(made["amount_cents"])
        made["house_part"] = self._share(made["house_before"], cents(made["meter_before"]), worth)
        funded, given = Fraction(made.get("funded_cents", 0)), cents(made.get("from_reset", 0))
        waited = cents(made.get("from_overflow", 0))
        self._move(day, meter, "primary", "awards", -worth)
        self._move(day, meter, "primary", "house_reset", funded)
        self._move(day, meter, "primary", "reserve_moved", given)
        self._move(day, meter, "reset", "reserve_moved", -given)
        self._move(day, meter, "primary", "overflow_moved", waited)
        self._move(day, meter, "overflow", "overflow_moved", -waited)
        self.house[meter] += funded - made["house_part"]

    def _share(self, house: Fraction, before: Fraction, worth: Fraction) -> Fraction:
        """Pro rata, to the microcent, half up."""
        if not before:
            return Fraction()
        exact = worth * house / before * 1_000_000
        return Fraction((exact + Fraction(1, 2)).__floor__(), 1_000_000)

    def _award_voided(self, day: Day, record: dict[str, Any], event: dict[str, Any]) -> None:
        voided = self.open.pop(event["award"])
        voided["void"] = True
        self._step(day, voided, voided_at=record["at"])
        day["voided"].append(voided)
        day["register"][voided["award"]]["voided"] += self._due(voided)
        day["returned"] -= voided.get("stake_returned_cents", 0)
        meter = voided.get("meter")
        if meter is None:
            return
        day["meter_awards"][voided["bet"]] -= voided["amount_cents"]
        day["hits"][voided["bet"]] -= 1
        round_awards = [
            made for made in self._made.values()
            if made["seq"] == voided["seq"] and made.get("meter") == meter
        ]  # fmt: skip
        was = self._walked(
            round_awards[0]["house_before"],
            [m for m in round_awards if m is voided or not m.get("void")],
        )
        back = Fraction(voided["amount_cents"])
        for change in event["changes"]:
            made = self._made[change["award"]]
            back -= change["amount_cents"] - made["amount_cents"]
            day["meter_awards"][made["bet"]] += change["amount_cents"] - made["amount_cents"]
            due = self._due(made)
            made |= {key: value for key, value in change.items() if key != "award"}
            for name in ("validated_at", "approved_first_at", "approved_at"):
                made["times"].pop(name, None)
            self._step(day, made)
            day["register"][made["award"]]["resettled"] += self._due(made) - due
        would_be = self._walked(
            round_awards[0]["house_before"], [m for m in round_awards if not m.get("void")]
        )
        house = -cents(event["money"].get("funding", 0))
        for _meter, _primary, reset, overflow in event["flows"]:
            self._move(day, meter, "primary", "award_void_back", back)
            self._move(day, meter, "primary", "house_reset", house)
            self._move(day, meter, "primary", "reserve_moved", -cents(reset))
            self._move(day, meter, "reset", "reserve_moved", cents(reset))
            self._move(day, meter, "primary", "overflow_moved", -cents(overflow))
            self._move(day, meter, "overflow", "overflow_moved", cents(overflow))
        self.house[meter] += would_be - was

    def _walked(self, house: Fraction, awards: list[dict[str, Any]]) -> Fraction:
        for made in awards:
            before, worth = cents(made["meter_before"]), Fraction(made["amount_cents"])
            made["house_part"] = self._share(house, before, worth)
            house += made.get("funded_cents", 0) - made["house_part"]
        return house

    def _step(self, day: Day, made: dict[str, Any], **times: str | None) -> None:
        made["times"] |= times
        day["times"][made["award"]] = dict(made["times"])

    def _award_validated(self, day: Day, record: dict[str, Any], event: dict[str, Any]) -> None:
        self._step(day, self.open[event["award"]], validated_at=record["at"])

    def _payment_approved(self, day: Day, record: dict[str, Any], event: dict[str, Any]) -> None:
        made = self.open[event["award"]]
        first = made["times"].get("approved_first_at", record["at"])
        self._step(day, made, approved_first_at=first, approved_at=record["at"])

    def _void_proposed(self, day: Day, record: dict[str, Any], event: dict[str, Any]) -> None:
        self._step(day, self.open[event["award"]], void_proposed_at=record["at"])

    def _void_withdrawn(self, day: Day, record: dict[str, Any], event: dict[str, Any]) -> None:
        self._step(day, self.open[event["award"]], void_proposed_at=None)

    def _award_paid(self, day: Day, record: dict[str, Any], event: dict[str, Any]) -> None:
        made = self.open.pop(event["award"])
        assert event["cents"] == self._due(made)
        self._step(day, made, paid_at=record["at"])
        day["paid"].append(made | {"document": event["document"], "paid": event["cents"]})
        day["paid_out"] += event["cents"]

    def _round_validated(self, day: Day, record: dict[str, Any], event: dict[str, Any]) -> None:
        for name in event["awards"]:
            made = self.open.pop(name)
            self._step(day, made, validated_at=record["at"], paid_at=record["at"])
            day["paid"].append(made | {"document": None, "paid": self._due(made)})
            day["paid_out"] += self._due(made)

    # --- corrections ---------------------------------------------------------------------------

    def _correction_proposed(self, day: Day, record: dict[str, Any], event: dict[str, Any]) -> None:
        self._corrections[event["correction"]] = event["legs"]

    def _correction_approved(self, day: Day, record: dict[str, Any], event: dict[str, Any]) -> None:
        legs = self._corrections.pop(event["correction"])
        cause = "corrections" if sum(leg[2] for leg in legs) else "transfers"
        for meter, part, amount in legs:
            self._move(day, meter, part, cause, cents(amount))
