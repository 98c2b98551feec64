"""Alarms about what stands in the act log, and who acknowledged what.

Bad claims, many bad log-ins, accounts that were ended at the machine.

A fold of the log, so that a start finds again what nobody had acknowledged before it.
"""

from collections import Counter
from collections.abc import Callable
from typing import Final

from progressive.application.floor.alarms import AlarmBook
from progressive.application.people.act_log import LOG_IN, TABLE_MESSAGE, ActRecord, Outcome
from progressive.application.people.sessions import LogInRefusal
from progressive.application.people.tries import PLACE_TRIES
from progressive.domain.alarms import AlarmKind
from progressive.domain.people.names import name_key
from progressive.domain.people.roles import Act
from progressive.domain.rejections import Rejection

_RESETS: Final = ("password", "enable", "unlock")
"""Changes of an account after which its bad tries are forgotten."""
_ENDS: Final = {"disable": "disabled", "remove": "removed"}
"""What ends an account: done at the machine it leaves nothing that a colleague could confirm."""


class AlarmsOfActs:
    """Reads the act log, record by record, into the book of alarms."""

    def __init__(self, book: AlarmBook, link_of: Callable[[str], str | None]) -> None:
        """`link_of`: the link that a table is in."""
        self._book = book
        self._link_of = link_of
        self._bad_tries: Counter[str] = Counter()

    def hear(self, act: ActRecord) -> None:
        """The next record."""
        if act.act == TABLE_MESSAGE and act.outcome is Outcome.REFUSED:
            self._hear_claim(act)
        elif act.act == LOG_IN and act.who is not None:
            self._hear_log_in(act, act.who)
        elif act.act == Act.ACKNOWLEDGE_ALARM and act.outcome is Outcome.DONE:
            self._book.acknowledge(
                str(act.details.get("alarm")),
                by=act.who or "",
                at=act.at,
                note=str(act.details.get("note", "")),
            )
        elif act.act in (Act.MANAGE_USERS, Act.UNLOCK_USER) and act.outcome is Outcome.DONE:
            self._hear_change(act, str(act.details.get("name")), str(act.details.get("what")))

    def _hear_change(self, act: ActRecord, name: str, what: str) -> None:
        if what in _RESETS:
            del self._bad_tries[name_key(name)]
        if what in _ENDS and act.details.get("unconfirmed") is True:
            self._book.raise_alarm(
                AlarmKind.ACCOUNT_ENDED,
                name,
                at=act.at,
                message=f"{_ENDS[what]} at the machine ({act.where}), in nobody's session",
                lasts=False,
                mark=str(act.seq),
            )

    def _hear_claim(self, act: ActRecord) -> None:
        table = str(act.details.get("table"))
        kind = AlarmKind.IMPLAUSIBLE_INPUT
        message = f"{act.details.get('code')}: {act.details.get('message')}"
        if act.details.get("code") == Rejection.SEQ_GAP:
            # Written down only where the gap cannot be the table's own (`note_ahead`).
            kind = AlarmKind.TABLE_AHEAD
            message = (
                f"table {table} holds answers to messages which the journal does not have: it sent "
                f"message {act.details.get('seq')}. Was an older journal put in place?"
            )
        self._book.raise_alarm(
            kind,
            table,
            at=act.at,
            message=message,
            link=self._link_of(table),
            lasts=False,
            mark=str(act.seq),
        )

    def _hear_log_in(self, act: ActRecord, who: str) -> None:
        key = name_key(who)
        code = act.details.get("code")
        if act.outcome is Outcome.DONE:
            del self._bad_tries[key]
        elif code == LogInRefusal.WRONG_PASSWORD:
            self._bad_tries[key] += 1
        if self._bad_tries[key] >= PLACE_TRIES or code == LogInRefusal.LOCKED:
            del self._bad_tries[key]
            self._book.raise_alarm(
                AlarmKind.LOG_IN_LOCKED,
                who,
                at=act.at,
                message=f"the last from {act.where}; tries from there are slowed",
                lasts=False,
                mark=str(act.seq),
            )
