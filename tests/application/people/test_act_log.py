import msgspec
import pytest

from progressive.application.people.act_log import Deed, Outcome, decode_act, encode_act, seq_of_act

AT = "2026-01-02T03:04:05.000000Z"


def test_a_record_is_read_as_it_was_written() -> None:
    deed = Deed(AT, "Ann", "10.0.0.7", "pay_award", Outcome.DONE, {"a": "b", "n": 1, "on": True})

    record = decode_act(encode_act(7, "prev", deed))

    assert (record.seq, record.prev, record.where) == (7, "prev", "10.0.0.7")
    assert record.details == deed.details


def test_a_record_of_another_version_still_has_its_number() -> None:
    stored = b'{"seq":8,"act":"something new","details":{"list":[]}}'

    assert seq_of_act(stored) == 8
    with pytest.raises(msgspec.DecodeError):
        decode_act(stored)
