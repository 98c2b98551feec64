"""A floor with jackpots in a notebook: plain arithmetic in fractions of a cent.

Written from the rule texts and not from the program, of which it imports nothing. One bet on one
meter, paytable 1 of Blazing 7's, and a Buster bet at $10 beside it.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor

WAGER, BUSTER = 500, 1_000
RATE, RESET_RATE = Fraction(123_457, 10**6), Fraction(10_001, 10**6)
RESET, LIMIT = 5_000, 5_060
RACK_LIMIT = 1_500
STEPS = ((4_000, 2), (500, 1))
FOR_ONE = {"mixed": 200, "pair": 25, "one": 2}
PERCENT = {"whole": 100, "tenth": 10}


@dataclass(frozen=True)
class House:
    """What a floor may choose."""

    order: str
    rounding: str
    overflow_stays: bool
    limited: bool
    initial: int


@dataclass(frozen=True)
class Amounts:
    shown: Fraction
    hidden: Fraction
    over: Fraction

    def parts(self) -> tuple[Fraction, Fraction, Fraction]:
        return self.shown, self.hidden, self.over


@dataclass(frozen=True)
class Step:
    """One winner's turn at the meter."""

    cents: int
    found: Fraction
    left: Fraction


@dataclass
class Prize:
    """One award, from the table to the cage."""

    seat: int
    hand: str
    amount: int
    stake_back: int = 0
    early: int = 0
    """Of the amount: paid before the peek."""
    status: str = "pending"
    doubted: bool = False
    approvals: int = 0
    document: str | None = None

    @property
    def due(self) -> int:
        return max(0, self.amount - self.early)

    @property
    def needs(self) -> int:
        return next((people for cents, people in STEPS if self.due >= cents), 0)

    @property
    def open(self) -> bool:
        return self.status in ("pending", "validated")


@dataclass
class Won:
    """A settled round: the meter as it found it, and its prizes by their names."""

    before: Amounts
    prizes: dict[str, Prize] = field(default_factory=dict)

    def of_meter(self) -> list[str]:
        return [name for name, prize in self.prizes.items() if prize.hand in PERCENT]

    def standing(self) -> list[str]:
        return [name for name in self.of_meter() if self.prizes[name].status != "void"]


@dataclass
class Round:
    """An open round at a table."""

    name: str
    seats: dict[int, bool]
    """Lit seats, and whether a Buster bet stands beside the side bet."""
    put: tuple[Fraction, Fraction, Fraction]
    early: dict[int, str] = field(default_factory=dict)


