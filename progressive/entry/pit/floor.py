"""What the pit console shows, gathered from links, tables, signs, the act log and the disk.

Reads only what is there already; the money path does not know that it is looked at.
"""

import contextlib
import shutil
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Final

from progressive.application.clock import Clock
from progressive.application.floor.alarms import AlarmBook
from progressive.application.floor.alarms_of_accounts import AlarmsOfAccounts
from progressive.application.floor.alarms_of_acts import AlarmsOfActs
from progressive.application.floor.happenings import Happenings
from progressive.application.floor.watch import (
    DaySight,
    FloorWatch,
    GuardSight,
    LinkSight,
    Sight,
    TableSight,
)
from progressive.application.journal.ports import StoreError
from progressive.application.link.worker import LinkWorker
from progressive.application.people.act_follower import ActFollower
from progressive.application.people.act_log import ActRecord
from progressive.application.people.ports import AccountStore, ActReader
from progressive.domain.alarms import AlarmKind
from progressive.domain.decide.void_round import void_needs_supervisor
from progressive.domain.events import WagersRegistered
from progressive.domain.ids import AwardId, LinkId, TableId
from progressive.domain.rulebook.rules import FloorRules
from progressive.domain.state.award_state import Award
from progressive.entry.pit.board import ACTS_SHOWN, Board, act_row
from progressive.entry.pit.signs import FloorSigns
from progressive.wire.awards import AwardView, award_view
from progressive.wire.meters import NamedMeter
from progressive.wire.pit import ActRow, LinkRow, TableRow

FINISHED_SHOWN: Final = 30
"""Awards of each link that are paid or void: so many of the rack, and so many others."""


