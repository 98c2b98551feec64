"""Ed25519 by `cryptography`: who signs a note, and whose signature holds."""

from collections.abc import Sequence

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from progressive.application.seals.note import (
    COSIGNATURE,
    SIGNATURE,
    SIGNATURE_BYTES,
    TIME_BYTES,
    Note,
    NoteError,
    NoteSignature,
    VerifierKey,
    cosignature_time,
    cosigned_message,
)


class Signer:
    """A name with its private key."""

    def __init__(self, name: str, private: Ed25519PrivateKey) -> None:
        self.name = name
        self.private = private
        self._public = private.public_key().public_bytes_raw()

    def key(self, kind: int = SIGNATURE) -> VerifierKey:
        """What others check this signer's signatures with."""
        return VerifierKey(self.name, kind, self._public)

    def named(self, name: str) -> "Signer":
        """The same key under another name: that of one link, say."""
        return Signer(name, self.private)

    def sign(self, text: str) -> NoteSignature:
        """A signature over a note's text."""
        return NoteSignature(self.name, self.key().id, self.private.sign(text.encode()))

    def cosign(self, text: str, time: int) -> NoteSignature:
        """A witness's signature over a checkpoint, at a time in seconds since 1970."""
        signed = self.private.sign(cosigned_message(time, text))
        stamped = time.to_bytes(TIME_BYTES, "big") + signed
        return NoteSignature(self.name, self.key(COSIGNATURE).id, stamped)


def signatures_by(note: Note, keys: Sequence[VerifierKey]) -> list[NoteSignature]:
    """Those of the note that are by one of these keys, and hold.

    signed-note: signatures by others are passed over; one by a known key that does not hold is an
    error of the whole note, told by NoteError.
    """
    known = {(key.name, key.id): key for key in keys}
    found = []
    for each in note.signatures:
        key = known.get((each.name, each.key_id))
        if key is None:
            continue
        if not holds(key, note.text, each):
            raise NoteError(f"the signature of {key.name} does not hold")
        found.append(each)
    return found


def holds(key: VerifierKey, text: str, signature: NoteSignature) -> bool:
    """Whether a signature is this key's over this text."""
    message, signed = text.encode(), signature.signature
    if key.kind == COSIGNATURE:
        if len(signed) != TIME_BYTES + SIGNATURE_BYTES:
            return False
        message = cosigned_message(cosignature_time(signature), text)
        signed = signed[TIME_BYTES:]
    try:
        Ed25519PublicKey.from_public_bytes(key.public).verify(signed, message)
    except (InvalidSignature, ValueError):
        return False
    return True
