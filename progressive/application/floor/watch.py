"""Looks at the floor every second: who is lost, who is behind, what is about to run out.

Given what there is to see and the time, it does the rest alone: no clock, no sockets, no disk.
"""

from collections import deque
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from progressive.application.floor.alarms import AlarmBook
from progressive.domain.alarms import AlarmKind

LOST_SECONDS: Final = 10.0
"""A table or sign that is away for longer is lost; one with a round open is at once."""
BEHIND_SECONDS: Final = 10.0
"""A sign reports what it shows about once a second; behind for longer it is stale."""
SILENT_SECONDS: Final = 15.0
"""A sign that reports does so every 5 s at the least."""
SAID_OLD_SECONDS: Final = 3.0
SHOWS_OLD: Final = frozenset(("stale", "offline"))
"""What a sign says of itself when its amounts are old; `inoperable` is the link's own alarm."""
SAMPLES_KEPT: Final = 600
DISK: Final = "data"
SIGNS: Final = "signs"
CLOCK: Final = "clock"


class TableSight(Struct, frozen=True):
    """A table as it is now."""

    table: str
    link: str
    connected: bool
    round_open: bool
    last_seq: int


class SignSight(Struct, frozen=True):
    """A sign as it is now."""

    sign: str
    link: str
    connected: bool
    showing_seq: int
    """0 while it has not said."""
    shows: str | None = None
    """What it says itself about its amounts: `live`, `ageing`, `stale` and so on."""
    silent_seconds: float | None = None
    """How old its last report is; None where it has not said anything."""
    impossible: str = ""
    """Why its last report cannot be true; empty where it can."""


class LinkSight(Struct, frozen=True):
    """A link as it is now."""

    link: str
    state: str
    reason: str | None
    seq: int


class GuardSight(Struct, frozen=True, kw_only=True):
    """What guards the journal, as it is now."""

    clock_behind: str | None = None
    """How far the clock is behind the journal; None while it is not."""
    clock_set: str | None = None
    """How somebody set the clock forward last."""
    not_remembered: str | None = None
    """Why what was committed is not remembered outside the journal; None while it is."""
    not_archived: str | None = None
    """Why older records do not move into segments; None while they do."""
    not_verified: str | None = None
    """Why the past of the journals is not proved, where no link says so; None while it is."""
    not_sealed: str | None = None
    """Why the journals are not sealed, though they should be; None while they are."""
    not_witnessed: str | None = None
    """Which witnesses disagree with the journals, or have been silent for long."""


class DaySight(Struct, frozen=True):
    """How the gaming days of a link stand, at the last look into the books."""

    link: str
    overdue: str = ""
    """Which day should be closed and is not; empty where none is late."""
    difference: str = ""
    """What does not add up; empty where all does."""


class Sight(Struct, frozen=True, kw_only=True):
    """All there is to see at one moment."""

    at: str
    monotonic: float
    links: Sequence[LinkSight]
    tables: Sequence[TableSight]
    signs: Sequence[SignSight]
    disk_free_bytes: int | None = None
    sign_log_problem: str | None = None
    """Why it is not kept what the signs read; None while it is."""
    guard: GuardSight = GuardSight()
    days: Sequence[DaySight] = ()
    sign_keys_problem: str | None = None
    """What is wrong with the signs' keys; None while all is well."""


class SignLag(Struct, frozen=True):
    """How far a sign is behind."""

    state: str
    """`live`, `behind`, `wrong` where it reports what cannot be, `gone`, or `unseen` where it was
    never here since the start."""
    records: int
    seconds: int
    why: str = ""
    """Where something is wrong."""


class _Presence:
    """Whether something was ever here, and since when it is not."""

    __slots__ = ("gone_since", "seen")

    def __init__(self) -> None:
        self.seen = False
        self.gone_since: float | None = None

    def note(self, connected: bool, now: float) -> float:
        """Seconds that it has been away; 0 while it is here."""
        if connected:
            self.seen, self.gone_since = True, None
            return 0.0
        if self.gone_since is None:
            self.gone_since = now
        return now - self.gone_since


