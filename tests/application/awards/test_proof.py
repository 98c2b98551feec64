"""The award proof: whole records, each proved to be in the seal, and no name of anybody."""

import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from progressive.adapters.seals.files import LinkSeals
from progressive.adapters.seals.signing import signatures_by
from progressive.adapters.sqlite.journal import SqliteStore
from progressive.application.awards.proof import FORM, AwardProof, HoldsNamesError, award_proof
from progressive.application.awards.sheet import NoSheetError
from progressive.application.journal.ports import StoreUnavailableError
from progressive.application.link.batch import ActReceipt
from progressive.application.seals.merkle import is_included, leaf_hash
from progressive.application.seals.note import COSIGNATURE, read_checkpoint, read_note
from progressive.application.seals.proving import NotSealedError, NotYetSealedError, SealReading
from progressive.domain.acts import SignOn
from progressive.domain.rejections import Refusal
from tests.support.awards import BEN, DORA, MEGA_HAND, PAIR
from tests.support.builders import BJ1, BJ2, LINK, Desk, a_desk, a_lock, a_settle
from tests.support.sealed_award import HOUSE, WITNESS, seal


@asynccontextmanager
async def a_floor(data: Path) -> AsyncIterator[tuple[SqliteStore, Desk]]:
    store = SqliteStore(data)
    async with a_desk(store) as desk:
        done = await desk.worker.perform(SignOn(BJ1, DORA))
        assert isinstance(done, ActReceipt)
        yield store, desk
    await store.close()


async def won(desk: Desk, *, early: bool = False) -> int:
    """The record that made an award at BJ-01."""
    commands = [a_lock(1)]
    if early:
        commands.append(
            a_settle(2, round="r1", seats={1: PAIR}, dealer="As", early=True, complete=False)
        )
        commands.append(a_settle(3, round="r1", seats={1: "7s 7h 7c"}, dealer="As 9h"))
    else:
        commands.append(a_settle(2, seats={1: MEGA_HAND}, dealer="5s 9c"))
    for command in commands:
        answer = (await desk.ask(command)).answer
        assert not isinstance(answer, Refusal), answer
    return desk.worker.view.seq


async def play_on(desk: Desk, rounds: int) -> None:
    for seq in range(1, 2 * rounds, 2):
        for command in (a_lock(seq), a_settle(seq + 1)):
            await desk.ask(command, table=BJ2)


async def proof_of(data: Path, store: SqliteStore, desk: Desk, award: str, seq: int) -> AwardProof:
    last_seq = desk.worker.view.seq
    seals = SealReading(store, partial(LinkSeals, data))
    return await award_proof(store, seals, LINK, award, seq, last_seq=last_seq)


def blocks(text: str) -> list[tuple[int, bytes, list[bytes]]]:
    """As a stranger reads them: numbers, records, hashes."""
    head, _, _ = text.partition("\n\n")
    found: list[tuple[int, bytes, list[bytes]]] = []
    lines = iter(head.split("\n")[2:])
    for line in lines:
        if line.startswith("record "):
            found.append((int(line.removeprefix("record ")), next(lines).encode(), []))
        else:
            found[-1][2].append(base64.b64decode(line, validate=True))
    return found


@pytest.mark.parametrize("early", [False, True], ids=["plain", "early"])
@pytest.mark.parametrize("rounds", [0, 3, 400])
async def test_every_record_of_the_round_is_proved(
    tmp_path: Path, rounds: int, early: bool
) -> None:
    async with a_floor(tmp_path) as (store, desk):
        seq = await won(desk, early=early)
        await play_on(desk, rounds)
        note = await seal(tmp_path)
        award = f"{LINK}.{seq}.1"
        proof = await proof_of(tmp_path, store, desk, award, seq)
        records = [record async for chunk in store.read(LINK) for record in chunk]
    lines = proof.text.split("\n")
    assert lines[:2] == [FORM, f"award {award}"]
    assert proof.text.endswith(f"\n\n{note}")
    checkpoint = read_checkpoint(read_note(note.encode()).text)
    keys = [HOUSE.named(f"{HOUSE.name}/{LINK}").key(), WITNESS.key(COSIGNATURE)]
    assert len(signatures_by(read_note(note.encode()), keys)) == 2
    found = blocks(proof.text)
    assert len(found) == (3 if early else 2)
    for number, record, hashes in found:
        assert record == records[number - 1]
        leaf = leaf_hash(record)
        assert is_included(leaf, number - 1, checkpoint.size, hashes, checkpoint.root)
    assert (proof.leaf, proof.size, proof.root) == (leaf, checkpoint.size, checkpoint.root)
    for person in (DORA, BEN):
        assert person.name not in proof.text
    assert '"by"' not in proof.text
    assert "dealt_by" not in proof.text


async def test_award_of_before_the_peek_has_the_records_up_to_it(tmp_path: Path) -> None:
    async with a_floor(tmp_path) as (store, desk):
        seq = await won(desk, early=True) - 1
        await seal(tmp_path)
        proof = await proof_of(tmp_path, store, desk, f"{LINK}.{seq}.1", seq)
    assert [number for number, _, _ in blocks(proof.text)] == [seq - 1, seq]


async def test_award_that_no_seal_covers_has_no_proof(tmp_path: Path) -> None:
    async with a_floor(tmp_path) as (store, desk):
        with pytest.raises(NoSheetError):
            await proof_of(tmp_path, store, desk, f"{LINK}.1.1", 1)
        await desk.ask(a_lock(1))
        await seal(tmp_path)
        await desk.ask(a_settle(2, seats={1: MEGA_HAND}, dealer="5s 9c"))
        seq = desk.worker.view.seq
        with pytest.raises(NotYetSealedError, match="the newest seal is of 3"):
            await proof_of(tmp_path, store, desk, f"{LINK}.{seq}.1", seq)
        await seal(tmp_path)
        await proof_of(tmp_path, store, desk, f"{LINK}.{seq}.1", seq)
        for award in (f"{LINK}.{seq}.2", f"other.{seq}.1"):
            with pytest.raises(NoSheetError):
                await proof_of(tmp_path, store, desk, award, seq)
        note = tmp_path / "seals" / LINK / "newest.note"
        note.unlink()
        with pytest.raises(NotSealedError):
            await proof_of(tmp_path, store, desk, f"{LINK}.{seq}.1", seq)


@pytest.mark.slow
async def test_a_damaged_tree_gives_no_wrong_proof(tmp_path: Path) -> None:
    async with a_floor(tmp_path) as (store, desk):
        seq = await won(desk)
        await play_on(desk, 400)
        await seal(tmp_path)
        tree = tmp_path / "seals" / LINK / "tree-8"
        good = tree.read_bytes()
        # The roots of other blocks than the award's own.
        tree.write_bytes(good[:32] + bytes([good[32] ^ 1]) + good[33:])
        with pytest.raises(StoreUnavailableError, match="no proof now"):
            await proof_of(tmp_path, store, desk, f"{LINK}.{seq}.1", seq)


async def test_record_with_a_name_is_not_handed_out(tmp_path: Path) -> None:
    """Version 0.1.0 named the dealer in the settlement."""
    async with a_floor(tmp_path) as (store, desk):
        assert desk.worker.state is not None
        desk.worker.state.sign_ons.clear()
        seq = await won(desk)
        await seal(tmp_path)
        with pytest.raises(HoldsNamesError, match="names the dealer"):
            await proof_of(tmp_path, store, desk, f"{LINK}.{seq}.1", seq)
