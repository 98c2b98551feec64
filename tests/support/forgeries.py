"""Small changes to a stored event, to be put together into a lie."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import msgspec

from progressive.domain.events import Event
from tests.support.journals import Row


def put(*path: Any, value: object) -> Callable[[Row], None]:  # noqa: ANN401 - keys and indexes
    """Set one value of an event."""

    def change(event: Row) -> None:
        at = event
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = value

    return change


def listed(event: Row) -> None:
    """Tell plain wagers one by one, as journals did before: an event that means the same."""
    bet, amount_cents, seats, bases = event.pop("plain")
    event["wagers"] = [
        {
            "seat": seat,
            "bet": bet,
            "amount_cents": amount_cents,
            "base_cents": base_cents,
            "tender": "chip",
        }
        for seat, base_cents in zip(seats, bases, strict=True)
    ]


def drop(*path: Any) -> Callable[[Row], None]:  # noqa: ANN401 - keys and indexes
    """Take one value out of an event."""

    def change(event: Row) -> None:
        at = event
        for key in path[:-1]:
            at = at[key]
        del at[path[-1]]

    return change


def swap(*path: Any) -> Callable[[Row], None]:  # noqa: ANN401 - keys and indexes
    """Turn a list round."""

    def change(event: Row) -> None:
        at = event
        for key in path:
            at = at[key]
        at.reverse()

    return change


def twice(*path: Any) -> Callable[[Row], None]:  # noqa: ANN401 - keys and indexes
    """The first of a list a second time."""

    def change(event: Row) -> None:
        at = event
        for key in path:
            at = at[key]
        at.append(deepcopy(at[0]))

    return change


def all_of(*changes: Callable[[Row], None]) -> Callable[[Row], None]:
    def change(event: Row) -> None:
        for each in changes:
            each(event)

    return change


def as_written(event: Row) -> Row:
    """The event as the service would write it: fields in their order, none that says nothing."""
    written: Row = msgspec.to_builtins(msgspec.convert(event, Event))
    return written


ODDITIES = [
    None, True, 1.5, 0, -1, 10**30, -(10**30), 10**4000, "", "x", "\x1b[2J\n", "ä" * 5000, [], {},
    [[]], [None], [0] * 300, {"type": "round_voided"}, ["mega", -1, -1, -1],
]  # fmt: skip


def places(value: object, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a record that something could be put."""
    inside: list[tuple[Any, ...]] = []
    if isinstance(value, dict):
        inside = [place for key in value for place in places(value[key], (*path, key))]
    elif isinstance(value, list):
        inside = [
            place for index, each in enumerate(value) for place in places(each, (*path, index))
        ]
    return [path, *inside] if path else inside


def lie_at(seq: int, change: Callable[[Row], None]) -> Callable[[list[Row]], None]:
    """A lie about one record, in the form that the program would have written it."""

    def lie(records: list[Row]) -> None:
        change(records[seq - 1]["event"])
        records[seq - 1]["event"] = as_written(records[seq - 1]["event"])

    return lie
