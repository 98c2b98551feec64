"""The codec: nothing that a socket can carry makes it raise, and answers are exact to the byte."""

import json
from collections.abc import Callable

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from progressive.domain.commands import (
    DealerCards,
    RegisterWagers,
    SeatCards,
    SettleRound,
    TableCommand,
    VoidRound,
    Wager,
)
from progressive.domain.events import RoundSettled, RoundVoided, WagersRegistered
from progressive.domain.ids import BetId, RoundId
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.state.link_state import LinkState, Receipt
from progressive.wire.codec import (
    FRAME_BYTES_MAX,
    BadMessage,
    ReceiptEncoder,
    decode_command,
    decode_showing,
    encode,
    encode_refusal,
)
from progressive.wire.feed_messages import Showing
from progressive.wire.meters import MeterCents
from progressive.wire.table_messages import Locked, Settled, Voided
from tests.support.builders import (
    BJ1,
    a_link,
    a_lock,
    a_settle,
    a_void,
    accept,
    opened_link,
    wagers,
)

RULES = a_link()
METERS = ("mega", "major", "minor")

LOCK = (
    '{"type":"lock","seq":1,"round":"r1","wagers":[{"seat":1,"bet":"blazing7",'
    '"amount_cents":500,"base_cents":2500,"tender":"chip"}],"chips_counted":1}'
)
SETTLE = (
    '{"type":"settle","seq":2,"round":"r1","dealer":{"cards":["Ts","6h"]},'
    '"seats":[{"seat":1,"cards":["2s","2h","3d"],"hands":[["2s","3d"],["2h","Kc"]]}],'
    '"complete":true}'
)
VOID = '{"type":"void","seq":2,"round":"r1","reason":"card faced"}'


# --- what a table sends -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("frame", "command"),
    [
        (
            LOCK,
            RegisterWagers(
                seq=1,
                round=RoundId("r1"),
                wagers=(Wager(1, BetId("blazing7"), 500, 2500, "chip"),),
                chips_counted=1,
            ),
        ),
        (
            '{"type":"lock","seq":1,"round":"r1","wagers":[],"chips_counted":0}',
            RegisterWagers(seq=1, round=RoundId("r1"), wagers=(), chips_counted=0),
        ),
        (
            SETTLE,
            SettleRound(
                seq=2,
                round=RoundId("r1"),
                dealer=DealerCards(("Ts", "6h")),
                seats=(SeatCards(1, ("2s", "2h", "3d"), (("2s", "3d"), ("2h", "Kc"))),),
                complete=True,
            ),
        ),
        (
            '{"type":"settle","seq":2,"round":"r1"}',
            SettleRound(seq=2, round=RoundId("r1")),
        ),
        (VOID, VoidRound(seq=2, round=RoundId("r1"), reason="card faced")),
        (
            '{"reason":"Übergabe ♦ \\ud83c\\udccf","round":"r\\u0031","seq":2,"type":"void"}',
            VoidRound(seq=2, round=RoundId("r1"), reason="Übergabe ♦ 🃏"),
        ),
    ],
)
def test_messages_of_the_protocol_are_understood(frame: str, command: TableCommand) -> None:
    assert decode_command(frame.encode()) == command
    assert decode_command(frame) == command
    assert decode_command(b" \t\r\n" + frame.encode() + b"\n") == command


@pytest.mark.parametrize("command", [a_lock(1), a_settle(2, seats={1: "2s 3s"}), a_void(3)])
def test_command_survives_the_wire(command: TableCommand) -> None:
    assert decode_command(encode(command)) == command


def put(frame: str, old: str, new: str) -> bytes:
    assert old in frame
    return frame.replace(old, new, 1).encode()


DEEP = "[" * 100_000 + "]" * 100_000

