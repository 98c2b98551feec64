"""Signatures are checked as RFC 8032 has it, and as two other programs check them."""

import subprocess
from pathlib import Path

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from hypothesis import given, settings
from hypothesis import strategies as st

from progressive.verifier.proof.ed25519 import is_signed_by

ORDER = 2**252 + 27742317777372353535851937790883648493
P = 2**255 - 19

# RFC 8032, section 7.1: public key, message, signature.
RFC_8032 = {
    "TEST 1": (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701c"
        "f9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    "TEST 2": (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0"
        "f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    "TEST 3": (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f76098"
        "4dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
    "TEST SHA(abc)": (
        "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3"
        "feebbd454d4423643ce80e2a9ac94fa54ca49f",
        "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c664"
        "31e0303dca179c138ac17ad9bef1177331a704",
    ),
}

SMALL_ORDER = [
    bytes.fromhex(each)
    for each in (
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    )
]


@pytest.mark.parametrize("name", RFC_8032)
def test_vectors_of_the_rfc_are_good(name: str) -> None:
    public, message, signature = map(bytes.fromhex, RFC_8032[name])

    assert is_signed_by(public, message, signature)


@pytest.mark.parametrize("name", RFC_8032)
def test_every_flipped_bit_of_a_signature_is_refused(name: str) -> None:
    public, message, signature = map(bytes.fromhex, RFC_8032[name])
    # One bit of each byte; which one goes round.
    for place in range(len(signature)):
        flipped = bytearray(signature)
        flipped[place] ^= 1 << place % 8
        assert not is_signed_by(public, message, bytes(flipped))


@settings(max_examples=40, deadline=None)
@given(seed=st.binary(min_size=32, max_size=32), message=st.binary(max_size=300), other=st.binary())
def test_agrees_with_cryptography(seed: bytes, message: bytes, other: bytes) -> None:
    private = Ed25519PrivateKey.from_private_bytes(seed)
    public = private.public_key().public_bytes_raw()
    signature = private.sign(message)

    assert is_signed_by(public, message, signature)
    assert is_signed_by(public, other, signature) is (other == message)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.binary(min_size=32, max_size=32),
    place=st.integers(0, 95),
    flip=st.integers(1, 255),
)
def test_a_changed_key_or_signature_is_refused_as_cryptography_does(
    seed: bytes, place: int, flip: int
) -> None:
    private = Ed25519PrivateKey.from_private_bytes(seed)
    whole = bytearray(private.public_key().public_bytes_raw() + private.sign(b"a record"))
    whole[place] ^= flip
    public, signature = bytes(whole[:32]), bytes(whole[32:])
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, b"a record")
        expected = True
    except InvalidSignature:
        expected = False

    assert is_signed_by(public, b"a record", signature) is expected is False


def test_agrees_with_openssl(tmp_path: Path) -> None:
    private = Ed25519PrivateKey.generate()
    (tmp_path / "key.pem").write_bytes(
        private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    )
    (tmp_path / "message").write_bytes(b"signed by another program")
    subprocess.run(
        [
            *("openssl", "pkeyutl", "-sign", "-rawin", "-inkey", "key.pem"),
            *("-in", "message", "-out", "signature"),
        ],
        cwd=tmp_path,
        check=True,
    )
    signature = (tmp_path / "signature").read_bytes()
    public = private.public_key().public_bytes_raw()

    assert is_signed_by(public, b"signed by another program", signature)
    assert not is_signed_by(public, b"signed by another Program", signature)


def test_a_second_form_of_s_is_refused() -> None:
    public, message, signature = map(bytes.fromhex, RFC_8032["TEST 2"])
    s = int.from_bytes(signature[32:], "little") + ORDER

    assert not is_signed_by(public, message, signature[:32] + s.to_bytes(32, "little"))


@pytest.mark.parametrize("key", SMALL_ORDER, ids=lambda key: key.hex()[:8])
def test_a_key_that_signs_everything_is_refused(key: bytes) -> None:
    """With a key of small order and S = 0, many messages are "signed" by R = 0 * B."""
    for message in range(16):
        for r in SMALL_ORDER:
            assert not is_signed_by(key, bytes((message,)), r + bytes(32))


def test_a_second_encoding_of_a_point_is_refused() -> None:
    # y = p + 1 is the point with y = 1; and x = 0 has no sign.
    for encoded in ((P + 1).to_bytes(32, "little"), (1 | 1 << 255).to_bytes(32, "little")):
        assert not is_signed_by(encoded, b"", bytes(64))
        assert not is_signed_by(bytes.fromhex(RFC_8032["TEST 1"][0]), b"", encoded + bytes(32))


@pytest.mark.parametrize(("public", "signature"), [(31, 64), (33, 64), (32, 63), (32, 65), (0, 0)])
def test_other_lengths_are_refused(public: int, signature: int) -> None:
    assert not is_signed_by(bytes(public), b"", bytes(signature))
