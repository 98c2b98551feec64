"""Notes that are signed, read and refused: with the examples of the C2SP texts."""

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from progressive.adapters.seals.signing import Signer, holds, signatures_by
from progressive.application.seals.note import (
    COSIGNATURE,
    NOTE_BYTES_MAX,
    SIGNATURE,
    Checkpoint,
    Note,
    NoteError,
    VerifierKey,
    cosignature_time,
    origin_of,
    read_checkpoint,
    read_key,
    read_note,
    read_size,
)

PRIVATE = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
LOG = Signer("casino.example/progressive/main", PRIVATE)
CHECKPOINT = Checkpoint(LOG.name, 100_000, bytes(range(32)))


def a_note() -> Note:
    return Note(CHECKPOINT.text, (LOG.sign(CHECKPOINT.text),))


def test_a_note_is_read_as_it_was_written() -> None:
    note = a_note()
    read = read_note(note.encoded.encode())
    assert read == note
    assert read_checkpoint(read.text) == CHECKPOINT
    assert signatures_by(read, [LOG.key()]) == list(note.signatures)


def test_every_changed_character_is_noticed() -> None:
    stored = a_note().encoded
    for place, character in enumerate(stored):
        changed = stored[:place] + ("B" if character == "A" else "A") + stored[place + 1 :]
        try:
            note = read_note(changed.encode())
            read_checkpoint(note.text)
            assert signatures_by(note, [LOG.key()]) == []
        except NoteError:
            continue


def test_a_key_is_read_as_it_was_written() -> None:
    for kind in (SIGNATURE, COSIGNATURE):
        key = LOG.key(kind)
        assert read_key(f"{key.text}\n") == key
    assert LOG.key().id != LOG.key(COSIGNATURE).id


def test_the_example_key_of_the_text_has_its_id() -> None:
    # The key and the note of golang.org/x/mod/sumdb/note's documentation, from which the form is.
    known = read_key("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW")
    assert known.public.hex().startswith("1a5cd907")
    text = (
        "If you think cryptography is the answer to your problem,\n"
        "then you don't know what your problem is.\n"
    )
    line = (
        "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXg"
        "KvqfqdngotpRZb6KE6RyyBwJnAM=\n"
    )
    note = read_note(f"{text}\n{line}".encode())
    assert len(signatures_by(note, [known])) == 1


@pytest.mark.parametrize(
    "line",
    [
        "",
        "casino",
        "casino+00000000",
        "casino+00000000+AQ==",
        LOG.key().text.replace("+", " ", 1),
        LOG.key().text[:-4],
        LOG.key().text.replace("casino", "Casino"),
        VerifierKey("casino", 9, bytes(32)).text,
    ],
)
def test_a_line_that_is_not_a_key_is_refused(line: str) -> None:
    with pytest.raises(NoteError):
        read_key(line)


@pytest.mark.parametrize(
    "stored",
    [
        b"",
        b"\xff\n\n",
        b"text\n",
        b"text\n\n",
        b"text\n\nno dash AAAAAAAA\n",
        "text\n\n— name\n".encode(),
        "text\n\n— name AAAA\n".encode(),
        "text\n\n— name AAAAAAA\n".encode(),
        "te\txt\n\n— name AAAAAAAA\n".encode(),
        "text\n\n— na+me AAAAAAAA\n".encode(),
        "text\n\n— name AAAAAAAA".encode(),
        b"text\n\n" + "— name AAAAAAAA\n".encode() * 33,
        b"x" * NOTE_BYTES_MAX + "\n\n— name AAAAAAAA\n".encode(),
    ],
)
def test_what_is_not_a_note_is_refused(stored: bytes) -> None:
    with pytest.raises(NoteError):
        read_note(stored)


@pytest.mark.parametrize(
    "text",
    [
        "origin\n1\n",
        "origin\n01\nAAAA\n",
        "origin\n1\nAAAA\n",
        "\n1\n" + "A" * 43 + "=\n",
        "origin\n-1\n" + "A" * 43 + "=\n",
        "origin\n1\n" + "A" * 43 + "=\nmore\n",
        "origin\n1\n" + "A" * 42 + "B=\n",
    ],
)
def test_what_is_not_a_checkpoint_is_refused(text: str) -> None:
    with pytest.raises(NoteError):
        read_checkpoint(text)


@pytest.mark.parametrize("text", ["", "01", "+1", "1 ", "١", "9" * 19, "9" * 40, "1.0"])
def test_what_is_not_a_size_is_refused(text: str) -> None:
    with pytest.raises(NoteError):
        read_size(text)


def test_a_cosignature_holds_for_its_time_and_text_only() -> None:
    witness = Signer("witness.example/w1", Ed25519PrivateKey.from_private_bytes(bytes(32)))
    signed = witness.cosign(CHECKPOINT.text, 1_700_000_000)
    key = witness.key(COSIGNATURE)
    assert holds(key, CHECKPOINT.text, signed)
    assert cosignature_time(signed) == 1_700_000_000
    assert not holds(key, CHECKPOINT.text + "x", signed)
    assert not holds(witness.key(SIGNATURE), CHECKPOINT.text, signed)
    later = type(signed)(signed.name, signed.key_id, b"\1" + signed.signature[1:])
    assert not holds(key, CHECKPOINT.text, later)
    note = a_note().with_signatures([signed])
    assert signatures_by(read_note(note.encoded.encode()), [LOG.key(), key]) == [
        a_note().signatures[0],
        signed,
    ]


def test_a_known_key_whose_signature_does_not_hold_spoils_the_note() -> None:
    note = Note(CHECKPOINT.text.replace("100000", "100001"), a_note().signatures)
    with pytest.raises(NoteError, match="does not hold"):
        signatures_by(note, [LOG.key()])


def test_a_stranger_with_the_same_name_is_passed_over() -> None:
    other = Signer(LOG.name, Ed25519PrivateKey.from_private_bytes(bytes(32)))
    assert signatures_by(a_note(), [other.key()]) == []


def test_a_link_is_a_log_of_its_own() -> None:
    assert origin_of("casino.example/progressive", "main") == LOG.name
    with pytest.raises(NoteError, match="no spaces"):
        origin_of("casino example", "main")
