"""The strict decoder: what it refuses, where it says that is, and what it passes over."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, NamedTuple

import pytest

from progressive.verifier.findings import DiscrepancyError
from progressive.verifier.record import decode_record, read_json
from progressive.verifier.recorded.decoder import NotCanonicalError, UnreadableError, reader_of
from progressive.verifier.recorded.limits import AtLeast, AtMost, LengthAtMost
from progressive.verifier.recorded.values import UNSET, Unset


class Leg(NamedTuple):
    meter: str
    microcents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Cat:
    TYPE: ClassVar = "cat"

    lives: Annotated[int, AtLeast(1), AtMost(9)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dog:
    TYPE: ClassVar = "dog"
    OMITS_DEFAULTS: ClassVar = True

    name: Annotated[str, LengthAtMost(5)] = "rex"
    collar: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    STORED_AS: ClassVar = {"number": "no"}

    number: int
    open: bool = False
    pets: tuple[Cat | Dog, ...] = ()
    legs: tuple[Leg, ...] = ()
    color: Literal["red", "blue"] | None = None
    bell: bool | Unset = UNSET
    rooms: dict[int, str] | None = None


EXACT, LOOSE = reader_of(House, exact=True), reader_of(House, exact=False)


def read(text: str, *, exact: bool = True) -> House:
    house: House = (EXACT if exact else LOOSE)(read_json(text.encode()))
    return house


def test_a_whole_object_is_read() -> None:
    text = (
        '{"no":7,"open":true,"pets":[{"type":"cat","lives":9},{"type":"dog","name":"bo"}],'
        '"legs":[["mega",-1]],"color":"red","bell":false,"rooms":{"-1":"cellar"}}'
    )
    assert read(text) == House(
        number=7,
        open=True,
        pets=(Cat(lives=9), Dog(name="bo")),
        legs=(Leg("mega", -1),),
        color="red",
        bell=False,
        rooms={-1: "cellar"},
    )
    assert read('{"no":7}') == House(number=7)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "`$`: a list in place of an object"),
        ("{}", "`$.no`: is missing"),
        ('{"no":true}', "`$.no`: true or false in place of a whole number"),
        ('{"no":1.0}', "`$.no`: a number with a fraction or an exponent in place of a whole"),
        ('{"no":1e3}', "`$.no`: a number with a fraction or an exponent in place of a whole"),
        ('{"no":null}', "`$.no`: null in place of a whole number"),
        ('{"no":"1"}', "`$.no`: a text in place of a whole number"),
        ('{"no":1,"open":1}', "`$.open`: a whole number in place of true or false"),
        ('{"no":1,"pets":{}}', "`$.pets`: an object in place of a list"),
        ('{"no":1,"pets":[[]]}', "`$.pets[0]`: a list in place of an object"),
        ('{"no":1,"pets":[{"lives":1}]}', "`$.pets[0]`: no type"),
        ('{"no":1,"pets":[{"type":"cow"}]}', "`$.pets[0].type`: 'cow' is not a known type"),
        ('{"no":1,"pets":[{"type":["cat"]}]}', "`$.pets[0]`: no type"),
        ('{"no":1,"pets":[{"type":"cat","lives":0}]}', "`$.pets[0].lives`: less than 1"),
        ('{"no":1,"pets":[{"type":"cat","lives":10}]}', "`$.pets[0].lives`: more than 9"),
        ('{"no":1,"pets":[{"type":"dog","name":"snoopy"}]}', "`$.pets[0].name`: longer than 5"),
        ('{"no":1,"legs":[["a",1],["b"]]}', "`$.legs[1]`: a list of 1, without microcents"),
        ('{"no":1,"legs":[["a",1],["b",null]]}', "`$.legs[1][1]`: null in place of"),
        ('{"no":1,"color":"green"}', "`$.color`: none of blue, red"),
        ('{"no":1,"color":["red"]}', "`$.color`: none of blue, red"),
        ('{"no":1,"bell":null}', "`$.bell`: null in place of true or false"),
        ('{"no":1,"rooms":{"x":""}}', "`$.rooms[…]`: a key that is not a whole number"),
        ('{"no":1,"rooms":{"١":""}}', "`$.rooms[…]`: a key that is not a whole number"),
    ],
)
@pytest.mark.parametrize("exact", [True, False])
def test_what_does_not_fit_is_named_with_its_place(text: str, message: str, exact: bool) -> None:
    with pytest.raises(UnreadableError) as refused:
        read(text, exact=exact)
    assert str(refused.value).startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"no":1,"note":2}', "`$.note`: a key that is not known"),
        ('{"open":true,"no":1}', "`$.no`: stands out of its order"),
        ('{"no":1,"pets":[{"lives":1,"type":"cat"}]}', "`$.pets[0].type`: a key that is not"),
        ('{"no":1,"pets":[{"type":"dog","name":"rex"}]}', "`$.pets[0].name`: is left out where"),
        ('{"no":1,"pets":[{"type":"dog","collar":null}]}', "`$.pets[0].collar`: is left out"),
        ('{"no":1,"legs":[["a",1,2]]}', "`$.legs[0]`: a list of 3 where 2 are known"),
        ('{"no":1,"type":"house"}', "`$.type`: a key that is not known"),
    ],
)
def test_records_are_written_in_one_form_and_saved_states_may_hold_more(
    text: str, message: str
) -> None:
    with pytest.raises(NotCanonicalError) as refused:
        read(text)
    assert str(refused.value).startswith(message)
    assert read(text, exact=False).number == 1


def test_type_of_an_object_is_looked_at_where_no_other_may_stand_too() -> None:
    reader = reader_of(Cat, exact=False)
    assert reader({"type": "cat", "lives": 9}) == Cat(lives=9)
    with pytest.raises(UnreadableError, match="type`: not cat"):
        reader({"type": "dog", "lives": 9})


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "Expecting value"),
        (b"nul", "Expecting value"),
        (b"NaN", "NaN is not JSON"),
        (b"[-Infinity]", "-Infinity is not JSON"),
        (b"[1] [2]", "Extra data"),
        (b'"\xff"', "'utf-8' codec can't decode"),
        ('"x"'.encode("utf-16"), "'utf-8' codec can't decode"),
        (b"\xef\xbb\xbf[]", "BOM"),
        (b"[" * 200_000, "nested too deeply"),
        (b"7" * 5_000, "digits"),
        (b'"\n"', "Invalid control character"),
    ],
)
def test_bytes_that_are_not_json_are_refused_in_words(body: bytes, message: str) -> None:
    with pytest.raises(UnreadableError, match=message) as refused:
        read_json(body)
    assert str(refused.value).isprintable()


def test_half_a_character_is_not_a_text() -> None:
    line = (
        b'{"seq":1,"at":"","prev":"","event":{"type":"alarm_acknowledged","alarm":"\\ud800",'
        b'"by":{"name":"a","department":"b"},"note":"","meters":[]}}'
    )
    with pytest.raises(DiscrepancyError, match="half a character"):
        decode_record(line)


def test_key_that_stands_twice_is_not_canonical() -> None:
    """Which of the two counts depends on the reader: so neither may be there."""
    line = (
        b'{"seq":1,"seq":1,"at":"","prev":"","event":'
        b'{"type":"clock_stepped","clock_at":"","expected_at":"","meters":[]}}'
    )
    with pytest.raises(DiscrepancyError, match="canonical form"):
        decode_record(line)
    assert decode_record(line.replace(b'"seq":1,"seq":1', b'"seq":1')).seq == 1