class FloorWatch:
    """Keeps what it takes to tell a hiccup from a loss."""

    def __init__(self, book: AlarmBook, *, disk_low_bytes: int) -> None:
        self._book = book
        self._disk_low_bytes = disk_low_bytes
        self._tables: dict[str, _Presence] = {}
        self._signs: dict[str, _Presence] = {}
        self._said_old: dict[str, float] = {}
        self._numbers: dict[str, int] = {}
        self._reached: dict[str, deque[tuple[int, float]]] = {}
        self.last_at: dict[str, str] = {}
        """When a table's last accepted message was noticed."""
        self.lags: dict[str, SignLag] = {}
        self._clock_set: str | None = None

    def look(self, sight: Sight) -> None:
        """One look at the floor."""
        for link in sight.links:
            self._look_at_link(link, sight)
        for table in sight.tables:
            self._look_at_table(table, sight)
        records = {link.link: link.seq for link in sight.links}
        for sign in sight.signs:
            self._look_at_sign(sign, records.get(sign.link, 0), sight)
        self._look_at_disk(sight)
        problem = sight.sign_log_problem
        self._set(AlarmKind.SIGN_LOG, SIGNS, problem is not None, sight.at, problem or "")
        self._look_at_guard(sight.guard, sight.at)
        for days in sight.days:
            self._look_at_days(days, sight.at)
        problem = sight.sign_keys_problem
        self._set(AlarmKind.SIGN_KEYS, SIGNS, problem is not None, sight.at, problem or "")

    def _look_at_link(self, link: LinkSight, sight: Sight) -> None:
        reached = self._reached.setdefault(link.link, deque(maxlen=SAMPLES_KEPT))
        if not reached or reached[-1][0] != link.seq:
            reached.append((link.seq, sight.monotonic))
        down = link.state != "live"
        # Its journal may be what is broken: the acknowledgement goes to the act log.
        self._set(AlarmKind.LINK_INOPERABLE, link.link, down, sight.at, link.reason or link.state)

    def _look_at_table(self, table: TableSight, sight: Sight) -> None:
        if self._numbers.get(table.table, table.last_seq) != table.last_seq:
            self.last_at[table.table] = sight.at
        self._numbers[table.table] = table.last_seq
        presence = self._tables.setdefault(table.table, _Presence())
        away_seconds = presence.note(table.connected, sight.monotonic)
        # After a start nobody is here yet: a table with a round open has its time to come back.
        at_once = presence.seen and table.round_open
        lost = not table.connected and (
            at_once or ((presence.seen or table.round_open) and away_seconds > LOST_SECONDS)
        )
        what = "its round is open" if table.round_open else "no round is open"
        self._set(
            AlarmKind.TABLE_LOST, table.table, lost, sight.at, f"no contact; {what}", table.link
        )

    def _look_at_sign(self, sign: SignSight, seq: int, sight: Sight) -> None:
        presence = self._signs.setdefault(sign.sign, _Presence())
        away_seconds = presence.note(sign.connected, sight.monotonic)
        behind_seconds = self._behind_seconds(sign, sight.monotonic)
        why = self._amiss(sign, behind_seconds, sight.monotonic) if sign.connected else "no contact"
        state = "live" if sign.connected else "gone" if presence.seen else "unseen"
        impossible = sign.impossible if sign.connected else ""
        if impossible:
            state, why = "wrong", f"reports what cannot be: {impossible}"
        elif sign.connected and why:
            state = "behind"
        self.lags[sign.sign] = SignLag(
            state=state,
            records=max(0, seq - sign.showing_seq) if sign.showing_seq else 0,
            seconds=int(max(away_seconds if presence.seen else 0, behind_seconds)),
            why=why,
        )
        self._set(AlarmKind.SIGN_WRONG, sign.sign, bool(impossible), sight.at, why, sign.link)
        if impossible:
            return
        stale = presence.seen and (bool(why) if sign.connected else away_seconds > LOST_SECONDS)
        self._set(AlarmKind.SIGN_STALE, sign.sign, stale, sight.at, why, sign.link)

    def _amiss(self, sign: SignSight, behind_seconds: float, now: float) -> str:
        """What is wrong with a sign that is here; empty where nothing is."""
        if sign.shows not in SHOWS_OLD:
            self._said_old.pop(sign.sign, None)
        if behind_seconds > BEHIND_SECONDS:
            return "shows old amounts"
        if sign.silent_seconds is not None and sign.silent_seconds > SILENT_SECONDS:
            return "does not say what it shows"
        since = now
        if sign.shows in SHOWS_OLD:
            since = self._said_old.setdefault(sign.sign, now)
        # For a moment only: one that has just come back says what it showed until then.
        return f"says itself that it is {sign.shows}" if now - since > SAID_OLD_SECONDS else ""

    def _behind_seconds(self, sign: SignSight, now: float) -> float:
        """How long the journal has been ahead of what the sign says it shows."""
        if not sign.connected or not sign.showing_seq:
            return 0.0
        for seq, reached_at in self._reached.get(sign.link, ()):
            if seq > sign.showing_seq:
                return now - reached_at
        return 0.0

    def _look_at_disk(self, sight: Sight) -> None:
        if sight.disk_free_bytes is None:
            return
        low = sight.disk_free_bytes < self._disk_low_bytes
        free_mib = sight.disk_free_bytes // 2**20
        standing = self._book.standing(AlarmKind.DISK_LOW, DISK)
        if low and standing is not None and not standing.over:
            # The figure moves all the time; the alarm says how it began.
            return
        message = f"{free_mib:,} MiB are free where the journal is kept"
        self._set(AlarmKind.DISK_LOW, DISK, low, sight.at, message)

    def _look_at_days(self, days: DaySight, at: str) -> None:
        late, off = days.overdue, days.difference
        self._set(AlarmKind.DAY_NOT_CLOSED, days.link, bool(late), at, late, days.link)
        self._set(AlarmKind.DOES_NOT_RECONCILE, days.link, bool(off), at, off, days.link)

    def _look_at_guard(self, guard: GuardSight, at: str) -> None:
        problem = guard.not_remembered
        self._set(AlarmKind.NOT_REMEMBERED, DISK, problem is not None, at, problem or "")
        problem = guard.not_verified
        self._set(AlarmKind.NOT_VERIFIED, DISK, problem is not None, at, problem or "")
        problem = guard.not_archived
        self._set(AlarmKind.NOT_ARCHIVED, DISK, problem is not None, at, problem or "")
        problem = guard.not_sealed
        self._set(AlarmKind.NOT_SEALED, DISK, problem is not None, at, problem or "")
        problem = guard.not_witnessed
        self._set(AlarmKind.NOT_WITNESSED, DISK, problem is not None, at, problem or "")
        if guard.clock_set is not None and guard.clock_set != self._clock_set:
            self._clock_set = guard.clock_set
            self._book.raise_alarm(
                AlarmKind.CLOCK, CLOCK, at=at, message=guard.clock_set, lasts=False
            )
        behind = guard.clock_behind
        standing = self._book.standing(AlarmKind.CLOCK, CLOCK)
        if behind is not None and standing is not None and not standing.over:
            # The figure moves all the time; the alarm says how it began.
            return
        self._set(AlarmKind.CLOCK, CLOCK, behind is not None, at, behind or "")

    def _set(
        self,
        kind: AlarmKind,
        subject: str,
        wrong: bool,
        at: str,
        message: str,
        link: str | None = None,
    ) -> None:
        if wrong:
            self._book.raise_alarm(kind, subject, at=at, message=message, link=link)
        else:
            self._book.end(kind, subject, at=at)