BAD: list[tuple[str, bytes]] = [
    # floats
    ("float seq", put(LOCK, '"seq":1', '"seq":1.0')),
    ("float seq, exponent", put(LOCK, '"seq":1', '"seq":1e0')),
    ("float amount", put(LOCK, '"amount_cents":500', '"amount_cents":500.0')),
    ("fraction of a cent", put(LOCK, '"amount_cents":500', '"amount_cents":0.1')),
    ("infinity", put(LOCK, '"amount_cents":500', '"amount_cents":1e999')),
    ("NaN", put(LOCK, '"amount_cents":500', '"amount_cents":NaN')),
    ("float seat", put(LOCK, '"seat":1', '"seat":1.0')),
    # bools and nulls
    ("bool seq", put(LOCK, '"seq":1', '"seq":true')),
    ("bool amount", put(LOCK, '"amount_cents":500', '"amount_cents":true')),
    ("bool seat", put(LOCK, '"seat":1', '"seat":false')),
    ("number for a bool", put(SETTLE, '"complete":true', '"complete":1')),
    ("null seq", put(LOCK, '"seq":1', '"seq":null')),
    ("null round", put(LOCK, '"round":"r1"', '"round":null')),
    ("null wagers", b'{"type":"lock","seq":1,"round":"r","wagers":null,"chips_counted":0}'),
    ("null wager", b'{"type":"lock","seq":1,"round":"r","wagers":[null],"chips_counted":0}'),
    ("null hands", put(SETTLE, '"hands":[["2s","3d"],["2h","Kc"]]', '"hands":null')),
    ("null dealer", put(SETTLE, '{"cards":["Ts","6h"]}', "null")),
    # texts for numbers and the other way round
    ("text seq", put(LOCK, '"seq":1', '"seq":"1"')),
    ("text amount", put(LOCK, '"amount_cents":500', '"amount_cents":"500"')),
    ("number round", put(LOCK, '"round":"r1"', '"round":1')),
    # out of range
    ("seq 0", put(LOCK, '"seq":1', '"seq":0')),
    ("negative seq", put(LOCK, '"seq":1', '"seq":-1')),
    ("huge seq", put(LOCK, '"seq":1', '"seq":9007199254740993')),
    ("seq of many digits", put(LOCK, '"seq":1', '"seq":' + "9" * 5_000)),
    ("negative amount", put(LOCK, '"amount_cents":500', '"amount_cents":-500')),
    ("huge amount", put(LOCK, '"amount_cents":500', '"amount_cents":100000000001')),
    ("amount beyond 64 bits", put(LOCK, ":500", ":18446744073709551616")),
    ("negative base", put(LOCK, '"base_cents":2500', '"base_cents":-1')),
    ("huge seat", put(LOCK, '"seat":1', '"seat":10000000')),
    ("negative chips", put(LOCK, '"chips_counted":1', '"chips_counted":-1')),
    ("leading zero", put(LOCK, '"seq":1', '"seq":01')),
    ("empty round", put(LOCK, '"round":"r1"', '"round":""')),
    ("long round", put(LOCK, '"round":"r1"', f'"round":"{"r" * 65}"')),
    ("long bet", put(LOCK, '"bet":"blazing7"', f'"bet":"{"b" * 65}"')),
    ("empty reason", put(VOID, '"reason":"card faced"', '"reason":""')),
    ("long reason", put(VOID, '"reason":"card faced"', f'"reason":"{"x" * 501}"')),
    ("long card", put(SETTLE, '"Ts"', '"' + "T" * 9 + '"')),
    (
        "too many wagers",
        json.dumps(
            {
                "type": "lock",
                "seq": 1,
                "round": "r",
                "wagers": [{"seat": 1, "bet": "b", "amount_cents": 1}] * 257,
                "chips_counted": 257,
            }
        ).encode(),
    ),
    ("too many cards", put(SETTLE, '["Ts","6h"]', "[" + ",".join(['"2s"'] * 65) + "]")),
    ("too many hands", put(SETTLE, '"hands":[', '"hands":[' + '["2s"],' * 8)),
    # missing, unknown and doubled fields
    ("no seq", put(LOCK, '"seq":1,', "")),
    ("no round", put(LOCK, '"round":"r1",', "")),
    ("no chips", put(LOCK, ',"chips_counted":1', "")),
    ("no type", put(LOCK, '"type":"lock",', "")),
    ("no reason", put(VOID, ',"reason":"card faced"', "")),
    ("unknown type", put(LOCK, '"type":"lock"', '"type":"unlock"')),
    ("answer's type", put(LOCK, '"type":"lock"', '"type":"locked"')),
    ("number as type", put(LOCK, '"type":"lock"', '"type":1')),
    ("unknown field", put(LOCK, '"seq":1', '"seq":1,"extra":1')),
    ("unknown field in a wager", put(LOCK, '"seat":1', '"seat":1,"player":"x"')),
    ("unknown field at the dealer", put(SETTLE, '{"cards":["Ts"', '{"up":"Ts","cards":["Ts"')),
    ("unknown tender", put(LOCK, '"tender":"chip"', '"tender":"cash"')),
    ("field of another message", put(VOID, '"seq":2', '"seq":2,"wagers":[]')),
    # no JSON, no object
    ("nothing", b""),
    ("space", b"   "),
    ("text", b"hello"),
    ("null", b"null"),
    ("number", b"1"),
    ("array", b"[]"),
    ("empty object", b"{}"),
    ("cut", LOCK[:-1].encode()),
    ("two messages", (VOID + VOID).encode()),
    ("trailing comma", put(VOID, '"card faced"}', '"card faced",}')),
    ("single quotes", VOID.replace('"', "'").encode()),
    ("comment", b"/* */" + VOID.encode()),
    ("byte order mark", b"\xef\xbb\xbf" + VOID.encode()),
    ("utf-16", VOID.encode("utf-16")),
    ("raw newline in a text", put(VOID, "card faced", "card\nfaced")),
    ("raw NUL in a text", put(VOID, "card faced", "card\x00faced")),
    # nesting
    ("100,000 arrays", DEEP.encode()),
    ("100,000 objects", b'{"a":' * 100_000),
    ("deep unknown field", put(VOID, '"seq":2', '"deep":' + DEEP + ',"seq":2')),
    ("deep known field", put(SETTLE, '["Ts","6h"]', DEEP)),
    # text that is none
    ("invalid utf-8 in a value", VOID.encode().replace(b"faced", b"\xff\xfe")),
    ("invalid utf-8 in a key", VOID.encode().replace(b"reason", b"rea\xff\xfeson")),
    ("overlong utf-8", VOID.encode().replace(b"faced", b"\xc0\xaf")),
    ("cut utf-8", VOID.encode().replace(b"faced", b"\xe2\x82")),
    ("encoded surrogate", VOID.encode().replace(b"faced", b"\xed\xa0\x80")),
    ("high surrogate alone", put(VOID, "faced", "\\ud800")),
    ("low surrogate alone", put(VOID, "faced", "\\udc00")),
    ("surrogates the wrong way round", put(VOID, "faced", "\\udc00\\ud800")),
    ("high surrogate, then text", put(VOID, "faced", "\\ud800x")),
    ("surrogate in the round", put(VOID, '"r1"', '"\\udfff"')),
    ("surrogate in a key", put(VOID, '"seq":2', '"seq":2,"\\ud800":1')),
    ("bad escape", put(VOID, "faced", "\\x41")),
]


