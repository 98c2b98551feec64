"""Seals count only as they were signed: whatever is changed in one, it is refused."""

from base64 import b64encode

import pytest

from progressive.verifier.proof.checkpoint import (
    SignatureError,
    check_cosigned,
    check_log_signature,
    cosignatures,
    parse_checkpoint,
    read_keys,
)
from progressive.verifier.proof.note import NoteError, is_signed, parse_key, parse_note
from tests.support.sealing import Sealer, key_line, signed_note

SITE = Sealer("casino.example", b"s" * 32)
WITNESS = Sealer("witness.example/w1", b"w" * 32, kind=4)
ROOT = bytes(range(32))


def sealed(*, origin: str = "casino.example/main", size: int = 8112) -> bytes:
    text = f"{origin}\n{size}\n{b64encode(ROOT).decode()}\n"
    return signed_note(text, SITE.called(origin), WITNESS, at=1_795_000_000)


def _text() -> str:
    return sealed().decode().rpartition("\n\n")[0] + "\n"


def accepted(body: bytes, keys: str) -> int:
    """How many records are sealed; raises where the seal is none."""
    keyring = read_keys(keys.encode())
    checkpoint = parse_checkpoint(body)
    if keyring.can_check_logs:
        check_log_signature(checkpoint, keyring)
    check_cosigned(checkpoint, keyring)
    return checkpoint.size


KEYS = f"# of the casino\n{SITE.key_line}\n\n  {WITNESS.key_line}\n"


def test_a_seal_is_read_and_its_signatures_fit() -> None:
    checkpoint = parse_checkpoint(sealed())
    keys = read_keys(KEYS.encode())

    check_log_signature(checkpoint, keys)
    assert (checkpoint.origin, checkpoint.size, checkpoint.root) == (
        "casino.example/main", 8112, ROOT
    )  # fmt: skip
    [cosigned] = cosignatures(checkpoint, keys.witnesses)
    assert (cosigned.witness, cosigned.at) == ("witness.example/w1", 1_795_000_000)


def test_a_note_of_another_program_verifies() -> None:
    """The known answer of golang.org/x/mod/sumdb/note, where the format comes from."""
    key = parse_key("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW")
    note = parse_note(
        b"If you think cryptography is the answer to your problem,\n"
        b"then you don't know what your problem is.\n\n"
        b"\xe2\x80\x94 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSN"
        b"XgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
    )

    assert note.signatures[0].key_id == key.key_id
    assert is_signed(note, note.signatures[0], key)


@pytest.mark.parametrize("origin", ["casino.example", "casino.example/main", "casino.example/vip"])
def test_the_key_of_a_house_is_good_for_each_of_its_links(origin: str) -> None:
    assert accepted(sealed(origin=origin), KEYS) == 8112


@pytest.mark.parametrize(
    "origin", ["casino.example.evil/main", "casino.example/a/b", "other.example/main"]
)
def test_the_key_of_a_house_is_good_for_no_other_origin(origin: str) -> None:
    with pytest.raises(SignatureError, match="sealed with another key"):
        accepted(sealed(origin=origin), KEYS)


def test_the_key_of_one_link_is_not_that_of_another() -> None:
    keys = SITE.called("casino.example/main").key_line

    assert accepted(sealed(), keys) == 8112
    with pytest.raises(SignatureError, match="sealed with another key"):
        accepted(sealed(origin="casino.example/vip"), keys)


def test_a_seal_of_another_key_is_named_so() -> None:
    other = Sealer("casino.example", b"o" * 32)

    with pytest.raises(SignatureError, match="sealed with another key"):
        accepted(sealed(), other.key_line)


def test_a_cosignature_does_not_stand_for_the_seal() -> None:
    text = f"casino.example/main\n1\n{b64encode(ROOT).decode()}\n"
    body = signed_note(text, WITNESS, at=5)

    with pytest.raises(SignatureError, match="not signed by the one it names"):
        accepted(body, KEYS)


@pytest.mark.slow
def test_every_changed_byte_of_a_seal_is_refused() -> None:
    body = sealed()
    for place in range(len(body)):
        for other in (body[place] ^ 0x01, body[place] ^ 0x20, ord("A"), ord("\n")):
            if other == body[place]:
                continue
            changed = body[:place] + bytes((other,)) + body[place + 1 :]
            with pytest.raises((NoteError, SignatureError)):
                accepted(changed, KEYS)


