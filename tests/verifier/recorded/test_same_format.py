"""The verifier's classes have the fields that the service records: same names, order, defaults.

The two are written apart, so that neither can lead the other astray; whoever adds a field to an
event adds it to both.
"""

import dataclasses
import re
from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
import pytest
from msgspec import NODEFAULT, Struct, UnsetType

from progressive.application.journal.record import Record as StoredRecord
from progressive.domain.events import Event as StoredEvent
from progressive.verifier.record import Record
from progressive.verifier.recorded.events import Event
from progressive.verifier.recorded.limits import AtLeast, AtMost, LengthAtMost
from progressive.verifier.recorded.values import UNSET, Unset

Pair = tuple[Any, Any]


def parts(kind: Any) -> set[Any]:  # noqa: ANN401 - any annotation
    """The classes that an annotation speaks of."""
    if isinstance(kind, type) and (
        issubclass(kind, Struct) or dataclasses.is_dataclass(kind) or hasattr(kind, "_fields")
    ):
        return {kind}
    return {part for inner in get_args(kind) for part in parts(inner)}


def pairs() -> dict[str, Pair]:
    """Every class of the service that is recorded, with the verifier's of the same name."""
    found: dict[str, Pair] = {}
    todo: list[Pair] = [(StoredRecord, Record)]
    while todo:
        stored, own = todo.pop()
        if stored.__name__ in found:
            continue
        found[stored.__name__] = stored, own
        inner = {part.__name__: part for hint in hints(stored).values() for part in parts(hint)}
        owned = {part.__name__: part for hint in hints(own).values() for part in parts(hint)}
        assert set(inner) == set(owned), stored
        todo += [(inner[name], owned[name]) for name in inner]
    return found


def hints(kind: Any) -> dict[str, Any]:  # noqa: ANN401 - a class of either side
    return {
        name: hint
        for name, hint in get_type_hints(kind, include_extras=True).items()
        if name in fields_of(kind)
    }


def fields_of(kind: Any) -> tuple[str, ...]:  # noqa: ANN401 - a class of either side
    if dataclasses.is_dataclass(kind):
        return tuple(field.name for field in dataclasses.fields(kind))
    return tuple(getattr(kind, "__struct_fields__", None) or kind._fields)


PAIRS = pairs()


def shape(kind: Any) -> str:  # noqa: ANN401 - any annotation of either side
    """A type in words that both sides share."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return f"{shape(arguments[0])} {sorted(limits(arguments[1:]))}"
    if origin is Literal:
        return f"one of {sorted(arguments)}"
    if origin in (Union, UnionType):
        return " or ".join(sorted({shape(each) for each in arguments}))
    if origin is not None:
        return f"{origin.__name__} of {[shape(each) for each in arguments]}"
    if kind in (UnsetType, Unset):
        return "not stored"
    if isinstance(supertype := getattr(kind, "__supertype__", None), type):
        return shape(supertype)
    return "null" if kind is NoneType else str(getattr(kind, "__name__", kind))


def limits(of: tuple[Any, ...]) -> Iterator[str]:
    for limit in of:
        match limit:
            case AtLeast(value):
                yield f"ge {value}"
            case AtMost(value):
                yield f"le {value}"
            case LengthAtMost(value):
                yield f"max_length {value}"
            case msgspec.Meta():
                for name in ("ge", "le", "max_length"):
                    if (value := getattr(limit, name)) is not None:
                        yield f"{name} {value}"


def defaults_of(kind: Any) -> dict[str, object]:  # noqa: ANN401 - a class of either side
    if dataclasses.is_dataclass(kind):
        found = {
            field.name: field.default
            for field in dataclasses.fields(kind)
            if field.default is not dataclasses.MISSING
        }
    elif issubclass(kind, Struct):
        found = {
            field.name: field.default
            for field in msgspec.structs.fields(kind)
            if field.default is not NODEFAULT
        }
    else:
        found = {}
    return {
        name: re.sub(r"\w+\.UNSET|UNSET", "UNSET", repr(value)) if value is not UNSET else "UNSET"
        for name, value in found.items()
    }


def test_all_events_are_there() -> None:
    events = {event.__struct_config__.tag for event in get_args(StoredEvent)}
    assert {event.TYPE for event in get_args(Event)} == events
    assert len(events) >= 25
    assert len(PAIRS) >= 50


@pytest.mark.parametrize("name", sorted(PAIRS))
def test_fields_stand_in_the_same_order_with_the_same_types(name: str) -> None:
    stored, own = PAIRS[name]
    assert fields_of(own) == fields_of(stored)
    assert [shape(hint) for hint in hints(own).values()] == [
        shape(hint) for hint in hints(stored).values()
    ]


@pytest.mark.parametrize("name", sorted(PAIRS))
def test_fields_have_the_same_defaults(name: str) -> None:
    stored, own = PAIRS[name]
    assert defaults_of(own) == defaults_of(stored)


@pytest.mark.parametrize("name", sorted(PAIRS))
def test_classes_are_written_in_the_same_way(name: str) -> None:
    stored, own = PAIRS[name]
    config = stored.__struct_config__
    assert hasattr(own, "_fields") == config.array_like
    assert getattr(own, "TYPE", None) == config.tag
    assert getattr(own, "OMITS_DEFAULTS", False) == config.omit_defaults
    assert getattr(own, "FORBIDS_UNKNOWN", False) == config.forbid_unknown_fields
    written = {field.name: field.encode_name for field in msgspec.structs.fields(stored)}
    assert {name: getattr(own, "STORED_AS", {}).get(name, name) for name in written} == written