@pytest.mark.parametrize("frame", [frame for _, frame in BAD], ids=[name for name, _ in BAD])
def test_anything_else_is_a_bad_message_with_a_reason(frame: bytes) -> None:
    bad = decode_command(frame)
    assert isinstance(bad, BadMessage), bad
    assert bad.why
    assert len(bad.why) <= 200
    # The reason can be sent back.
    assert json.loads(encode_refusal(bad.seq, Refusal(Rejection.BAD_MESSAGE, bad.why)))


@pytest.mark.parametrize(
    ("frame", "seq"),
    [
        (put(LOCK, '"chips_counted":1', '"chips_counted":"x"'), 1),
        (put(LOCK, '"type":"lock"', '"type":"dance"'), 1),
        (b'{"seq":7}', 7),
        (b'{"seq":-7}', None),
        (b'{"seq":7.0}', None),
        (b'{"seq":true}', None),
        (b"[7]", None),
        (b"", None),
    ],
)
def test_number_of_a_bad_message_is_named_where_it_can_be_read(
    frame: bytes, seq: int | None
) -> None:
    bad = decode_command(frame)
    assert isinstance(bad, BadMessage)
    assert bad.seq == seq


# --- fuzz -------------------------------------------------------------------------------------

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["type", "seq", "round", "wagers", "seat", "bet", "cards"]) | st.text(),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@given(st.binary(max_size=400))
@example(b"\x00")
@example(b"{" * 60_000)
@example(b'{"seq":' * 9_000)
@example(b'"' + b"\\ud800" * 9_000)
def test_arbitrary_bytes_never_raise(frame: bytes) -> None:
    assert isinstance(decode_command(frame), BadMessage | TableCommand)
    assert decode_showing(frame) is None or isinstance(decode_showing(frame), Showing)


