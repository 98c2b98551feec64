"""Small changes to a stored event, to be put together into a lie."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from tests.support.journals import Row


def put(*path: Any, value: object) -> Callable[[Row], None]:  # noqa: ANN401 - keys and indexes
    """Set one value of an event."""

    def change(event: Row) -> None:
        at = event
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = value

    return change


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
