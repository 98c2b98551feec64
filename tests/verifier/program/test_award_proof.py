"""An award proof shows what was won, to somebody who has nothing but the proof and a key."""

import json
from base64 import b64encode
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from progressive.verifier.program.main import main
from tests.support.long_journal import make_long_journal
from tests.support.sealing import COSIGNED_AT, Sealer, signed_note, slow_path, slow_root
from tests.support.sealing import records_of as all_records

HOUSE = Sealer("casino.example", b"h" * 32)
OTHER = Sealer("casino.example", b"o" * 32)
WITNESS = Sealer("witness.example", b"w" * 32, kind=4)
KEYS = f"{HOUSE.key_line}\n{WITNESS.key_line}\n"


class Won:
    """A journal with an award, and proofs of it."""

    def __init__(self, records: Sequence[bytes], link: str) -> None:
        self.records = records
        self.origin = f"{HOUSE.name}/{link}"
        events = [json.loads(each)["event"] for each in records]
        self.settled = next(
            seq
            for seq, event in enumerate(events, 1)
            if event["type"] == "round_settled"
            and any(made["kind"] == "meter" for made in event.get("awards", ()))
            and "dealt_by" not in event
        )
        settled = events[self.settled - 1]
        self.round = settled["round"]
        self.made = next(made for made in settled["awards"] if made["kind"] == "meter")
        self.locked = max(
            seq
            for seq, event in enumerate(events[: self.settled], 1)
            if event["type"] == "wagers_registered"
            and (event["table"], event["round"]) == (settled["table"], self.round)
        )

    def note(self, signer: Sealer = HOUSE, origin: str | None = None) -> bytes:
        named = origin or self.origin
        root = b64encode(slow_root(self.records)).decode()
        text = f"{named}\n{len(self.records)}\n{root}\n"
        return signed_note(text, signer.called(named), WITNESS, at=COSIGNED_AT)

    def block(self, seq: int) -> bytes:
        path = slow_path(seq - 1, self.records)
        hashes = b"".join([b64encode(each) + b"\n" for each in path])
        return b"record %d\n" % seq + self.records[seq - 1] + b"\n" + hashes

    def proof(self, *blocks: bytes, note: bytes | None = None, award: str | None = None) -> bytes:
        named = award or self.made["award"]
        body = blocks or (self.block(self.locked), self.block(self.settled))
        head = f"progressive.award-proof/v1\naward {named}\n".encode()
        return head + b"".join(body) + b"\n" + (note or self.note())


@pytest.fixture(scope="module")
def won(tmp_path_factory: pytest.TempPathFactory) -> Won:
    made = make_long_journal(tmp_path_factory.mktemp("won"), records=6_000, tables=20, days=2.0)
    return Won(all_records(made.data, made.link), made.link)


@pytest.fixture
def told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> Callable[[bytes, str | None], tuple[int, str]]:
    def run(proof: bytes, keys: str | None = KEYS) -> tuple[int, str]:
        path, key_file = tmp_path / "won.award-proof", tmp_path / "keys"
        path.write_bytes(proof)
        key_file.write_text(keys or "")
        code = main([str(path), *(("--key", str(key_file)) if keys else ())])
        out, err = capsys.readouterr()
        return code, out + err

    return run


Told = Callable[..., tuple[int, str]]


def test_a_proof_says_what_was_won_and_who_sealed_it(won: Won, told: Told) -> None:
    code, page = told(won.proof())
    made = won.made

    assert code == 0
    for said in (
        "verified: all of it is good",
        f"seal of {won.origin}: {len(won.records):,} records",
        "signed with the key that was given",
        "cosigned by witness.example, 2026-11-18T11:06:40Z",
        f"award {made['award']}, made by record {won.settled:,} at 20",
        f"round {won.round}, seat {made['seat']}",
        f"bet {made['bet']}, line {made['line']}",
        f"amount {made['amount_cents'] // 100:,}.{made['amount_cents'] % 100:02}",
        f"meter {made['meter']}: ",
        "Not known from this: whether the award was validated, paid or voided later",
    ):
        assert said in page


def test_without_a_key_it_says_that_nobody_is_known_to_have_sealed_it(won: Won, told: Told) -> None:
    code, page = told(won.proof(), None)

    assert code == 0
    assert "warning: who signed it was not checked" in page


