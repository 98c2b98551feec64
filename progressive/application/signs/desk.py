"""Who of the signs is there, and what each says it shows, whether it came itself or by a relay.

What it hears goes to the sign log, of each sign so many entries a second, whoever speaks for it and
through however many sockets. It holds one report a sign, and nothing of signs that the floor file
does not name: their reports could be anybody's.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from msgspec import Struct

from progressive.application.clock import Clock
from progressive.application.signs.plausible import POSSIBLE, ShownByLink, Verdict
from progressive.application.signs.ports import SignLog
from progressive.application.signs.reports import IMPOSSIBLE, Glass, SignEntry, milliseconds
from progressive.common.token_bucket import TokenBucket
from progressive.domain.views import LinkView

RELAYED_SECONDS: Final = 15.0
"""A sign behind a relay is there while its last report is younger than this."""
AGE_MS_MAX: Final = 24 * 3600 * 1000
PASSES_SECONDS: Final = 3.0
"""Digits that come from an old amount have arrived by then."""
REPORTS_A_SECOND: Final = 2.0
REPORT_BURST: Final = 10.0
"""Of one sign, by whatever way: one a second is agreed, and two screens may have one name."""
ARRIVALS_A_SECOND: Final = 0.2
ARRIVAL_BURST: Final = 20.0
"""How often it is written down that one sign came or went. Beyond that somebody plays with it."""


class SignPlace(Struct, frozen=True):
    """Where a sign belongs."""

    link: str
    meters: frozenset[str]
    """Of its link: others cannot be on its glass."""


class SignWord(Struct, frozen=True):
    """The last report of a sign."""

    entry: SignEntry
    said: float
    """By the monotonic clock, less the time it was under way."""
    verdict: Verdict = POSSIBLE


class SignDesk:
    """The signs of the floor file."""

    def __init__(
        self,
        places: Mapping[str, SignPlace],
        log: SignLog,
        clock: Clock,
        *,
        keyed: Callable[[str], bool] = lambda _: False,
    ) -> None:
        """`keyed`: whether a sign is spoken for only by who shows its key."""
        self._places = places
        self._log = log
        self._clock = clock
        self._keyed = keyed
        self._shown = {place.link: ShownByLink() for place in places.values()}
        self._strange_since: dict[str, float] = {}
        now = clock.monotonic()
        self._reports = {
            sign: TokenBucket(REPORT_BURST, a_second=REPORTS_A_SECOND, now=now) for sign in places
        }
        self._arrivals = {
            sign: TokenBucket(ARRIVAL_BURST, a_second=ARRIVALS_A_SECOND, now=now) for sign in places
        }
        self._sockets = dict.fromkeys(places, 0)
        self._words: dict[str, SignWord] = {}
        self._present: set[str] = set()
        self.refused = 0
        """Reports, arrivals and departures that were too many, since the start."""

    def came(self, sign: str) -> None:
        """It has opened a socket of its own."""
        if sign in self._places:
            self._sockets[sign] += 1
            self._arrive(sign)

    def left(self, sign: str) -> None:
        """It has closed one."""
        if sign in self._places:
            self._sockets[sign] = max(0, self._sockets[sign] - 1)
            if not self._sockets[sign]:
                self._leave(sign)

    def shown(self, view: LinkView) -> None:
        """What the signs of a link have to show from now on. Called for every batch."""
        if (shown := self._shown.get(view.link)) is not None:
            shown.note(view, self._clock.monotonic())

    def heard(
        self,
        sign: str,
        *,
        epoch: int,
        seq: int,
        state: str,
        glass: Iterable[Glass],
        age_ms: int = 0,
    ) -> None:
        """What it says can be read on it, or could be so long ago."""
        place = self._places.get(sign)
        if place is None or not self._may(self._reports[sign]):
            return
        age_ms = min(max(age_ms, 0), AGE_MS_MAX)
        now = self._clock.monotonic()
        read = tuple([each for each in glass if each.meter in place.meters])
        verdict = self._shown[place.link].verdict(
            epoch=epoch, seq=seq, state=state, glass=read, now=now
        )
        if verdict.may_pass:
            self._strange_since.setdefault(sign, now)
        else:
            self._strange_since.pop(sign, None)
        entry = SignEntry(
            at_ms=milliseconds(self._clock.now()) - age_ms,
            epoch=epoch,
            seq=seq,
            state=f"{IMPOSSIBLE}{state}" if self._cannot_be(sign, verdict) else state,
            glass=read,
        )
        word = SignWord(entry, now - age_ms / 1000, verdict)
        known = self._words.get(sign)
        if known is None or word.said >= known.said:
            self._words[sign] = word
        if sign not in self._present and self._here(sign):
            self._arrive(sign, at_ms=entry.at_ms)
        self._log.note(sign, place.link, entry, keyed=self._keyed(sign))

    def look(self) -> None:
        """Every second: those behind relays that have fallen silent are gone."""
        for sign in [sign for sign in self._present if not self._here(sign)]:
            self._leave(sign)

    def close(self) -> None:
        """The service stops: nothing more is known of anyone."""
        self._sockets = dict.fromkeys(self._sockets, 0)
        for sign in list(self._present):
            self._leave(sign)

    def present(self, sign: str) -> bool:
        """Whether it is there."""
        return sign in self._present

    def relayed(self, sign: str) -> bool:
        """Whether only a relay tells of it."""
        return sign in self._present and not self._sockets[sign]

    def word(self, sign: str) -> SignWord | None:
        """What it said last, since the start."""
        return self._words.get(sign)

    def impossible(self, sign: str) -> str:
        """Why what it said last cannot be true; empty where it can."""
        word = self._words.get(sign)
        return word.verdict.why if word is not None and self._cannot_be(sign, word.verdict) else ""

    def _cannot_be(self, sign: str, verdict: Verdict) -> bool:
        if not verdict.why:
            return False
        since = self._strange_since.get(sign)
        passes = verdict.may_pass and since is not None
        return not (passes and self._clock.monotonic() - (since or 0.0) <= PASSES_SECONDS)

    def silent_seconds(self, sign: str) -> float | None:
        """How old its last report is; None where it has not said anything."""
        word = self._words.get(sign)
        return None if word is None else max(0.0, self._clock.monotonic() - word.said)

    def _here(self, sign: str) -> bool:
        if self._sockets[sign]:
            return True
        silent = self.silent_seconds(sign)
        return silent is not None and silent < RELAYED_SECONDS

    def _arrive(self, sign: str, *, at_ms: int | None = None) -> None:
        if sign not in self._present:
            self._present.add(sign)
            self._note(sign, SignEntry(self._now_ms() if at_ms is None else at_ms, "connected"))

    def _leave(self, sign: str) -> None:
        if sign in self._present and not self._sockets[sign]:
            self._present.discard(sign)
            self._note(sign, SignEntry(self._now_ms(), "gone"))

    def _note(self, sign: str, entry: SignEntry) -> None:
        if self._may(self._arrivals[sign]):
            self._log.note(sign, self._places[sign].link, entry, keyed=self._keyed(sign))

    def _may(self, allowance: TokenBucket) -> bool:
        allowance.fill_until(self._clock.monotonic())
        if allowance.take():
            return True
        self.refused += 1
        return False

    def _now_ms(self) -> int:
        return milliseconds(self._clock.now())