class Floor:
    def __init__(self, house: House) -> None:
        self.house = house
        self.meter = Amounts(Fraction(house.initial), Fraction(0), Fraction(0))
        self.wagered = self.refunded = self.paid = self.returned = 0
        self.hold = self.corrected = Fraction(0)
        self.funded = Fraction(house.initial)
        self.open: dict[str, Round] = {}
        self.rounds: list[Won] = []
        self.documents = 0

    # --- rounds ------------------------------------------------------------------------------

    def lock(self, table: str, name: str, seats: dict[int, bool]) -> None:
        on_meter = len(seats) * WAGER
        cents = on_meter + sum(seats.values()) * BUSTER
        shown, hidden, over = on_meter * RATE, on_meter * RESET_RATE, Fraction(0)
        if self.house.limited:
            room = max(Fraction(0), LIMIT - self.meter.shown)
            shown, over = min(shown, room), shown - min(shown, room)
        self.open[table] = Round(name, seats, (shown, hidden, over))
        self._add(shown, hidden, over)
        self.wagered += cents
        self.hold += cents - shown - hidden - over

    def misdeal(self, table: str) -> None:
        gone = self.open.pop(table)
        cents = len(gone.seats) * WAGER + sum(gone.seats.values()) * BUSTER
        # What has been won elsewhere since cannot be taken back: the house bears it.
        back = [min(put, there) for put, there in zip(gone.put, self.meter.parts(), strict=True)]
        self._add(*(-amount for amount in back))
        self.refunded += cents
        self.hold -= cents - sum(back)

    def early(self, table: str, hands: dict[int, str]) -> None:
        """Pairs and single sevens, paid from the rack before the peek."""
        self.open[table].early = hands
        cents = sum(FOR_ONE[hand] * WAGER for hand in hands.values())
        self.paid += cents
        self.hold -= cents

    def settle(self, table: str, hands: dict[int, str], *, bust: bool, seq: int) -> Won:
        """The round's prizes, named and in the order of payment."""
        over = self.open.pop(table)
        won = Won(self.meter)
        seats = sorted(over.seats, reverse=self.house.order != "clockwise")
        winners = [seat for seat in seats if hands[seat] in PERCENT]
        steps, after, resets = self._take(self.meter, [PERCENT[hands[seat]] for seat in winners])
        taking = {seat: step.cents for seat, step in zip(winners, steps, strict=True)}
        for seat in seats:
            hand, before = hands[seat], over.early.get(seat)
            if hand == "nothing" or hand == before:
                continue
            amount = taking[seat] if seat in taking else FOR_ONE[hand] * WAGER
            early = FOR_ONE[before] * WAGER if before else 0
            self._award(won, seq, Prize(seat, hand, amount, early=early))
        for seat in seats:
            if bust and over.seats[seat]:
                self._award(won, seq, Prize(seat, "bust", 2 * BUSTER, stake_back=BUSTER))
        self.meter = after
        self.funded += resets * RESET
        self.rounds.append(won)
        return won

    def _award(self, won: Won, seq: int, prize: Prize) -> None:
        won.prizes[f"main.{seq}.{len(won.prizes) + 1}"] = prize
        self.hold -= prize.due + prize.stake_back
        self.returned += prize.stake_back
        if prize.hand in PERCENT:
            self.hold += prize.amount
        elif prize.due < RACK_LIMIT:
            prize.status = "rack"
            self.paid += prize.due

    # --- the meter ---------------------------------------------------------------------------

    def _add(self, shown: Fraction, hidden: Fraction, over: Fraction) -> None:
        now = self.meter
        self.meter = Amounts(now.shown + shown, now.hidden + hidden, now.over + over)

    def _take(self, meter: Amounts, percents: list[int]) -> tuple[list[Step], Amounts, int]:
        """What winners of these shares get, the meter after them, and how often it was reset."""
        at_once = self.house.order == "equal_share"
        parts, reading = max(100, sum(percents)), meter.shown
        steps, resets = [], 0
        for number, percent in enumerate(percents, 1):
            if at_once:
                cents = floor(reading * percent / parts)
            else:
                cents = floor(meter.shown) if percent == 100 else self._tenth(meter.shown)
            found = meter.shown
            meter = Amounts(meter.shown - cents, meter.hidden, meter.over)
            last_of_all = number == len(percents) and 100 in percents
            if last_of_all if at_once else percent == 100:
                meter, resets = self._reset(meter), resets + 1
            steps.append(Step(cents, found, meter.shown))
        return steps, meter, resets

    def _tenth(self, shown: Fraction) -> int:
        tenth = shown / 10
        cents = {
            "nearest": floor(tenth + Fraction(1, 2)),
            "down": floor(tenth),
            "up": ceil(tenth),
        }[self.house.rounding]
        return min(cents, floor(shown))

    def _reset(self, left: Amounts) -> Amounts:
        shown, over = left.shown + RESET + left.hidden, left.over
        if not self.house.overflow_stays:
            shown, over = shown + over, Fraction(0)
        above = max(Fraction(0), shown - LIMIT) if self.house.limited else Fraction(0)
        return Amounts(shown - above, Fraction(0), over + above)

    # --- people ------------------------------------------------------------------------------

    def find(self, name: str) -> tuple[Won, Prize]:
        return next((won, won.prizes[name]) for won in self.rounds if name in won.prizes)

    def names(self) -> list[str]:
        """Every prize that people have to do with."""
        return [
            name
            for won in self.rounds
            for name, prize in won.prizes.items()
            if prize.status != "rack"
        ]

    def pay(self, name: str, document: str | None) -> None:
        _, prize = self.find(name)
        if document is None:
            self.documents += 1
            document = f"main-P{self.documents:06}"
        prize.status, prize.document = "paid", document
        self.paid += prize.due

    def too_late(self, name: str) -> bool:
        """Whether somebody whose prize a void would change has been paid."""
        won, prize = self.find(name)
        if prize.hand not in PERCENT:
            return False
        others = won.standing()
        if self.house.order != "equal_share":
            others = others[others.index(name) + 1 :]
        return any(won.prizes[other].status == "paid" for other in others)

    def void(self, name: str) -> None:
        won, prize = self.find(name)
        if prize.hand not in PERCENT:
            prize.status = "void"
            self.hold += prize.due + prize.stake_back
            self.returned -= prize.stake_back
            return
        behind = won.standing()
        steps, was, resets_before = self._settled_anew(won)
        had = dict(zip(behind, steps, strict=True))
        self.hold -= prize.amount - prize.due
        prize.status = "void"
        steps, would_be, resets = self._settled_anew(won)
        for other, step in zip(won.standing(), steps, strict=True):
            if step != had[other]:
                self._change(won.prizes[other], step.cents)
        self._join(was, would_be)
        self.funded -= (resets_before - resets) * RESET

    def _settled_anew(self, won: Won) -> tuple[list[Step], Amounts, int]:
        return self._take(won.before, [PERCENT[won.prizes[name].hand] for name in won.standing()])

    def _change(self, prize: Prize, amount: int) -> None:
        """Whoever is owed otherwise is looked at anew."""
        self.hold -= prize.amount - prize.due
        prize.amount = amount
        self.hold += prize.amount - prize.due
        prize.status, prize.approvals = "pending", 0

    def _join(self, was: Amounts, would_be: Amounts) -> None:
        """The difference comes onto the meter as it stands; what is not there, the house bears."""
        moved = []
        pairs = zip(was.parts(), would_be.parts(), self.meter.parts(), strict=True)
        for before, after, there in pairs:
            change = max(after - before, -there)
            self.funded += change - (after - before)
            moved.append(change)
        shown, hidden, over = moved
        if self.house.limited and shown > 0:
            above = min(shown, max(Fraction(0), self.meter.shown + shown - LIMIT))
            shown, over = shown - above, over + above
        self._add(shown, hidden, over)

    def correct(self, part: str, cents: Fraction) -> bool:
        """Whether a correction can be made; it then is."""
        stands = dict(zip(("primary", "reset", "overflow"), self.meter.parts(), strict=True))
        after = stands[part] + cents
        if after < 0:
            return False
        if part == "primary" and self.house.limited and cents > 0 and after > LIMIT:
            return False
        self._add(*(cents if each == part else Fraction(0) for each in stands))
        self.corrected += cents
        return True

    # --- what the books must say -------------------------------------------------------------

    def owed(self) -> int:
        return sum(p.due for won in self.rounds for p in won.prizes.values() if p.open)

    def books(self) -> dict[tuple[str, str], Fraction]:
        """Every account, money put in with a minus."""
        return {
            ("primary", "progressive"): self.meter.shown,
            ("reset", "progressive"): self.meter.hidden,
            ("overflow", "progressive"): self.meter.over,
            ("wagers", "chip"): Fraction(-self.wagered),
            ("refunds", "chip"): Fraction(self.refunded),
            ("hold", ""): self.hold,
            ("funding", ""): -self.funded,
            ("pending", ""): Fraction(self.owed()),
            ("paid", ""): Fraction(self.paid),
            ("returned", ""): Fraction(self.returned),
            ("corrections", ""): -self.corrected,
        }
