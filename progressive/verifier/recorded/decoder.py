"""From JSON values to recorded classes: strictly, and with the place of whatever does not fit.

A class says by its annotations what it may hold; `reader_of` makes a function of that once. Two
ways to read: `exact` for records, where every key must be known, in its place, and absent where the
format leaves it out; else unknown keys are passed over, as in states that a newer version saved.

A key that stands twice cannot be seen here (the last one counts): whoever reads a record also holds
it against its own bytes. A whole number is never `true`, `1.0` or `1e3`.
"""

from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from progressive.verifier.recorded.limits import AtLeast, AtMost, LengthAtMost
from progressive.verifier.recorded.values import Unset

Reader = Callable[[Any], Any]
_TAG: Final = "type"
_INT_KEY_MAX: Final = 20
"""Digits of a number that stands as a key."""


class UnreadableError(Exception):
    """A value that is none; `path` leads to it from the outermost."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.path = ""

    def inside(self, step: str) -> "UnreadableError":
        """The same, as seen from one step further out."""
        self.path = step + self.path
        return self

    def __str__(self) -> str:
        return f"`${self.path}`: {self.reason}"


class NotCanonicalError(UnreadableError):
    """A value that can be read, and is not written as the format writes it."""


@cache
def reader_of(kind: Any, *, exact: bool) -> Reader:  # noqa: ANN401 - any annotation
    """The function that reads a value of this type; it raises UnreadableError."""
    if kind in _SCALARS:
        return _SCALARS[kind]
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _limited(reader_of(arguments[0], exact=exact), arguments[1:])
    if origin is Literal:
        return _word(frozenset(arguments))
    if origin in (Union, UnionType):
        return _union(arguments, exact=exact)
    if origin is list or (origin is tuple and arguments[-1] is Ellipsis):
        return _sequence(reader_of(arguments[0], exact=exact), origin)
    if origin is tuple:
        return _array(arguments, [str(place) for place in range(len(arguments))], tuple, exact)
    if origin is dict:
        return _mapping(arguments[0], reader_of(arguments[1], exact=exact))
    if is_dataclass(kind):
        return _object(kind, exact=exact)
    hints = get_type_hints(kind, include_extras=True)
    return _array(list(hints.values()), list(hints), kind._make, exact)


# --- numbers, texts, words ---------------------------------------------------------------------


def told(value: object) -> str:
    """What a JSON value is, in words."""
    return _WORDS.get(type(value), "something else")


_WORDS: Final = {
    int: "a whole number",
    str: "a text",
    bool: "true or false",
    NoneType: "null",
    list: "a list",
    dict: "an object",
    float: "a number with a fraction or an exponent",
}


def _scalar(kind: type) -> Reader:
    expected = _WORDS[kind]

    def read(value: Any) -> Any:  # noqa: ANN401
        # `type() is`, because True is an int to isinstance.
        if type(value) is not kind:
            raise UnreadableError(f"{told(value)} in place of {expected}")
        return value

    return read


_SCALARS: Final = {kind: _scalar(kind) for kind in (int, str, bool, NoneType)}


def _word(words: frozenset[str]) -> Reader:
    def read(value: Any) -> Any:  # noqa: ANN401
        if type(value) is not str or value not in words:
            raise UnreadableError(f"none of {', '.join(sorted(words))}")
        return value

    return read


def _limited(inner: Reader, limits: tuple[Any, ...]) -> Reader:
    def read(value: Any) -> Any:  # noqa: ANN401
        value = inner(value)
        for limit in limits:
            match limit:
                case AtLeast(least) if value < least:
                    raise UnreadableError(f"less than {least}")
                case AtMost(most) if value > most:
                    raise UnreadableError(f"more than {most}")
                case LengthAtMost(most) if len(value) > most:
                    raise UnreadableError(f"longer than {most}")
        return value

    return read


# --- choices -----------------------------------------------------------------------------------


def _union(kinds: tuple[Any, ...], *, exact: bool) -> Reader:
    if Unset in kinds:
        # What is not stored is not read; whoever reads the object knows.
        kinds = tuple([kind for kind in kinds if kind is not Unset])
    may_be_null = NoneType in kinds
    kinds = tuple([kind for kind in kinds if kind is not NoneType])
    if len(kinds) == 1:
        inner = reader_of(kinds[0], exact=exact)
    else:
        inner = _tagged({kind.TYPE: reader_of(kind, exact=exact) for kind in kinds})
    if not may_be_null:
        return inner
    return lambda value: None if value is None else inner(value)


def _tagged(readers: dict[str, Reader]) -> Reader:
    def read(value: Any) -> Any:  # noqa: ANN401
        if type(value) is not dict:
            raise UnreadableError(f"{told(value)} in place of an object")
        tag = value.get(_TAG)
        if type(tag) is not str:
            raise UnreadableError(f"no {_TAG}")
        reader = readers.get(tag)
        if reader is None:
            raise UnreadableError(f"{tag!r} is not a known type").inside(f".{_TAG}")
        return reader(value)

    return read


# --- lists and objects -------------------------------------------------------------------------


def _sequence(inner: Reader, make: Callable[[list[Any]], Any]) -> Reader:
    def read(value: Any) -> Any:  # noqa: ANN401
        if type(value) is not list:
            raise UnreadableError(f"{told(value)} in place of a list")
        items: list[Any] = []
        try:
            for item in value:
                items.append(inner(item))  # noqa: PERF401 - the place of a bad one is its length
        except UnreadableError as error:
            raise error.inside(f"[{len(items)}]") from None
        return make(items)

    return read


def _array(
    kinds: tuple[Any, ...] | list[Any],
    names: list[str],
    make: Callable[[list[Any]], Any],
    exact: bool,
) -> Reader:
    readers = [reader_of(kind, exact=exact) for kind in kinds]

    def read(value: Any) -> Any:  # noqa: ANN401
        if type(value) is not list:
            raise UnreadableError(f"{told(value)} in place of a list")
        if len(value) < len(readers):
            raise UnreadableError(f"a list of {len(value)}, without {names[len(value)]}")
        if exact and len(value) > len(readers):
            raise NotCanonicalError(f"a list of {len(value)} where {len(readers)} are known")
        items: list[Any] = []
        try:
            for reader, item in zip(readers, value, strict=False):
                items.append(reader(item))
        except UnreadableError as error:
            raise error.inside(f"[{len(items)}]") from None
        return make(items)

    return read


def _mapping(key_kind: type, inner: Reader) -> Reader:
    def read(value: Any) -> Any:  # noqa: ANN401
        if type(value) is not dict:
            raise UnreadableError(f"{told(value)} in place of an object")
        items: dict[Any, Any] = {}
        for key, item in value.items():
            try:
                items[_number(key) if key_kind is int else key] = inner(item)
            except UnreadableError as error:
                raise error.inside("[…]") from None
        return items

    return read


def _number(key: str) -> int:
    if len(key) <= _INT_KEY_MAX and key.isascii() and key.removeprefix("-").isdigit():
        return int(key)
    raise UnreadableError("a key that is not a whole number")


@dataclass(slots=True)
class _Field:
    """One field of a class, as it is stored."""

    place: int
    name: str
    reader: Reader
    left_out: object
    """The value with which the format does not write the field; MISSING: it always does."""


def _object(kind: Any, *, exact: bool) -> Reader:  # noqa: ANN401 - a dataclass
    stored = _fields_of(kind, exact=exact)
    tag = getattr(kind, "TYPE", None)
    needed = _needed(kind)
    refuse_unknown = exact or getattr(kind, "FORBIDS_UNKNOWN", False)

    def read(value: Any) -> Any:  # noqa: ANN401
        if type(value) is not dict:
            raise UnreadableError(f"{told(value)} in place of an object")
        values: dict[str, Any] = {}
        place = -1
        for key, item in value.items():
            field = stored.get(key)
            if field is None:
                if key == _TAG and tag is not None and (place == -1 or not exact):
                    if item != tag:
                        raise UnreadableError(f"not {tag}").inside(f".{_TAG}")
                    continue
                if refuse_unknown:
                    raise NotCanonicalError("a key that is not known").inside(f".{key}")
                continue
            try:
                values[field.name] = read_item = field.reader(item)
            except UnreadableError as error:
                raise error.inside(f".{key}") from None
            if exact:
                if field.place < place:
                    raise NotCanonicalError("stands out of its order").inside(f".{key}")
                if field.left_out is not MISSING and read_item == field.left_out:
                    raise NotCanonicalError("is left out where it is so").inside(f".{key}")
                place = field.place
        for key, name in needed.items():
            if name not in values:
                raise UnreadableError("is missing").inside(f".{key}")
        return kind(**values)

    return read


def _fields_of(kind: Any, *, exact: bool) -> dict[str, _Field]:  # noqa: ANN401 - a dataclass
    hints = get_type_hints(kind, include_extras=True)
    stored_as = getattr(kind, "STORED_AS", {})
    omits = getattr(kind, "OMITS_DEFAULTS", False)
    found: dict[str, _Field] = {}
    for place, field in enumerate(fields(kind)):
        # A default that is an object itself (no money) may be written or not: both are read.
        plain = omits and not is_dataclass(field.default)
        found[stored_as.get(field.name, field.name)] = _Field(
            place,
            field.name,
            reader_of(hints[field.name], exact=exact),
            field.default if plain else MISSING,
        )
    return found


def _needed(kind: Any) -> dict[str, str]:  # noqa: ANN401 - a dataclass
    """The fields that must be stored: by key, the name."""
    stored_as = getattr(kind, "STORED_AS", {})
    return {
        stored_as.get(field.name, field.name): field.name
        for field in fields(kind)
        if field.default is MISSING and field.default_factory is MISSING
    }
