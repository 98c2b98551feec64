"""The record format: chained lines that anyone can check with a shell."""

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from progressive.application.journal.record import (
    GENESIS,
    ChainCheck,
    JournalBrokenError,
    decode_record,
    encode_record,
    hash_record,
)
from progressive.domain.decide.decide import open_link
from progressive.domain.events import Checkpointed, Event, LinkOpened
from tests.support.builders import a_link, a_lock, a_settle, a_void, accept, opened_link, wagers

RULES = a_link()
AT = "2026-01-02T03:04:05.000000Z"


def events() -> list[Event]:
    state = opened_link(RULES)
    locked = accept(state, RULES, a_lock(1, wagers=wagers(1, 2)))
    settled = accept(state, RULES, a_settle(2, seats={1: "2s 3s", 2: "4s 5s"}, dealer="As"))
    return [
        open_link(RULES),
        # No such name is taken any more; 0.1.0 took them, and its journals are read.
        structs.replace(locked, round="R♦\n\u2028\x00"),
        structs.replace(settled, round="R♦\n\u2028\x00"),
        accept(state, RULES, a_lock(3, wagers=wagers(7, tender="coupon"))),
        accept(state, RULES, a_void(4, reason='card "faced"\\ by dealer')),
        Checkpointed(state_digest="0" * 64, meters=state.primaries),
    ]


def chain_of(*some: Event) -> list[bytes]:
    records: list[bytes] = []
    head = GENESIS
    for seq, event in enumerate(some, start=1):
        records.append(encode_record(seq=seq, at=AT, prev=head, event=event))
        head = hash_record(records[-1])
    return records


CHAIN = chain_of(*events())


@pytest.mark.parametrize("event", events(), ids=lambda event: type(event).__name__)
def test_every_event_survives_the_journal(event: Event) -> None:
    record = decode_record(encode_record(seq=7, at=AT, prev="p", event=event))
    assert (record.seq, record.at, record.prev, record.event) == (7, AT, "p", event)


@pytest.mark.parametrize("record", CHAIN)
def test_record_is_one_line_of_plain_json(record: bytes) -> None:
    assert b"\n" not in record
    plain = json.loads(record)
    assert list(plain) == ["seq", "at", "prev", "event"]
    assert next(iter(plain["event"])) == "type"


def test_bytes_of_a_lock_are_as_documented() -> None:
    assert CHAIN[3] == (
        b'{"seq":4,"at":"2026-01-02T03:04:05.000000Z","prev":"' + hash_record(CHAIN[2]).encode() +
        b'","event":{"type":"wagers_registered","table":"BJ-01","table_seq":3,"round":"r3",'
        b'"terms_version":1,"wagers":[{"seat":7,"bet":"blazing7","amount_cents":500,'
        b'"base_cents":2500,"tender":"coupon"}],"chips_counted":0,'
        b'"stakes":[["blazing7",0,500]],'
        b'"flows":[["mega",60000000,5000000,0],["major",30000000,2500000,0],'
        b'["minor",20000000,2500000,0]],"hold":380000000,'
        b'"meters":[10000180000000,1500090000000,300060000000]}}'
    )  # fmt: skip


def test_chain_can_be_checked_with_nothing_but_a_hash() -> None:
    head = "0" * 64
    for record in CHAIN:
        assert json.loads(record)["prev"] == head
        head = hashlib.sha256(record).hexdigest()


def test_whole_chain_passes() -> None:
    chain = ChainCheck()
    for record in CHAIN:
        chain.feed(record)
    assert (chain.seq, chain.head) == (len(CHAIN), hash_record(CHAIN[-1]))


@given(st.data())
def test_any_changed_byte_breaks_the_chain_or_its_head(data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(CHAIN) - 1))
    position = data.draw(st.integers(0, len(CHAIN[at]) - 1))
    bits = data.draw(st.integers(1, 255))
    changed = bytearray(CHAIN[at])
    changed[position] ^= bits
    chain = ChainCheck()
    try:
        for record in [*CHAIN[:at], bytes(changed), *CHAIN[at + 1 :]]:
            chain.feed(record)
    except JournalBrokenError as error:
        # The break shows at the record or at the one after it.
        assert f"record {at + 1} " in str(error) or f"record {at + 2} " in str(error)
    else:
        assert chain.head != hash_record(CHAIN[-1])


@pytest.mark.parametrize(
    ("broken", "why"),
    [
        (CHAIN[1:], "record 1 is missing: 2 stands there"),
        ([CHAIN[0], *CHAIN[2:]], "record 2 is missing: 3 stands there"),
        ([CHAIN[0], CHAIN[0]], "record 2 is missing: 1 stands there"),
        ([CHAIN[0], CHAIN[2], CHAIN[1]], "record 2 is missing: 3 stands there"),
        ([CHAIN[0], b""], "record 2 is unreadable"),
        ([CHAIN[0], CHAIN[1][:-1]], "record 2 is unreadable"),
        ([CHAIN[0], b'{"seq":2,"prev":"\xff"}'], "record 2"),
        ([CHAIN[0], b'{"seq":true,"prev":"x"}'], "record 2 is unreadable"),
        ([CHAIN[0], b'{"x":' * 100_000], "record 2 is unreadable"),
        ([CHAIN[0] + b" ", CHAIN[1]], "record 2 does not follow record 1"),
    ],
)
def test_break_is_named_by_its_record(broken: list[bytes], why: str) -> None:
    chain = ChainCheck()
    with pytest.raises(JournalBrokenError, match=why):  # noqa: PT012 - any of them may be the one
        for record in broken:
            chain.feed(record)


@given(st.binary(max_size=300))
def test_arbitrary_bytes_are_no_record_and_no_crash(stored: bytes) -> None:
    with pytest.raises(JournalBrokenError):
        decode_record(stored)
    with pytest.raises(JournalBrokenError):
        ChainCheck().feed(stored)


def test_field_added_by_a_later_version_does_not_stop_this_one() -> None:
    later = CHAIN[0].replace(b'"terms_version":1', b'"terms_version":1,"added_later":{"a":[1]}')
    assert isinstance(decode_record(later).event, LinkOpened)
