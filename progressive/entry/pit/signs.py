"""The signs as consoles see them: who is there, what each says it shows, how far it is behind."""

from collections.abc import Callable, Mapping
from typing import Final

from progressive.application.floor.watch import SignLag, SignSight
from progressive.application.signs.desk import SignDesk
from progressive.application.signs.reports import IMPOSSIBLE
from progressive.domain.ids import LinkId
from progressive.domain.rulebook.rules import FloorRules
from progressive.domain.views import LinkView
from progressive.live.hub import Hub
from progressive.wire.pit import SignRow

AGE_STEP_SECONDS: Final = 5
_REPORTS_WITHIN: Final = 10
"""A sign that keeps to the agreed pace is never silent for longer."""
_UNSEEN: Final = SignLag("unseen", 0, 0)


class FloorSigns:
    """Gathers what desk, hubs and keys know of the signs in the floor file."""

    def __init__(
        self,
        rules: FloorRules,
        *,
        desk: SignDesk,
        hubs: Mapping[LinkId, Hub[LinkView]],
        keyed: Callable[[str], bool],
        log_problem: Callable[[], str | None],
        keys_problem: Callable[[], str | None],
    ) -> None:
        self._signs = rules.signs
        self._desk = desk
        self._hubs = hubs
        self._keyed = keyed
        self.log_problem = log_problem
        self.keys_problem = keys_problem

    def sights(self) -> list[SignSight]:
        """All signs, as the watch wants them."""
        self._desk.look()
        showing = self._showing()
        sights = []
        for sign in self._signs:
            word = self._desk.word(sign.id)
            connected = self._desk.present(sign.id)
            sights.append(
                SignSight(
                    sign=sign.id,
                    link=sign.link,
                    connected=connected,
                    showing_seq=showing.get(sign.id, 0),
                    shows=None if word is None else word.entry.state.removeprefix(IMPOSSIBLE),
                    silent_seconds=self._desk.silent_seconds(sign.id) if connected else None,
                    impossible=self._desk.impossible(sign.id),
                )
            )
        return sights

    def rows(self, lags: Mapping[str, SignLag]) -> dict[str, SignRow]:
        """All signs, as consoles show them."""
        rows: dict[str, SignRow] = {}
        for sign in self._signs:
            lag = lags.get(sign.id, _UNSEEN)
            word = self._desk.word(sign.id)
            rows[sign.id] = SignRow(
                id=sign.id,
                link=sign.link,
                connected=self._desk.present(sign.id),
                state=lag.state,
                lag_records=lag.records,
                lag_seconds=lag.seconds,
                name=sign.name,
                shows=None if word is None else word.entry.state.removeprefix(IMPOSSIBLE),
                report_age_seconds=_stepped(self._desk.silent_seconds(sign.id)),
                relayed=self._desk.relayed(sign.id),
                keyed=self._keyed(sign.id),
                why=lag.why,
            )
        return rows

    def lag_records(self, link: LinkId, seq: int) -> int:
        """Records between the journal and the sign furthest behind that reports."""
        shown = [box.showing_seq for box in self._hubs[link].outboxes if box.showing_seq]
        for sign in self._signs:
            word = self._desk.word(sign.id)
            if sign.link == link and word is not None and self._desk.relayed(sign.id):
                shown.append(word.entry.seq)
        return max(0, seq - min(shown)) if shown else 0

    def present(self, link: LinkId) -> int:
        """Signs of the floor file that are there, behind relays too."""
        return sum(self._desk.present(sign.id) for sign in self._signs if sign.link == link)

    def _showing(self) -> dict[str, int]:
        """What each sign says it shows; of two with one name, the one behind."""
        showing: dict[str, int] = {}
        links: dict[str, LinkId] = {sign.id: sign.link for sign in self._signs}
        for link, hub in self._hubs.items():
            for box in hub.outboxes:
                if links.get(box.sign) == link:
                    seq = box.showing_seq
                    showing[box.sign] = min(showing.get(box.sign, seq), seq)
        for sign in self._signs:
            word = self._desk.word(sign.id)
            if word is not None and self._desk.relayed(sign.id):
                showing[sign.id] = word.entry.seq
        return showing


def _stepped(silent_seconds: float | None) -> int | None:
    if silent_seconds is None:
        return None
    if silent_seconds < _REPORTS_WITHIN:
        return 0
    step = AGE_STEP_SECONDS if silent_seconds < 60 else 60
    return int(silent_seconds) // step * step