@given(st.text(st.characters(codec=None), max_size=200))
@example("\ud800")
def test_arbitrary_text_never_raises(frame: str) -> None:
    assert isinstance(decode_command(frame), BadMessage)
    assert decode_showing(frame) is None


@given(anything)
def test_arbitrary_json_never_raises(value: object) -> None:
    frame = json.dumps(value).encode("utf-8", "surrogatepass")
    assert isinstance(decode_command(frame), BadMessage | TableCommand)
    assert decode_showing(frame) is None or isinstance(decode_showing(frame), Showing)


@given(st.sampled_from([LOCK, SETTLE, VOID]), st.data())
def test_damaged_messages_never_raise(frame: str, data: st.DataObject) -> None:
    content = bytearray(frame.encode())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        match data.draw(st.sampled_from(["flip", "cut", "drop", "insert"])):
            case "flip":
                content[at] = data.draw(st.integers(0, 255))
            case "cut":
                del content[max(at, 1) :]
            case "drop":
                if len(content) > 1:
                    del content[at]
            case _:
                content[at:at] = data.draw(st.binary(max_size=6))
    decoded = decode_command(bytes(content))
    assert isinstance(decoded, BadMessage | TableCommand)
    if isinstance(decoded, BadMessage):
        assert decoded.why
    else:
        # Whatever was let in can be written down again: the journal must hold it.
        assert decode_command(encode(decoded)) == decoded


@given(st.text(min_size=1, max_size=64))
def test_any_round_name_can_be_written_down(name: str) -> None:
    frame = json.dumps({"type": "void", "seq": 1, "round": name, "reason": "x"}).encode()
    decoded = decode_command(frame)
    if isinstance(decoded, VoidRound):
        assert decoded.round == name
        encode(decoded)


# --- what a sign sends ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("frame", "seq"),
    [
        (b'{"type":"showing","seq":0}', 0),
        (b'{"type":"showing","seq":12}', 12),
        (b'{"seq":12,"type":"showing"}', 12),
        (b'{"type":"showing","seq":-1}', None),
        (b'{"type":"showing","seq":1.0}', None),
        (b'{"type":"showing","seq":true}', None),
        (b'{"type":"showing","seq":1,"x":1}', None),
        (b'{"type":"showing"}', None),
        (b'{"type":"hello","seq":1}', None),
        (b'{"seq":1}', None),
        (VOID.encode(), None),
        (b"\xff", None),
        (b"[" * 100_000, None),
        (b'{"type":' * 100_000, None),
    ],
)
def test_sign_may_say_what_it_shows_and_nothing_else(frame: bytes, seq: int | None) -> None:
    showing = decode_showing(frame)
    assert (None if showing is None else showing.seq) == seq


# --- answers ----------------------------------------------------------------------------------


def receipt_of(*commands: TableCommand) -> Receipt:
    state: LinkState = opened_link(RULES)
    for command in commands:
        accept(state, RULES, command)
    return state.tables[BJ1].receipts[-1]


LOCKED = receipt_of(a_lock(1, wagers=wagers(1, 2)))


@pytest.mark.parametrize(
    ("receipt", "repeat", "expected"),
    [
        (
            LOCKED,
            False,
            b'{"type":"locked","seq":1,"round":"r1","journal_seq":2,"meters":['
            b'{"id":"mega","cents":10000120},{"id":"major","cents":1500060},'
            b'{"id":"minor","cents":300040}]}',
        ),
        (
            LOCKED,
            True,
            b'{"type":"locked","seq":1,"round":"r1","journal_seq":2,"meters":['
            b'{"id":"mega","cents":10000120},{"id":"major","cents":1500060},'
            b'{"id":"minor","cents":300040}],"repeat":true}',
        ),
        (
            receipt_of(a_lock(1), a_settle(2)),
            False,
            b'{"type":"settled","seq":2,"round":"r1","journal_seq":3,"awards":[],"meters":['
            b'{"id":"mega","cents":10000060},{"id":"major","cents":1500030},'
            b'{"id":"minor","cents":300020}]}',
        ),
        (
            receipt_of(a_lock(1), a_void(2)),
            True,
            b'{"type":"voided","seq":2,"round":"r1","journal_seq":3,"meters":['
            b'{"id":"mega","cents":10000000},{"id":"major","cents":1500000},'
            b'{"id":"minor","cents":300000}],"repeat":true}',
        ),
    ],
    ids=["locked", "locked again", "settled", "voided again"],
)
def test_answers_are_exact_to_the_byte(receipt: Receipt, repeat: bool, expected: bytes) -> None:
    assert ReceiptEncoder(METERS).encode(receipt, repeat=repeat) == expected


