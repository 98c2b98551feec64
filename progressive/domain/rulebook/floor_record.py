"""What a journal records of the floor file beside the terms: no approval, but a trace.

Tables and signs come and go with a start of the service; the record says which, and who started it.
"""

from typing import Final

from msgspec import Struct

from progressive.domain.rulebook.rules import (
    CLOSE_WITHIN_HOURS,
    FloorRules,
    LinkRules,
    SignRules,
)

TEXT_CHARACTERS_MAX: Final = 200
"""Of a name in the record; longer ones are cut."""


class RecordedTable(Struct, frozen=True, kw_only=True):
    """A table as the floor file had it."""

    id: str
    seats: int
    base_min_cents: int = 0
    base_max_cents: int = 0


class RecordedSign(Struct, frozen=True, kw_only=True):
    """A sign as the floor file had it. Texts: looks come and go with versions."""

    id: str
    name: str = ""
    shows: str = ""
    """Layout, theme, language, meters and bet, for people."""


class FloorRecord(Struct, frozen=True, kw_only=True):
    """Who started the service, which program, and what of the floor needs no approval."""

    program: str = ""
    """Its version. Rules of `verify` that older programs did not hold begin with a record."""
    started_by: str = ""
    """The user of the operating system."""
    floor: str = ""
    """The floor's name."""
    tables: tuple[RecordedTable, ...] = ()
    signs: tuple[RecordedSign, ...] = ()
    close_within_hours: int = CLOSE_WITHIN_HOURS
    """After its end a gaming day should be closed. Older programs did not record it."""

    @property
    def seats(self) -> dict[str, int]:
        """Number of seats by table."""
        return {table.id: table.seats for table in self.tables}


def floor_record(
    link: LinkRules, floor: FloorRules | None = None, *, program: str = "", started_by: str = ""
) -> FloorRecord:
    """What is recorded of the floor in a link's journal: its own tables and signs."""
    return FloorRecord(
        program=program,
        started_by=plain_text(started_by),
        floor="" if floor is None else plain_text(floor.name),
        tables=tuple(
            RecordedTable(
                id=table.id,
                seats=table.seats,
                base_min_cents=table.base_min_cents,
                base_max_cents=table.base_max_cents,
            )
            for table in link.tables
        ),
        signs=tuple(
            RecordedSign(id=sign.id, name=plain_text(sign.name), shows=_shows(sign))
            for sign in (() if floor is None else floor.signs)
            if sign.link == link.id
        ),
        close_within_hours=CLOSE_WITHIN_HOURS if floor is None else floor.close_within_hours,
    )


def _shows(sign: SignRules) -> str:
    meters = " ".join(sign.meters) or "all meters"
    bet = "all bets" if sign.bet is None else sign.bet
    return f"{sign.layout}, {sign.theme}, {sign.language}, {meters}, {bet}"


def plain_text(text: str) -> str:
    """A name as it may stand in a record: printable, on one line, and not too long."""
    printable = "".join(each if each.isprintable() else "?" for each in text)
    return printable[:TEXT_CHARACTERS_MAX]
