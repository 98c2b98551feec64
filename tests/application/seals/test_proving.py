"""Proofs for whoever asks: each is held against the signed root before it is given."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from progressive.adapters.seals.files import LinkSeals
from progressive.adapters.seals.key_file import new_signer
from progressive.application.journal.ports import (
    JournalEnd,
    StorePurgedError,
    StoreUnavailableError,
)
from progressive.application.journal.record import hash_record
from progressive.application.journal.segments import Segment
from progressive.application.seals.merkle import extends, is_included, leaf_hash
from progressive.application.seals.note import COSIGNATURE, read_note
from progressive.application.seals.proving import (
    NotSealedError,
    NotYetSealedError,
    SealReading,
)
from tests.support.sealed import MAIN, ListedJournal, SealedLink


class AsReader:
    """The part of `JournalReader` that proofs read, over a listed journal."""

    def __init__(self, listed: ListedJournal) -> None:
        self._listed = listed

    async def journal_end(self, link: str) -> JournalEnd:
        records = self._listed.records
        return JournalEnd(len(records), hash_record(records[-1]))

    async def acts(self, link: str, **_: object) -> Sequence[bytes]:
        return []

    async def segments(self, link: str) -> Sequence[Segment]:
        return self._listed.segments()

    async def read(
        self, link: str, *, after_seq: int = 0, until_seq: int = 0
    ) -> AsyncIterator[Sequence[bytes]]:
        for chunk in self._listed.stretch(after_seq, until_seq):
            yield chunk


def reading_of(sealed: SealedLink, data: Path) -> SealReading:
    journal = AsReader(sealed.journal)
    return SealReading(journal, lambda link: LinkSeals(data, link))  # type: ignore[arg-type]


@pytest.mark.parametrize("size", [1, 256, 300, 1024, 1500])
async def test_every_record_has_a_proof_that_holds(tmp_path: Path, size: int) -> None:
    sealed = SealedLink(tmp_path, ListedJournal(size))
    sealed.seal()
    proofs = reading_of(sealed, tmp_path)
    seqs = sorted({1, size, max(1, size // 2), min(size, 256), min(size, 257)})
    seal, found = await proofs.inclusions(MAIN, seqs)
    root = sealed.journal.root(size)
    assert (seal.checkpoint.size, seal.checkpoint.root) == (size, root)
    for each in found:
        assert each.record == sealed.journal.records[each.seq - 1]
        assert is_included(leaf_hash(each.record), each.seq - 1, size, each.hashes, root)
    for old in seqs:
        _, hashes = await proofs.consistency(MAIN, old)
        assert extends(old, sealed.journal.root(old), size, root, hashes)


async def test_a_proof_leads_to_the_newest_seal_that_a_witness_confirmed(tmp_path: Path) -> None:
    witness = new_signer("regulator")
    sealed = SealedLink(tmp_path, ListedJournal(300))
    log = sealed.seal(270)
    note = read_note(log.newest.note)
    log.cosigned(witness.key(COSIGNATURE), [witness.cosign(note.text, 1)], note)
    sealed.seal()
    proofs = reading_of(sealed, tmp_path)
    seal, [found] = await proofs.inclusions(MAIN, [270])
    assert (seal.checkpoint.size, len(read_note(seal.note).signatures)) == (270, 2)
    assert is_included(leaf_hash(found.record), 269, 270, found.hashes, sealed.journal.root(270))
    # A record that nobody else has confirmed yet has the house's own seal.
    seal, _ = await proofs.inclusions(MAIN, [270, 271])
    assert (seal.checkpoint.size, len(read_note(seal.note).signatures)) == (300, 1)


async def test_what_is_not_sealed_has_no_proof(tmp_path: Path) -> None:
    sealed = SealedLink(tmp_path, ListedJournal(20))
    proofs = reading_of(sealed, tmp_path)
    with pytest.raises(NotSealedError):
        await proofs.newest(MAIN)
    sealed.seal(10)
    for seq in (0, 11, 999):
        with pytest.raises(NotYetSealedError):
            await proofs.inclusions(MAIN, [seq])
    with pytest.raises(NotYetSealedError):
        await proofs.consistency(MAIN, 11)


async def test_no_proof_is_given_from_a_damaged_tree(tmp_path: Path) -> None:
    sealed = SealedLink(tmp_path, ListedJournal(1024))
    sealed.seal()
    tree = sealed.folder.folder / "tree-8"
    content = bytearray(tree.read_bytes())
    content[40] ^= 1
    tree.write_bytes(content)
    with pytest.raises(StoreUnavailableError, match="no proof now"):
        await reading_of(sealed, tmp_path).inclusions(MAIN, [1000])
    tree.unlink()
    with pytest.raises(StoreUnavailableError, match="no proof now"):
        await reading_of(sealed, tmp_path).inclusions(MAIN, [1000])


@pytest.mark.parametrize("end", [512, 700])
async def test_purged_records_have_no_proof_and_all_others_have(tmp_path: Path, end: int) -> None:
    sealed = SealedLink(tmp_path, ListedJournal(1500, checkpoints=(end + 1,)))
    sealed.seal(1200)
    sealed.journal.close_segment(end)
    sealed.seal()
    sealed.journal.purge(1)
    proofs, root = reading_of(sealed, tmp_path), sealed.journal.root(1500)
    _, found = await proofs.inclusions(MAIN, [end + 1, end + 2, 1023, 1500])
    for each in found:
        assert is_included(leaf_hash(each.record), each.seq - 1, 1500, each.hashes, root)
    for seq in (1, 300, end - 1, end):
        with pytest.raises(StorePurgedError):
            await proofs.inclusions(MAIN, [seq])