@given(
    round_name=st.text(min_size=1, max_size=64).map(RoundId)
    | st.just(RoundId('":0 %d %b %% \\ "')),
    numbers=st.tuples(st.integers(1, 2**53), st.integers(1, 2**53)),
    meters=st.lists(st.integers(0, 10**20), max_size=4),
    receipt=st.sampled_from(
        [LOCKED, receipt_of(a_lock(1), a_settle(2)), receipt_of(a_lock(1), a_void(2))]
    ),
    repeat=st.booleans(),
)
def test_template_of_an_answer_gives_what_plain_encoding_would(
    round_name: RoundId,
    numbers: tuple[int, int],
    meters: list[int],
    receipt: Receipt,
    repeat: bool,
) -> None:
    seq, journal_seq = numbers
    event = msgspec.structs.replace(
        receipt.event, table_seq=seq, round=round_name, meters=tuple(meters)
    )
    ids = [f"m0%d.{n}" for n in range(len(meters))]
    shown = [MeterCents(name, amount // 10**6) for name, amount in zip(ids, meters, strict=True)]
    plain: Locked | Settled | Voided
    match event:
        case WagersRegistered():
            plain = Locked(seq, round_name, journal_seq, shown, repeat)
        case RoundSettled():
            plain = Settled(seq, round_name, journal_seq, [], shown, repeat=repeat)
        case RoundVoided():
            plain = Voided(seq, round_name, journal_seq, shown, repeat)
    answer = ReceiptEncoder(ids).encode(Receipt(journal_seq, event), repeat=repeat)
    assert answer == encode(plain)


def test_settlement_with_winners_tells_every_award() -> None:
    state = opened_link(RULES)
    accept(state, RULES, a_lock(1, wagers=wagers(1, 2)))
    accept(state, RULES, a_settle(2, seats={1: "7d 7d 7d", 2: "7s 7h"}, dealer="5s"))
    answer = ReceiptEncoder(METERS).encode(state.tables[BJ1].receipts[-1], repeat=False)
    assert json.loads(answer) == {
        "type": "settled",
        "seq": 2,
        "round": "r1",
        "journal_seq": 3,
        "awards": [
            {
                **{"award": "main.3.1", "order": 1, "seat": 2, "bet": "blazing7"},
                **{"line": "two_7", "kind": "fixed", "meter": None, "share_percent": None},
                **{"amount_cents": 12_500, "bonus_cents": 0, "status": "payable"},
                **{"meter_before_cents": None, "meter_after_cents": None},
                **{"wager_cents": 500, "tax_form": None},
                **{"paid_before_cents": 0, "due_cents": 12_500, "stake_returned_cents": 0},
                "pays_from": "rack",
            },
            {
                **{"award": "main.3.2", "order": 2, "seat": 1, "bet": "blazing7"},
                **{"line": "three_7_diamonds", "kind": "meter"},
                **{"meter": "mega", "share_percent": 100},
                **{"amount_cents": 10_000_120, "bonus_cents": 0, "status": "pending"},
                **{"meter_before_cents": 10_000_120, "meter_after_cents": 2_500_010},
                **{"wager_cents": 500, "tax_form": None},
                **{"paid_before_cents": 0, "due_cents": 10_000_120, "stake_returned_cents": 0},
                "pays_from": "cage",
            },
        ],
        "meters": [
            {"id": "mega", "cents": 2_500_010},
            {"id": "major", "cents": 1_500_060},
            {"id": "minor", "cents": 300_040},
        ],
    }


def test_early_settlement_says_so() -> None:
    early = a_settle(2, round="r1", seats={1: "7s 7h"}, dealer="As", complete=False, early=True)
    final = a_settle(3, round="r1", seats={1: "7s 7h 7c"}, dealer="As 9h")
    encoder = ReceiptEncoder(METERS)
    told = json.loads(encoder.encode(receipt_of(a_lock(1), early), repeat=False))
    assert (told["type"], told["early"], told["awards"][0]["due_cents"]) == (
        "settled",
        True,
        12_500,
    )
    told = json.loads(encoder.encode(receipt_of(a_lock(1), early, final), repeat=False))
    assert "early" not in told
    [award] = told["awards"]
    assert (award["amount_cents"], award["paid_before_cents"], award["due_cents"]) == (
        100_000,
        12_500,
        87_500,
    )


@pytest.mark.parametrize("hand", ["7d 7d 7d", "9c 9d"])
def test_repeat_is_the_same_answer_and_says_that_it_is_one(hand: str) -> None:
    receipt = receipt_of(a_lock(1), a_settle(2, seats={1: hand}, dealer="5s"))
    encoder = ReceiptEncoder(METERS)
    first = encoder.encode(receipt, repeat=False)
    assert encoder.encode(receipt, repeat=True) == first[:-1] + b',"repeat":true}'


@pytest.mark.parametrize("hand", ["7d 7d 7d", "9c 9d"])
@pytest.mark.parametrize("meters", [("mega",), ("mega", "major", "minor", "mini"), ()])
def test_message_answered_under_other_terms_is_answered_again_without_their_meters(
    hand: str, meters: tuple[str, ...]
) -> None:
    # The floor file has other meters since. A table that was not answered then must be now, and
    # no amount may stand under a name that is not its own.
    receipt = receipt_of(a_lock(1), a_settle(2, seats={1: hand}, dealer="5s"))
    told = json.loads(ReceiptEncoder(meters).encode(receipt, repeat=True))
    assert (told["seq"], told["repeat"]) == (2, True)
    assert told["meters"] == []


@pytest.mark.parametrize(
    ("seq", "refusal", "expected"),
    [
        (
            5,
            Refusal(Rejection.SEQ_GAP, "seq 5 leaves a gap: 3 comes next", 3),
            b'{"type":"error","seq":5,"code":"SEQ_GAP",'
            b'"message":"seq 5 leaves a gap: 3 comes next","expected":3}',
        ),
        (
            1,
            Refusal(Rejection.CHIP_COUNT_MISMATCH, "1 chips counted, 0 lights on", 0),
            b'{"type":"error","seq":1,"code":"CHIP_COUNT_MISMATCH",'
            b'"message":"1 chips counted, 0 lights on","expected":0}',
        ),
        (
            1,
            Refusal(Rejection.ROUND_OPEN, "round r1 is locked"),
            b'{"type":"error","seq":1,"code":"ROUND_OPEN","message":"round r1 is locked"}',
        ),
        (
            None,
            Refusal(Rejection.BAD_MESSAGE, "no JSON"),
            b'{"type":"error","seq":null,"code":"BAD_MESSAGE","message":"no JSON"}',
        ),
    ],
)
def test_refusals_are_exact_to_the_byte(seq: int | None, refusal: Refusal, expected: bytes) -> None:
    assert encode_refusal(seq, refusal) == expected


def test_of_a_field_given_twice_the_last_counts() -> None:
    """As JSON readers do; whatever is meant is then judged, and kept, as one message."""
    once = decode_command(put(LOCK, '"seq":1', '"seq":2'))
    assert decode_command(put(LOCK, '"seq":1', '"seq":1,"seq":2')) == once


def test_answer_shows_whole_cents_never_more_than_there_is() -> None:
    event = msgspec.structs.replace(LOCKED.event, meters=(999_999, 1_000_000, 1_999_999))
    answer = json.loads(ReceiptEncoder(METERS).encode(Receipt(2, event), repeat=False))
    assert [meter["cents"] for meter in answer["meters"]] == [0, 1, 1]


@pytest.mark.parametrize(
    "largest",
    [
        lambda: a_lock(1, round="r" * 64, wagers=wagers(*[7] * 256, amount_cents=10**11)),
        lambda: a_settle(2, seats=dict.fromkeys(range(1, 8), "Ts " * 21), dealer="Ts " * 21),
        lambda: a_void(2, reason="x" * 500),
    ],
)
def test_largest_real_message_fits_a_frame(largest: Callable[[], TableCommand]) -> None:
    assert len(encode(largest())) <= FRAME_BYTES_MAX
