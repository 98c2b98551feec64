"""What the answers of a witness mean: agreement, silence, or that the journal is another one."""

import pytest

from progressive.adapters.seals.key_file import new_signer
from progressive.adapters.seals.signing import signatures_by
from progressive.application.seals.merkle import EMPTY_ROOT
from progressive.application.seals.note import COSIGNATURE, Checkpoint, Note, NoteError
from progressive.application.seals.witnessing import (
    Answer,
    Verdict,
    Witness,
    read_witness,
    read_witnesses,
    request_body,
    verdict,
)

HOUSE = new_signer("house/main")
REGULATOR = new_signer("regulator")
WITNESS = Witness("http://w", REGULATOR.key(COSIGNATURE))
ASKED = Checkpoint("house/main", 10, b"\x07" * 32)
NOTE = Note(ASKED.text, (HOUSE.sign(ASKED.text),))
SIZE = "text/x.tlog.size"


def judged(answer: Answer, *, asked: Checkpoint = ASKED, old_size: int = 4) -> Verdict:
    note = Note(asked.text, (HOUSE.sign(asked.text),))
    return verdict(answer, WITNESS, note, asked, old_size, signatures_by)


def test_a_cosignature_is_agreement() -> None:
    line = REGULATOR.cosign(ASKED.text, 1_794_000_000).line.encode()
    found = judged(Answer(200, line))
    assert (found.standing, found.size, len(found.signatures)) == ("agrees", 10, 1)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"thanks\n",
        new_signer("regulator").cosign(ASKED.text, 1).line.encode(),
        new_signer("other").cosign(ASKED.text, 1).line.encode(),
        REGULATOR.cosign("house/main\n11\nx\n", 1).line.encode(),
        REGULATOR.sign(ASKED.text).line.encode(),
    ],
)
def test_what_is_not_its_cosignature_of_this_checkpoint_is_silence(body: bytes) -> None:
    found = judged(Answer(200, body))
    assert found.standing == "silent"
    assert "regulator" in found.why


@pytest.mark.parametrize(
    ("answer", "standing", "says"),
    [
        (Answer(409, b"7\n", SIZE), "behind", ""),
        (Answer(409, b"7\n", f"{SIZE}; charset=utf-8"), "behind", ""),
        (Answer(409, b"0\n", SIZE), "behind", ""),
        (Answer(409, b"11\n", SIZE), "disagrees", "has seen 11 sealed records"),
        (Answer(409, b"4\n", SIZE), "disagrees", "has cosigned other 4 records"),
        (Answer(409, b"many\n", SIZE), "silent", "not a number of records"),
        (Answer(409, b"7\n", "text/plain"), "disagrees", "refuses the journal"),
        (Answer(422), "disagrees", "refuses the journal"),
        (Answer(403), "refuses", "follows this log under another key"),
        (Answer(404), "refuses", "does not know this log"),
        (Answer(400, b"bad\nrequest"), "silent", "answered 400: bad"),
        (Answer(503), "silent", "answered 503"),
        (Answer(0, why="no route"), "silent", "cannot be reached: no route"),
    ],
)
def test_refusals_by_what_they_mean(answer: Answer, standing: str, says: str) -> None:
    found = judged(answer)
    assert found.standing == standing
    assert says in found.why


def test_a_witness_that_takes_no_empty_log_has_said_nothing_of_the_journal() -> None:
    empty = Checkpoint("house/main", 0, EMPTY_ROOT)
    assert judged(Answer(422), asked=empty, old_size=0).standing == "silent"
    ahead = judged(Answer(409, b"1\n", SIZE), asked=empty, old_size=0)
    assert ahead.standing == "disagrees"


def test_a_request_is_the_old_size_the_proof_an_empty_line_and_the_note() -> None:
    body = request_body(4, [b"\x01" * 32], NOTE.encoded.encode())
    assert body.startswith(
        b"old 4\nAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=\n\nhouse/main\n10\n"
    )


def test_witnesses_are_an_address_and_a_key_a_line() -> None:
    line = f"https://w.example/base/ {WITNESS.key.text}"
    assert read_witness(line) == Witness("https://w.example/base", WITNESS.key)
    assert len(read_witnesses(f"# finance\n\n{line}\n")) == 1
    for bad in (
        "https://w.example",
        WITNESS.key.text,
        f"ftp://w {WITNESS.key.text}",
        f"http://w {HOUSE.key().text}",
        f"http://w {WITNESS.key.text[:-3]}",
    ):
        with pytest.raises(NoteError):
            read_witness(bad)