CHANGES: dict[str, tuple[Callable[[Won], bytes], str]] = {
    "another amount": (
        lambda won: won.proof().replace(b'"amount_cents":', b'"amount_cents":9', 1),
        "is not in the sealed journal",
    ),
    "another place": (
        lambda won: won.proof(
            won.block(won.locked).replace(
                b"record %d\n" % won.locked, b"record %d\n" % (won.locked + 1)
            ),
            won.block(won.settled),
        ),
        "is not in the sealed journal",
    ),
    "another hash": (
        lambda won: won.proof().replace(
            b64encode(slow_path(won.settled - 1, won.records)[0]), b64encode(bytes(32))
        ),
        "is not in the sealed journal",
    ),
    "another award": (lambda won: won.proof(award="main.1.1"), "made award main.1.1"),
    "another order": (
        lambda won: won.proof(won.block(won.settled), won.block(won.locked)),
        "not in their order",
    ),
    "no lock-out": (
        lambda won: won.proof(won.block(won.settled)),
        "a lock-out and its settlement are due",
    ),
    "a record too many": (
        lambda won: won.proof(won.block(1), won.block(won.locked), won.block(won.settled)),
        "a lock-out and its settlement are due",
    ),
    "lock-out of another round": (
        lambda won: won.proof(won.block(_other_lock(won)), won.block(won.settled)),
        "of more than one round",
    ),
    "of another link": (
        lambda won: won.proof(note=won.note(origin=f"{HOUSE.name}/side")),
        "is sealed for another link",
    ),
    "of another key": (lambda won: won.proof(note=won.note(OTHER)), "sealed with another key"),
    "no seal": (lambda won: won.proof().partition(b"\n\n")[0], "it holds no seal"),
    "seal cut off": (lambda won: won.proof()[:-5], "its last line is cut off"),
    "no award": (
        lambda won: won.proof().replace(b"\naward ", b"\nAward ", 1),
        "does not say which award",
    ),
    "no record": (lambda won: won.proof(b"x\n"), "announced by a line"),
    "not base64": (
        lambda won: won.proof(won.block(won.locked) + b"!\n", won.block(won.settled)),
        "not base64",
    ),
    "one hash too many": (
        lambda won: won.proof(
            won.block(won.locked) + b64encode(bytes(32)) + b"\n", won.block(won.settled)
        ),
        "is not in the sealed journal",
    ),
    "not UTF-8": (lambda won: won.proof().replace(b"\naward ", b"\naward \xff", 1), "not UTF-8"),
}


def _first_hash(won: Won) -> bytes:
    return b64encode(slow_path(won.settled - 1, won.records)[0])


def _other_lock(won: Won) -> int:
    return next(
        seq
        for seq, stored in enumerate(won.records, 1)
        if b'"type":"wagers_registered"' in stored and seq < won.settled and seq != won.locked
    )


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_proof_proves_nothing(won: Won, told: Told, change: str) -> None:
    make, said = CHANGES[change]
    code, page = told(make(won))

    assert code == 1
    assert "NOT GOOD" in page
    assert said in page


def test_a_record_with_the_name_of_a_person_is_not_shown(won: Won, told: Told) -> None:
    """A house whose older journal names the dealer must not hand that to a winner."""
    named = won.records[won.settled - 1].replace(
        b'"awarded_at":', b'"dealt_by":{"name":"Ann","department":"pit"},"awarded_at":'
    )
    records = [*won.records]
    records[won.settled - 1] = named
    spoiled = Won.__new__(Won)
    spoiled.__dict__.update(won.__dict__ | {"records": records})
    code, page = told(spoiled.proof())

    assert code == 1
    assert "holds a person's name" in page
    assert "Ann" not in page


def test_a_proof_without_the_cosignature_of_a_given_witness_is_a_finding(
    won: Won, told: Told
) -> None:
    note = won.note()
    lines = note.splitlines(keepends=True)
    alone = won.proof(note=b"".join(lines[:-1]))
    code, page = told(alone)
    assert code == 1
    assert "NOT cosigned by witness.example, whose key was given" in page
    assert "Leave out" in page
    assert told(alone, HOUSE.key_line)[0] == 0
    assert told(b"".join(lines[:-1]))[0] == 1


def test_the_key_of_a_witness_alone_says_that_the_house_was_not_checked(
    won: Won, told: Told
) -> None:
    code, page = told(won.proof(), WITNESS.key_line)
    assert code == 0
    assert "cosigned by witness.example" in page
    assert "warning: who signed it was not checked: give the house's public key" in page


@pytest.mark.slow
def test_every_changed_byte_of_a_proof_is_refused(won: Won, told: Told) -> None:
    body = won.proof()
    for place in range(len(body)):
        other = body[place] ^ (0x20 if place % 2 else 0x01)
        code, page = told(body[:place] + bytes((other,)) + body[place + 1 :])
        assert code == 1, (place, page)


def test_a_seal_by_itself(won: Won, told: Told, tmp_path: Path) -> None:
    code, page = told(won.note())
    assert code == 0
    assert f"seal of {won.origin}: {len(won.records):,} records" in page
    assert told(won.note(OTHER))[0] == 1