def test_a_seal_without_the_line_of_a_witness_whose_key_was_given_is_refused() -> None:
    alone = sealed().replace(WITNESS.line(_text(), at=1_795_000_000), b"")
    other = Sealer("witness.example/w2", b"v" * 32, kind=4)

    assert accepted(alone, SITE.key_line) == 8112
    with pytest.raises(SignatureError, match=r"NOT cosigned by witness\.example/w1.*Leave out"):
        accepted(alone, KEYS)
    with pytest.raises(SignatureError, match=r"NOT cosigned by witness\.example/w2, whose"):
        accepted(sealed(), f"{KEYS}{other.key_line}\n")


def test_a_witness_that_has_two_keys_cosigns_with_either() -> None:
    newer = Sealer(WITNESS.name, b"n" * 32, kind=4)

    assert accepted(sealed(), f"{KEYS}{newer.key_line}\n") == 8112
    with pytest.raises(SignatureError, match=r"NOT cosigned by witness\.example/w1"):
        accepted(sealed(), newer.key_line)


@pytest.mark.parametrize(
    "change",
    [
        lambda body: body[:-1],
        lambda body: body + b"\n",
        lambda body: body + b"x",
        lambda body: body.replace(b"\n8112\n", b"\n08112\n"),
        lambda body: body.replace(b"\n8112\n", b"\n+8112\n"),
        lambda body: body.replace(b"\n8112\n", b"\n81_12\n"),
        lambda body: body.replace(b"\n8112\n", "\n٨\n".encode()),
        lambda body: body.replace(b"\n8112\n", b"\n" + b"9" * 5000 + b"\n"),
        lambda body: body.replace(b"\n8112\n", b"\n8112\n\n"),
        lambda body: body.replace(b"8112\n", b"8112\r\n"),
        lambda body: body.replace(b"\n\n", b"\nmore\n\n"),
        lambda body: body.partition(b"\n\n")[0] + b"\n\n",
        lambda body: body.partition(b"\n\n")[0] + b"\n",
        lambda body: b"\xff" + body,
        lambda body: b"",
        lambda body: body + body.rpartition(b"\n\n")[2] * 200,
        lambda body: b"x" * (2 << 20),
    ],
)
def test_what_is_not_written_as_a_seal_is_refused(change) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    with pytest.raises(NoteError):
        parse_checkpoint(change(sealed()))


@pytest.mark.parametrize("place", range(len(SITE.key_line)))
def test_every_changed_byte_of_a_key_is_noticed(place: int) -> None:
    line = SITE.key_line
    other = "B" if line[place] != "B" else "C"
    changed = line[:place] + other + line[place + 1 :]

    with pytest.raises(NoteError):
        parse_key(changed)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("", "it holds no key"),
        ("# only a remark\n", "it holds no key"),
        (f"{SITE.key_line}\nnonsense\n", "line 2: a key is a line"),
        (key_line("x", 7, b"k" * 32), "is of type 0x07"),
        (key_line("x", 1, b"k" * 31), "has 31 bytes"),
        (key_line("x y", 1, b"k" * 32), "cannot be the name"),
    ],
)
def test_a_file_without_good_keys_says_what_is_wrong(keys: str, message: str) -> None:
    with pytest.raises(NoteError, match=message):
        read_keys(keys.encode())


def test_a_time_of_a_cosignature_is_part_of_what_was_signed() -> None:
    text = f"casino.example/main\n1\n{b64encode(ROOT).decode()}\n"
    note = parse_checkpoint(signed_note(text, WITNESS, at=5))
    later = parse_checkpoint(
        signed_note(text, WITNESS, at=5).replace(
            WITNESS.line(text, at=5), WITNESS.line(text, at=5, said=6)
        )
    )
    keys = read_keys(WITNESS.key_line.encode())

    assert [each.at for each in cosignatures(note, keys.witnesses)] == [5]
    with pytest.raises(SignatureError, match=r"witness\.example/w1 does not fit"):
        cosignatures(later, keys.witnesses)
