"""Signs notes and seals journals for tests, as a log or a witness does, with `cryptography`."""

import asyncio
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from progressive.adapters.sqlite.journal_reader import SqliteJournalReader
from progressive.domain.ids import LinkId

COSIGNED_AT = 1_795_000_000


def key_line(name: str, kind: int, public: bytes) -> str:
    """A verifier key as it is given to an auditor."""
    return f"{name}+{_id(name, kind, public).hex()}+{b64encode(bytes((kind,)) + public).decode()}"


def _id(name: str, kind: int, public: bytes) -> bytes:
    return sha256(name.encode() + b"\n" + bytes((kind,)) + public).digest()[:4]


@dataclass(frozen=True)
class Sealer:
    """Somebody with a key: a log (kind 1) or a witness (kind 4)."""

    name: str
    seed: bytes
    kind: int = 1

    @property
    def private(self) -> Ed25519PrivateKey:
        return Ed25519PrivateKey.from_private_bytes(self.seed)

    @property
    def key_line(self) -> str:
        return key_line(self.name, self.kind, self.private.public_key().public_bytes_raw())

    def called(self, name: str) -> "Sealer":
        return Sealer(name, self.seed, self.kind)

    def line(self, text: str, *, at: int = 0, said: int | None = None) -> bytes:
        """The signature line; a witness signs `at` and may say another time."""
        message, prefix = text.encode(), b""
        if self.kind == 4:
            message = f"cosignature/v1\ntime {at}\n".encode() + message
            prefix = (at if said is None else said).to_bytes(8, "big")
        public = self.private.public_key().public_bytes_raw()
        signature = _id(self.name, self.kind, public) + prefix + self.private.sign(message)
        return f"— {self.name} {b64encode(signature).decode()}\n".encode()


def signed_note(text: str, *signers: Sealer, at: int = 0) -> bytes:
    """A note with a line of each."""
    return text.encode() + b"\n" + b"".join([each.line(text, at=at) for each in signers])


def records_of(data: Path, link: str) -> list[bytes]:
    """All records of a link, by the service's own reader."""

    async def read() -> list[bytes]:
        reader = SqliteJournalReader(data, unchanged=True)
        return [each async for some in reader.read(LinkId(link)) for each in some]

    return asyncio.run(read())


def slow_root(leaves: Sequence[bytes]) -> bytes:
    """RFC 6962, section 2.1, word by word."""
    if not leaves:
        return sha256(b"").digest()
    if len(leaves) == 1:
        return sha256(b"\x00" + leaves[0]).digest()
    half = 1 << (len(leaves) - 1).bit_length() - 1
    return sha256(b"\x01" + slow_root(leaves[:half]) + slow_root(leaves[half:])).digest()


def slow_path(index: int, leaves: Sequence[bytes]) -> list[bytes]:
    """RFC 6962, section 2.1.1."""
    if len(leaves) <= 1:
        return []
    half = 1 << (len(leaves) - 1).bit_length() - 1
    if index < half:
        return [*slow_path(index, leaves[:half]), slow_root(leaves[half:])]
    return [*slow_path(index - half, leaves[half:]), slow_root(leaves[:half])]


class SealedFolder:
    """The seals of one link of a data directory, made from the records that lie there now."""

    def __init__(self, data: Path, link: str, signer: Sealer, *witnesses: Sealer) -> None:
        self.folder = data / "seals" / link
        self.origin = f"{signer.name}/{link}"
        self._records = records_of(data, link)
        self._signers = (signer.called(self.origin), *witnesses)
        self.folder.mkdir(parents=True)

    @property
    def newest(self) -> Path:
        return self.folder / "newest.note"

    def note(self, size: int | None = None) -> bytes:
        """The signed checkpoint of so many records; None: of all."""
        count = len(self._records) if size is None else size
        root = b64encode(slow_root(self._records[:count])).decode()
        return signed_note(f"{self.origin}\n{count}\n{root}\n", *self._signers, at=COSIGNED_AT)

    def range(self, size: int) -> bytes:
        """The subtrees of so many records, a line each."""
        lines, begin = [], 0
        for height in range(size.bit_length() - 1, -1, -1):
            if size >> height & 1:
                lines.append(slow_root(self._records[begin : begin + (1 << height)]).hex())
                begin += 1 << height
        return "".join([f"{line}\n" for line in lines]).encode()

    def seal_all(self, segments: Mapping[str, int]) -> None:
        """As the service does: the end of every segment, the newest record, the stored tree."""
        for name, last_seq in segments.items():
            (self.folder / f"{name}.note").write_bytes(self.note(last_seq))
            (self.folder / f"{name}.range").write_bytes(self.range(last_seq))
        self.newest.write_bytes(self.note())
        whole = len(self._records) >> 8
        roots = [slow_root(self._records[each << 8 : each + 1 << 8]) for each in range(whole)]
        (self.folder / "tree-8").write_bytes(b"".join(roots))