class PitFloor:
    """The floor as the pit sees it."""

    def __init__(
        self,
        rules: FloorRules,
        *,
        workers: Mapping[LinkId, LinkWorker],
        signs: FloorSigns,
        connected: Callable[[], Collection[TableId]],
        act_log: ActReader,
        accounts: AccountStore,
        happenings: Happenings,
        clock: Clock,
        data: Path,
        disk_low_bytes: int,
        guard: Callable[[], GuardSight],
        days: Callable[[], Sequence[DaySight]] = tuple,
    ) -> None:
        self._workers = workers
        self._guard = guard
        self._days = days
        self._signs = signs
        self._connected = connected
        self._new_acts = ActFollower(act_log).new_acts
        self._clock = clock
        self._data = data
        self._happenings = happenings
        self.book = AlarmBook()
        self._accounts = AlarmsOfAccounts(self.book, accounts)
        self._watch = FloorWatch(self.book, disk_low_bytes=disk_low_bytes)
        links = {table.id: link.id for link in rules.links for table in link.tables}
        self._acts_heard = AlarmsOfActs(self.book, lambda table: links.get(TableId(table)))
        self._acts: deque[ActRow] = deque(maxlen=ACTS_SHOWN)
        self._all_acts: deque[ActRow] = deque(maxlen=ACTS_SHOWN)
        self._views: dict[str, tuple[Award, AwardView]] = {}
        for sentence in rules.lesser_rules:
            what = sentence.partition(",")[0]
            self.book.raise_alarm(AlarmKind.LESSER_RULES, what, at=clock.now(), message=sentence)

    # --- looking -----------------------------------------------------------------------------

    async def look(self) -> None:
        """Once a second: who is lost, what people did since."""
        self._watch.look(
            Sight(
                at=self._clock.now(),
                monotonic=self._clock.monotonic(),
                links=[
                    LinkSight(link, worker.view.state, worker.view.reason, worker.view.seq)
                    for link, worker in self._workers.items()
                ],
                tables=self._tables_now(),
                signs=self._signs.sights(),
                disk_free_bytes=self._disk_free_bytes(),
                sign_log_problem=self._signs.log_problem(),
                guard=self._guard(),
                days=self._days(),
                sign_keys_problem=self._signs.keys_problem(),
            )
        )
        # Before the acts: they say who acknowledged what.
        with contextlib.suppress(StoreError):
            await self._accounts.look()
        await self.read_acts()
        self._happenings.see_alarms(self.book.alarms)

    async def read_acts(self) -> None:
        """The records of the act log that came since, whoever wrote them."""
        for record in await self._new_acts():
            self._hear(record)

    def _hear(self, record: ActRecord) -> None:
        self._acts_heard.hear(record)
        self._happenings.hear(record)
        for rows, watcher in ((self._acts, False), (self._all_acts, True)):
            if (row := act_row(record, watcher=watcher)) is not None:
                rows.append(row)

    def _tables_now(self) -> list[TableSight]:
        here = self._connected()
        sights = []
        for link, worker in self._workers.items():
            for table in worker.rules.tables:
                state = worker.table_state(table.id)
                sights.append(
                    TableSight(
                        table=table.id,
                        link=link,
                        connected=table.id in here,
                        round_open=state.round is not None,
                        last_seq=state.last_seq,
                    )
                )
        return sights

    def _disk_free_bytes(self) -> int | None:
        try:
            return shutil.disk_usage(self._data).free
        except OSError:
            # Not there, or not to be asked: the store will say so louder than an alarm could.
            return None

    # --- the board ---------------------------------------------------------------------------

    def board(self) -> Board:
        """All of it, as it is now."""
        return Board(
            links={link: _link_row(worker) for link, worker in self._workers.items()},
            tables=self._table_rows(),
            signs=self._signs.rows(self._watch.lags),
            awards=self._award_views(),
            alarms=self.book.alarms,
            acts=list(self._acts),
            all_acts=list(self._all_acts),
        )

    def _table_rows(self) -> dict[str, TableRow]:
        here = self._connected()
        rows: dict[str, TableRow] = {}
        for link, worker in self._workers.items():
            dealers = {} if worker.state is None else worker.state.dealers
            for table in worker.rules.tables:
                opened = worker.table_state(table.id).round
                dealer = dealers.get(table.id)
                rows[table.id] = TableRow(
                    id=table.id,
                    link=link,
                    state="idle" if opened is None else "locked",
                    round=None if opened is None else opened.round,
                    dealer=None if dealer is None else dealer.name,
                    connected=table.id in here,
                    last_at=self._watch.last_at.get(table.id),
                    void_needs_supervisor=_void_needs_supervisor(worker, opened),
                )
        return rows

    def _award_views(self) -> dict[str, AwardView]:
        """Open awards and the last finished ones, in the order they were made."""
        before, self._views = self._views, {}
        for worker in self._workers.values():
            state = worker.state
            if state is None:
                continue
            finished = _last_finished(state.finals)
            for name, award in (*finished, *state.awards.items()):
                made = before.get(name)
                # Awards are frozen: the same one looks as it did.
                if made is None or made[0] is not award:
                    made = (award, award_view(worker.rules, award))
                self._views[name] = made
        views: Sequence[tuple[str, AwardView]] = [
            (name, view) for name, (_, view) in self._views.items()
        ]
        return dict(
            sorted(views, key=lambda each: (each[1].at, each[1].journal_seq, each[1].order))
        )


def _last_finished(finals: Mapping[AwardId, Award]) -> list[tuple[AwardId, Award]]:
    """The last of each kind: payouts of the rack are many, and jackpots must stay in sight."""
    of_rack = [name for name, award in finals.items() if award.made.pays_from == "rack"]
    others = [name for name, award in finals.items() if award.made.pays_from != "rack"]
    shown = {*of_rack[-FINISHED_SHOWN:], *others[-FINISHED_SHOWN:]}
    return [(name, award) for name, award in finals.items() if name in shown]


def _void_needs_supervisor(worker: LinkWorker, opened: WagersRegistered | None) -> bool:
    state = worker.state
    if state is None or opened is None:
        return False
    return void_needs_supervisor(state.terms_of(opened.terms_version), opened)


def _link_row(worker: LinkWorker) -> LinkRow:
    view = worker.view
    return LinkRow(
        id=worker.rules.id,
        name=worker.rules.name,
        state=view.state,
        reason=view.reason,
        seq=view.seq,
        at=view.at,
        meters=tuple(NamedMeter(meter.id, meter.name, meter.cents) for meter in view.meters),
    )
