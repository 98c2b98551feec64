"""What a witness cosigns and what it refuses, with real files and real keys."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from progressive.adapters.seals.key_file import new_signer
from progressive.adapters.seals.signing import Signer, signatures_by
from progressive.adapters.witness import evidence_file
from progressive.adapters.witness.evidence_file import FILE, EvidenceFile
from progressive.adapters.witness.seen_files import FOLDER, SeenFiles
from progressive.application.seals.note import (
    COSIGNATURE,
    Note,
    NoteError,
    cosignature_time,
    read_note,
    read_signature,
)
from progressive.application.witness import witness as witnessing
from progressive.application.witness.logs import TrustedLogs
from progressive.application.witness.ports import SeenUnreadableError
from progressive.application.witness.request import read_request
from progressive.application.witness.witness import Answer, Witness
from tests.support.fake_clock import FakeClock
from tests.support.witnesses import CASINO, LOG, SignedLog, a_request

OWN = new_signer("witness.example/w1")
NOON = 1_800_000_000


class Seat:
    """A witness in a folder, which can be taken again."""

    def __init__(self, folder: Path, *logs: Signer) -> None:
        self.folder = folder
        self.logs = TrustedLogs([each.key() for each in logs or (CASINO,)])
        self.time = NOON
        self.take()

    def take(self) -> None:
        self.witness = Witness(
            self.logs,
            OWN,
            signed_by=signatures_by,
            store=SeenFiles(self.folder),
            evidence=EvidenceFile(self.folder),
            clock=FakeClock(),
            posix_time=lambda: self.time,
        )

    def add(self, body: bytes) -> Answer:
        return self.witness.add_checkpoint(body)

    def status(self, body: bytes) -> int:
        return self.add(body).status

    def evidence(self) -> list[dict[str, object]]:
        path = self.folder / FILE
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


@pytest.fixture
def seat(tmp_path: Path) -> Seat:
    return Seat(tmp_path)


def test_a_log_that_grows_is_cosigned(seat: Seat) -> None:
    log = SignedLog.of(20)
    old = 0
    for size in (5, 5, 8, 9, 20):
        answer = seat.add(log.request(old, size))
        assert answer.status == 200, answer
        cosignature = read_signature(answer.text.removesuffix("\n"))
        note = Note(log.checkpoint(size).text, (cosignature,))
        assert signatures_by(note, [OWN.key(COSIGNATURE)]) == [cosignature]
        assert cosignature_time(cosignature) == NOON
        old = size
    seen = seat.witness.seen[LOG.name]
    assert seen.checkpoint == log.checkpoint(20)
    assert signatures_by(read_note(seen.note.encode()), [LOG.key(), OWN.key(COSIGNATURE)])


def test_an_empty_log_may_be_the_first(seat: Seat) -> None:
    log = SignedLog.of(3)
    assert seat.status(log.request(0, 0)) == 200
    assert seat.status(log.request(0, 3)) == 200


@pytest.mark.parametrize(
    ("body", "status", "text"),
    [
        (SignedLog.of(9).request(0), 409, "5\n"),
        (SignedLog.of(9).request(4), 409, "5\n"),
        (SignedLog.of(9).request(6), 409, "5\n"),
        (SignedLog.of(4).request(0), 409, "5\n"),
        (SignedLog.of(4).request(4), 409, "5\n"),
        (SignedLog.of(5, forked_at=2).request(5), 409, "5\n"),
        (SignedLog.of(5, forked_at=2).request(0), 409, "5\n"),
        (SignedLog.of(9, forked_at=2).request(5), 422, "the proof does not show"),
        (a_request(5, [], SignedLog.of(9).note()), 422, "the proof does not show"),
        (a_request(5, SignedLog.of(9).proof(5)[1:], SignedLog.of(9).note()), 422, "the proof"),
        (a_request(5, SignedLog.of(9).proof(4), SignedLog.of(9).note()), 422, "the proof"),
        (a_request(5, SignedLog.of(9).proof(5), SignedLog.of(5).note()), 422, "the proof"),
        (a_request(9, [], SignedLog.of(5).note()), 400, "old 9 is more than the checkpoint's 5"),
        (SignedLog.of(9, signer=new_signer("nobody")).request(0), 404, "'nobody' is not a log"),
        (SignedLog.of(9, signer=new_signer("casino.examples")).request(0), 404, "'casino.example"),
        (SignedLog.of(9, signer=new_signer(LOG.name)).request(5), 403, "no signature by a key"),
    ],
)
def test_what_does_not_extend_is_refused_and_changes_nothing(
    seat: Seat, body: bytes, status: int, text: str
) -> None:
    assert seat.status(SignedLog.of(5).request(0)) == 200
    before = seat.witness.seen
    answer = seat.add(body)
    assert answer.status == status
    assert answer.text.startswith(text)
    assert answer.text.endswith("\n")
    assert seat.witness.seen == before
    seat.take()
    assert seat.witness.seen == before


def test_one_key_covers_every_link_and_each_is_a_log_of_its_own(seat: Seat) -> None:
    for name in ("casino.example", "casino.example/a", "casino.example/a/2"):
        log = SignedLog.of(4, signer=CASINO.named(name))
        assert seat.status(log.request(0)) == 200
    assert len(seat.witness.seen) == 3
    # The signature of one link is not one of another.
    text = SignedLog.of(9, signer=CASINO.named("casino.example/b")).checkpoint().text
    for name in ("casino.example", "casino.example/a"):
        note = Note(text, (CASINO.named(name).sign(text),))
        assert seat.status(a_request(0, [], note)) == 403


def test_a_longer_name_has_its_own_key_alone(tmp_path: Path) -> None:
    other = new_signer("casino.example/hotel")
    seat = Seat(tmp_path, CASINO, other)
    link = "casino.example/hotel/main"
    assert seat.status(SignedLog.of(3, signer=CASINO.named(link)).request(0)) == 403
    assert seat.status(SignedLog.of(3, signer=other.named(link)).request(0)) == 200


def test_a_note_with_signatures_of_others_is_cosigned_as_it_came(seat: Seat) -> None:
    log = SignedLog.of(7)
    text = log.checkpoint().text
    note = log.note().with_signatures([new_signer("another.witness").cosign(text, NOON)])
    assert seat.status(a_request(0, [], note)) == 200
    assert len(read_note(seat.witness.seen[LOG.name].note.encode()).signatures) == 3


def test_lines_that_a_log_adds_are_cosigned_with_the_rest(seat: Seat) -> None:
    text = SignedLog.of(7).checkpoint().text + "an extension\n"
    note = Note(text, (LOG.sign(text),))
    answer = seat.add(a_request(0, [], note))
    assert answer.status == 200
    cosigned = Note(text, (read_signature(answer.text.removesuffix("\n")),))
    assert signatures_by(cosigned, [OWN.key(COSIGNATURE)])


def test_time_never_goes_back(seat: Seat) -> None:
    log = SignedLog.of(9)
    seat.add(log.request(0, 5))
    seat.time = NOON - 3600
    seat.take()
    assert seat.add(log.request(5, 9)).status == 200
    assert seat.witness.seen[LOG.name].time == NOON


# --- lied to ------------------------------------------------------------------------------------


def test_no_changed_character_of_a_request_is_cosigned(seat: Seat) -> None:
    log = SignedLog.of(21)
    assert seat.status(log.request(0, 5)) == 200
    good = log.request(5, 21).decode()
    for place, character in enumerate(good):
        for other in ("A", "B", "\n", "1"):
            if other != character:
                changed = good[:place] + other + good[place + 1 :]
                assert seat.status(changed.encode()) in (400, 403, 404, 409, 422), changed
    for place in range(len(good)):
        assert seat.status(good[:place].encode()) in (400, 403), place
    assert seat.status(good.encode()) == 200


@given(st.binary(max_size=400))
def test_arbitrary_bytes_are_no_request_and_no_crash(body: bytes) -> None:
    with pytest.raises(NoteError):
        read_request(body)


@pytest.mark.parametrize(
    ("old", "proof"),
    [
        ("00", []),
        ("05", []),
        ("-1", []),
        ("+5", []),
        ("5 ", []),
        ("٥", []),
        ("9" * 40, []),
        ("5", ["AAAA"]),
        ("5", ["not base64"]),
        ("5", [" "]),
        ("5", ["A" * 43 + "="] * 64),
    ],
)
def test_a_size_or_proof_in_another_form_is_refused(old: str, proof: list[str]) -> None:
    with pytest.raises(NoteError):
        read_request(a_request(old, proof, SignedLog.of(9).note()))


def test_63_lines_of_proof_are_read() -> None:
    assert (
        len(read_request(a_request(5, ["A" * 43 + "="] * 63, SignedLog.of(9).note())).proof) == 63
    )


# --- evidence -----------------------------------------------------------------------------------


def test_signed_checkpoints_that_do_not_extend_are_evidence_once(seat: Seat) -> None:
    seat.add(SignedLog.of(5).request(0))
    fork, unproved = SignedLog.of(5, forked_at=3), SignedLog.of(9, forked_at=3)
    for _ in range(3):
        seat.add(fork.request(5))
        seat.add(unproved.request(5))
        seat.add(SignedLog.of(4).request(4))
        # An honest question, and one about a log that nobody follows here.
        seat.add(SignedLog.of(9).request(0))
        seat.add(SignedLog.of(9, signer=new_signer("nobody")).request(0))
        seat.take()
    found = seat.evidence()
    assert [each["kind"] for each in found] == ["fork", "unproved", "smaller"]
    assert {each["origin"] for each in found} == {LOG.name}
    # Two notes with two roots for one size, both signed by the log: whoever has its key can tell.
    notes = [read_note(str(found[0][name]).encode()) for name in ("note", "seen")]
    assert notes[0].text != notes[1].text
    assert all(signatures_by(note, [LOG.key()]) for note in notes)


def test_a_followed_log_under_another_key_is_evidence(seat: Seat) -> None:
    """A journal that was written again and sealed with a new key: the witness answered 403, and
    nobody who looked at it was told."""
    rewritten = SignedLog.of(5, forked_at=2, signer=new_signer(LOG.name))
    assert seat.status(rewritten.request(0)) == 403
    # Before the first seal by the trusted key nothing is known of the log.
    assert seat.evidence() == []
    seat.add(SignedLog.of(5).request(0))
    for _ in range(3):
        assert seat.status(rewritten.request(5)) == 403
        seat.take()
    [found] = seat.evidence()
    assert (found["kind"], found["origin"]) == ("stranger", LOG.name)
    assert found["note"] == rewritten.note().encoded
    assert seat.witness.seen[LOG.name].checkpoint == SignedLog.of(5).checkpoint(5)


def test_evidence_is_bounded_by_kind(seat: Seat, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence_file, "EVIDENCE_MAX", 3)
    seat.add(SignedLog.of(30).request(0))
    for size in range(1, 20):
        seat.add(SignedLog.of(size).request(0))
    seat.add(SignedLog.of(30, forked_at=9).request(0))
    assert [each["kind"] for each in seat.evidence()] == ["smaller"] * 3 + ["fork"]
    assert seat.witness.refused == {"smaller": 19, "fork": 1, "unproved": 0, "stranger": 0}


def test_a_line_that_was_cut_off_harms_no_other(seat: Seat) -> None:
    seat.add(SignedLog.of(5).request(0))
    seat.add(SignedLog.of(5, forked_at=3).request(0))
    path = seat.folder / FILE
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:40])
    seat.take()
    seat.add(SignedLog.of(5, forked_at=4).request(0))
    lines = path.read_bytes().split(b"\n")
    assert (lines[0] + b"\n", lines[1], lines[3]) == (whole, whole[:40], b"")
    assert json.loads(lines[2])["kind"] == "fork"


# --- limits and damage --------------------------------------------------------------------------


def test_a_key_cannot_fill_the_disk_with_logs(seat: Seat, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(witnessing, "ORIGINS_MAX", 2)
    logs = [SignedLog.of(3, signer=CASINO.named(f"casino.example/{at}")) for at in range(3)]
    assert [seat.status(log.request(0)) for log in logs] == [200, 200, 503]
    assert [seat.status(log.request(3)) for log in logs] == [200, 200, 409]


def test_every_damaged_byte_of_what_was_cosigned_is_noticed(seat: Seat) -> None:
    seat.add(SignedLog.of(5).request(0))
    (path,) = (seat.folder / FOLDER).iterdir()
    good = path.read_bytes()
    # All but the newline at its end, which means nothing.
    for place in range(len(good) - 1):
        path.write_bytes(good[:place] + bytes([good[place] ^ 1]) + good[place + 1 :])
        with pytest.raises(SeenUnreadableError, match=r"docs/witness\.md|use a newer one"):
            seat.take()
    path.write_bytes(good)
    seat.take()
    path.rename(path.with_name(f"{'0' * 40}.json"))
    with pytest.raises(SeenUnreadableError):
        seat.take()
