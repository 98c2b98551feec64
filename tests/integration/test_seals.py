"""The real service seals its journal, and opens only the one that was sealed."""

import asyncio
import json
import os
import shutil
from pathlib import Path

import aiohttp
import pytest

from progressive.adapters.seals.files import LinkSeals
from progressive.adapters.seals.key_file import new_signer, read_signer, write_key
from progressive.adapters.seals.signing import signatures_by
from progressive.adapters.sqlite.journal_reader import SqliteJournalReader
from progressive.application.journal.record import hash_record
from progressive.application.seals.merkle import is_included, leaf_hash
from progressive.application.seals.note import (
    COSIGNATURE,
    Checkpoint,
    decode_base64,
    read_note,
)
from progressive.domain.ids import LinkId
from tests.integration.test_lost_journal import link, play, wait_inoperable
from tests.support.a_witness import AWitness, witnessing
from tests.support.cage import CARA, FRED, Cage, staffed
from tests.support.mischief_with_seals import cut_tail, records_of, replace_journal, rewrite
from tests.support.sealed import checkpoint_of, tree_of
from tests.support.service import ServiceProcess, run_command
from tests.support.small_seals import MODULE
from tests.support.witnesses import WitnessFiles, WitnessProcess

pytestmark = pytest.mark.slow

MAIN = LinkId("main")


class House:
    """A data directory and its key."""

    def __init__(self, folder: Path, name: str = "house") -> None:
        self.folder = folder
        self.data = folder / "data"
        self.file = folder / "seal-key"
        write_key(self.file, new_signer(name))

    @property
    def seals(self) -> LinkSeals:
        return LinkSeals(self.data, MAIN)

    def serve(self, *options: str | Path, **environment: str) -> ServiceProcess:
        return ServiceProcess(
            self.data, "--seal-key", self.file, *options, module=MODULE, **environment
        )

    async def played(self, rounds: int = 3, *options: str | Path) -> None:
        with self.serve(*options) as service:
            await play(service, rounds)
            assert service.terminate() == 0

    def newest(self) -> Checkpoint:
        return checkpoint_of(self.seals.newest())

    async def reason(self, *options: str | Path) -> str:
        """Why the link does not open; empty where it does."""
        with self.serve(*options) as service:
            return (await link(service.url))["reason"] or ""


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


async def fetched(service: ServiceProcess, path: str) -> tuple[int, str]:
    async with aiohttp.ClientSession(service.url) as session, session.get(path) as response:
        return response.status, await response.text()


SAFETY_SECONDS = 300
"""For a hung test, never a measure of speed: the processes it waits for run at idle priority."""


async def wait_sealed(service: ServiceProcess, seq: int) -> None:
    async with asyncio.timeout(SAFETY_SECONDS):
        while (await link(service.url))["sealed_seq"] < seq:
            await asyncio.sleep(0.02)


# --- sealing -----------------------------------------------------------------------------------


async def test_records_are_sealed_while_they_come_and_a_stop_seals_the_last(house: House) -> None:
    with house.serve() as service:
        await play(service, 3)
        await wait_sealed(service, 7)
        assert house.newest().size == 7
        assert service.terminate() == 0
    records = records_of(house.data)
    newest = house.newest()
    assert newest.size == len(records) == 8
    assert newest.root == tree_of(records).root()
    note = read_note(house.seals.newest() or b"")
    key = read_signer(house.file).key().named("house/main")
    assert len(signatures_by(note, [key])) == 1
    assert await house.reason() == ""


async def test_seals_and_proofs_are_for_anyone(house: House) -> None:
    with house.serve() as service:
        await play(service, 4)
        await wait_sealed(service, 9)
        assert await fetched(service, "/v1/links/main/seal") == (
            200,
            (house.seals.newest() or b"").decode(),
        )
        _, key = await fetched(service, "/v1/links/main/seal/key")
        assert key == f"{read_signer(house.file).key().named('house/main').text}\n"
        status, proof = await fetched(service, "/v1/links/main/seal/proof?seq=5")
        assert status == 200
        head, _, note = proof.partition("\n\n")
        lines = head.split("\n")
        assert lines[:2] == ["c2sp.org/tlog-proof@v1", "index 4"]
        newest = checkpoint_of(note.encode())
        leaf = leaf_hash(records_of(house.data)[4])
        hashes = [decode_base64(line) for line in lines[2:]]
        assert is_included(leaf, 4, newest.size, hashes, newest.root)
        status, consistency = await fetched(service, "/v1/links/main/seal/consistency?from=3")
        assert status == 200
        assert consistency.startswith("old 3\n")
        for path, code in (
            ("proof?seq=0", "NO_RECORD"),
            ("proof?seq=999", "NO_RECORD"),
            ("proof?seq=x", "BAD_SEQ"),
            ("proof", "BAD_SEQ"),
            ("consistency?from=999", "NO_RECORD"),
        ):
            _, body = await fetched(service, f"/v1/links/main/seal/{path}")
            assert json.loads(body)["error"]["code"] == code, path
        _, version = await fetched(service, "/v1/version")
        assert json.loads(version)["sealed"] is True
        assert service.terminate() == 0
    made = run_command("seal", "--data", house.data, "--link", "main", "--proof", "5")
    assert made.returncode == 0, made.stderr
    assert made.stdout.startswith("c2sp.org/tlog-proof@v1\nindex 4\n")


async def test_segments_have_their_seals(house: House) -> None:
    with house.serve() as service:
        await play(service, 120)
        journal = SqliteJournalReader(house.data, unchanged=True)
        async with asyncio.timeout(SAFETY_SECONDS):
            while len(await journal.segments(MAIN)) < 2:
                await asyncio.sleep(0.05)
        await play(service, 1)
        assert service.terminate() == 0
    records = [stored async for chunk in journal.read(MAIN) for stored in chunk]
    for segment in await journal.segments(MAIN):
        found = checkpoint_of(house.seals.segment_note(segment.name))
        expected = tree_of(records[: segment.last_seq])
        assert (found.size, found.root) == (segment.last_seq, expected.root())
        assert tuple(house.seals.segment_range(segment.name) or ()) == expected.hashes
    assert all(size > segment.last_seq for size in house.seals.waiting())


async def test_without_a_key_it_says_so(tmp_path: Path) -> None:
    with ServiceProcess(tmp_path / "data") as service:
        assert (await link(service.url))["sealed_seq"] == 0
        status, body = await fetched(service, "/v1/links/main/seal")
        assert (status, json.loads(body)["error"]["code"]) == (404, "NOT_SEALED")
        _, version = await fetched(service, "/v1/version")
        assert json.loads(version)["sealed"] is False
        assert service.terminate() == 0
        assert "journals are not sealed: no key is given" in (tmp_path / "data.log").read_text()
    assert not (tmp_path / "data" / "seals").exists()


@pytest.mark.parametrize("fault", ["missing", "exposed", "no key"])
def test_a_key_that_cannot_be_used_is_said_before_anything_opens(house: House, fault: str) -> None:
    match fault:
        case "missing":
            house.file.unlink()
        case "exposed":
            house.file.chmod(0o644)
        case "no key":
            house.file.write_text("name house\n")
    started = run_command(
        *("serve", "--floor", "config/floor.toml", "--listen", "127.0.0.1:0"),
        *("--data", house.data, "--seal-key", house.file),
    )
    assert started.returncode == 2
    assert str(house.file) in started.stderr
    assert "Traceback" not in started.stderr
    assert "ready" not in started.stdout
    assert not records_there(house.data)


def records_there(data: Path) -> bool:
    return (data / "journal.sqlite3").exists() and bool(records_of(data))


# --- the start ---------------------------------------------------------------------------------


async def test_a_cut_tail_is_noticed_though_everything_else_was_made_to_fit(house: House) -> None:
    await house.played()
    cut_tail(house.data, 3)
    reason = await house.reason()
    assert "8 records are sealed, the journal ends at 5: its tail was cut off" in reason
    assert "accept-loss main" in reason


@pytest.mark.parametrize("seq", [2, 7])
async def test_a_rewritten_chain_is_noticed(house: House, seq: int) -> None:
    await house.played()
    rewrite(house.data, seq)
    assert "the journal is not the one that was sealed" in await house.reason()


async def test_a_chain_that_was_rewritten_and_sealed_with_another_key(house: House) -> None:
    await house.played()
    rewrite(house.data, 3)
    shutil.rmtree(house.data / "seals")
    (house.folder / "forger").mkdir()
    forger = House(house.folder / "forger")
    forger.data = house.data
    await forger.played(1)
    assert "sealed with another key" in await house.reason()


@pytest.mark.parametrize("line", [0, 1, 2, 4])
async def test_a_note_with_a_changed_field_is_noticed(house: House, line: int) -> None:
    await house.played()
    lines = (house.seals.newest() or b"").decode().split("\n")
    changed = {0: "house/other", 1: "7", 2: "A" * 43 + "=", 4: lines[4][:-9] + "AAAAAAAA="}
    lines[line] = changed[line]
    house.seals.write_newest("\n".join(lines).encode())
    reason = await house.reason()
    expected = "seal of another link, house/other" if line == 0 else "newest.note"
    assert expected in reason


async def test_seals_that_were_removed_are_missed(house: House) -> None:
    await house.played()
    shutil.rmtree(house.data / "seals")
    reason = await house.reason()
    assert "8 records of main were sealed, and there is no seal any more" in reason


async def test_an_older_seal_in_the_place_of_the_newest_is_noticed_by_what_a_witness_confirmed(
    house: House,
) -> None:
    await house.played()
    older, records = house.newest(), records_of(house.data)
    note = house.seals.newest()
    assert note is not None
    await house.played(1)
    house.seals.write_cosigned("9f3c21d4", house.seals.newest() or b"")
    # All else is put back to what was there when the older one was made.
    house.seals.write_newest(note)
    replace_journal(house.data, records)
    said = f"a witness has confirmed 11 records of main, and the newest seal is of {older.size}"
    assert said in await house.reason()


async def test_a_pipe_in_the_place_of_a_file_holds_up_no_start(house: House) -> None:
    await house.played()
    for path, said in (
        (house.data / "seals" / "main" / "newest.note", "newest.note: it is a pipe or a device"),
        (house.data / "committed" / "main.json", "main.json: it is a pipe or a device"),
    ):
        aside = path.rename(path.with_suffix(".aside"))
        os.mkfifo(path)
        assert said in await house.reason()
        path.unlink()
        aside.rename(path)
    assert await house.reason() == ""


async def test_a_service_without_the_key_still_compares_and_raises_an_alarm(house: House) -> None:
    await house.played()
    with ServiceProcess(house.data) as service:
        assert (await link(service.url))["state"] == "live"
        service.kill()
    cut_tail(house.data, 4)
    with ServiceProcess(house.data) as service:
        assert "its tail was cut off" in (await link(service.url))["reason"]


async def test_a_planned_change_of_key(house: House, tmp_path: Path) -> None:
    await house.played()
    old = read_signer(house.file).key()
    house.file = tmp_path / "new-key"
    write_key(house.file, new_signer("house"))
    assert "sealed with another key" in await house.reason()
    await house.played(1, "--seal-key-before", old.text)
    assert (house.seals.folder / "ended-8.note").exists()
    assert await house.reason() == ""


@pytest.mark.parametrize("damage", ["tree-8", "nothing"])
async def test_a_damaged_tree_keeps_no_link_closed(house: House, damage: str) -> None:
    await house.played(200)
    tree = house.seals.folder / "tree-8"
    whole = tree.read_bytes()
    assert whole
    if damage == "tree-8":
        tree.write_bytes(bytes(len(whole)))
    with house.serve() as service:
        assert (await link(service.url))["state"] == "live"
        await play(service, 1)
        assert service.terminate() == 0
    assert tree.read_bytes() == whole
    # The very records decide, wherever they lie.
    journal = SqliteJournalReader(house.data, unchanged=True)
    records = [stored async for chunk in journal.read(MAIN) for stored in chunk]
    assert house.newest().root == tree_of(records).root()
    assert ("stored tree is damaged" in service_log(house)) is (damage == "tree-8")


def service_log(house: House) -> str:
    return (house.folder / "data.log").read_text()


# --- an accepted loss --------------------------------------------------------------------------


async def accepted(service: ServiceProcess, tokens: dict[str, str]) -> None:
    path, reason = "/v1/links/main/loss/accept", {"reason": "the disk burnt; see report 12"}
    async with Cage.at(service.url, tokens) as cage:
        status, answer = await cage.asks(CARA, "POST", path, reason)
        assert status == 202, answer
        status, answer = await cage.asks(FRED, "POST", path, reason)
        assert (status, answer["state"]) == (200, "live"), answer


async def test_after_a_loss_that_two_people_accept_another_log_begins(house: House) -> None:
    signer = read_signer(house.file)
    with witnessing(AWitness(signer.key())) as witness:
        await house.played(3, "--witness", witness.option)
        before = house.seals.newest()
        tokens = await staffed(house.data)
        cut_tail(house.data, 3)
        with house.serve("--witness", witness.option) as service:
            await accepted(service, tokens)
            await play(service, 2)
            await wait_sealed(service, 10)
            status, note = await fetched(service, "/v1/links/main/seal")
            assert status == 200
            assert service.terminate() == 0
        newest = house.newest()
        (loss,) = [each for each in records_of(house.data) if b"loss_accepted" in each]
        assert newest.origin == f"house/main/6-{hash_record(loss)[:8]}"
        assert checkpoint_of(note.encode()).origin == newest.origin
        assert (house.seals.folder / "ended-8.note").read_bytes() == before
        assert newest.origin in witness.seen
        assert await house.reason("--witness", witness.option) == ""
    verified = run_command("verify", "--data", house.data)
    assert verified.returncode == 0, verified.stdout + verified.stderr
    # Nothing else says how many sealed records are gone.
    assert "8 records are sealed, the journal ends at 5: its tail was cut off" in verified.stdout
    cut_tail(house.data, 2)
    assert "its tail was cut off" in await house.reason()


async def test_a_loss_that_only_a_witness_knows_of_is_accepted_too(house: House) -> None:
    signer = read_signer(house.file)
    with witnessing(AWitness(signer.key())) as witness:
        await house.played(1, "--witness", witness.option)
        tokens = await staffed(house.data)
        witness.seen["house/main"] = Checkpoint("house/main", 10_000, b"\x01" * 32)
        with house.serve("--witness", witness.option) as service:
            assert "older copy" in (await link(service.url))["reason"]
            await accepted(service, tokens)
            await play(service, 1)
            await wait_sealed(service, 7)
            assert (await link(service.url))["state"] == "live"
            assert service.terminate() == 0
        assert await house.reason("--witness", witness.option) == ""


# --- witnesses ---------------------------------------------------------------------------------


async def test_a_witness_confirms_every_seal(house: House) -> None:
    with witnessing(AWitness(read_signer(house.file).key())) as witness:
        with house.serve("--witness", witness.option) as service:
            await play(service, 3)
            async with asyncio.timeout(SAFETY_SECONDS):
                while not _cosigned(house, witness, 7):
                    await asyncio.sleep(0.02)
                # The service hears of it a moment later.
                cosigned = 'progressive_witnessed_records{link="main",witness="regulator"} 7.0'
                while cosigned not in (await fetched(service, "/metrics"))[1]:
                    await asyncio.sleep(0.02)
            assert service.terminate() == 0
        assert witness.seen["house/main"].size >= 7


def _cosigned(house: House, witness: AWitness, size: int) -> bool:
    stored = house.seals.newest()
    if stored is None or checkpoint_of(stored).size < size:
        return False
    return bool(signatures_by(read_note(stored), [witness.key]))


async def test_an_older_copy_of_everything_is_noticed_by_a_witness(house: House) -> None:
    with witnessing(AWitness(read_signer(house.file).key())) as witness:
        await house.played(1, "--witness", witness.option)
        older = shutil.copytree(house.data, house.folder / "older")
        with house.serve("--witness", witness.option) as service:
            await play(service, 3)
            async with asyncio.timeout(SAFETY_SECONDS):
                while witness.seen["house/main"].size < 9:
                    await asyncio.sleep(0.02)
            service.kill()
        shutil.rmtree(house.data)
        shutil.copytree(older, house.data)
        reason = await house.reason("--witness", witness.option)
        assert "witness regulator has seen " in reason
        assert "this data directory is an older copy" in reason
        assert "accept-loss main" in reason
    # Without the witness nobody can know: the copy is whole.
    shutil.rmtree(house.data)
    shutil.copytree(older, house.data)
    assert await house.reason() == ""


async def test_a_silent_witness_keeps_no_link_closed(house: House) -> None:
    with witnessing(AWitness(read_signer(house.file).key())) as witness:
        witness.mute = True
        with house.serve("--witness", witness.option) as service:
            assert (await link(service.url))["state"] == "live"
            await play(service, 2)
            await wait_sealed(service, 5)
            assert witness.asked
            service.kill()
    with house.serve("--witness", witness.option) as service:
        assert (await link(service.url))["state"] == "live"


async def test_a_witness_that_disagrees_stops_a_running_link(house: House) -> None:
    signer = read_signer(house.file)
    with (
        witnessing(AWitness(signer.key())) as witness,
        house.serve("--witness", witness.option) as service,
    ):
        await play(service, 1)
        await wait_sealed(service, 3)
        witness.seen["house/main"] = Checkpoint("house/main", 10_000, b"\x01" * 32)
        await play(service, 1)
        assert "has seen 10,000 sealed records" in await wait_inoperable(service.url)
        service.kill()
    # Silence takes nothing back.
    assert "10,000 sealed records" in await house.reason("--witness", witness.option)


async def test_our_own_witness_notices_an_older_copy(house: House) -> None:
    files = WitnessFiles(house.folder / "witness", read_signer(house.file))
    with WitnessProcess(files) as witness:
        option = f"{witness.url} {witness.vkey}"
        await house.played(2, "--witness", option)
        older = shutil.copytree(house.data, house.folder / "older")
        await house.played(2, "--witness", option)
        note = read_note(house.seals.newest() or b"")
        assert len(signatures_by(note, [files.signer.key(COSIGNATURE)])) == 1
        assert await house.reason("--witness", option) == ""
        shutil.rmtree(house.data)
        shutil.copytree(older, house.data)
        reason = await house.reason("--witness", option)
    assert "witness.example/w1 has seen " in reason
    assert "older copy" in reason


# --- kills and full disks ------------------------------------------------------------------------


STEPS: list[tuple[str, int]] = [
    ("make folder seals", 1),
    ("make folder main", 1),
    *[
        (f"{what} {name}", nth)
        for name in ("newest.note", "at-N.note", "at-N.range")
        for what in ("make", "write", "sync", "rename")
        for nth in ((1, 3) if name == "newest.note" else (1,))
    ],
    *[(f"{what} tree-8", 1) for what in ("make", "write", "sync")],
    *[("sync a folder", nth) for nth in (1, 3, 8)],
    ("remove at-N.note", 1),
    ("remove at-N.range", 1),
]


async def test_every_step_of_sealing_is_among_those_that_are_interrupted(house: House) -> None:
    been = house.folder / "been"
    with house.serve(FAULTY_SEALER=f"list||0|{been}") as service:
        await play(service, 140)
        await wait_sealed(service, 281)
        # Segments are closed whenever the machine has time; seals within them go with the next one.
        listed, due = been.with_suffix(".list"), {name for name, _ in STEPS}
        async with asyncio.timeout(SAFETY_SECONDS):
            while not due <= set(listed.read_text().splitlines()):
                await play(service, 1)
        assert service.terminate() == 0
    assert set(listed.read_text().splitlines()) == due


FAULTS = [
    *[("kill", *step) for step in STEPS],
    # Where the room ends, the next write fails, whichever step it was at.
    *[("full", name, nth) for name, nth in STEPS if name.startswith("write")],
]


@pytest.mark.parametrize(("how", "step", "nth"), FAULTS)
async def test_killed_or_out_of_room_at_every_step_it_goes_on(
    house: House, how: str, step: str, nth: int
) -> None:
    been = house.folder / "been"
    with house.serve(FAULTY_SEALER=f"{how}|{step}|{nth}|{been}") as service:
        await play(service, 140)
        async with asyncio.timeout(SAFETY_SECONDS):
            while not been.exists():
                # Some steps come with the next seal behind a segment, whenever that is closed.
                await play(service, 1)
                await asyncio.sleep(0.1)
        if how == "kill":
            await wait_sealed(service, 281)
        assert (await link(service.url))["state"] == "live"
        service.kill()
    with house.serve() as service:
        assert (await link(service.url))["state"] == "live"
        await play(service, 1)
        assert service.terminate() == 0
    journal = SqliteJournalReader(house.data, unchanged=True)
    records = [stored async for chunk in journal.read(MAIN) for stored in chunk]
    assert (house.newest().size, house.newest().root) == (len(records), tree_of(records).root())
    assert not [each for each in house.seals.folder.iterdir() if each.name.endswith(".new")]
    for segment in await journal.segments(MAIN):
        found = checkpoint_of(house.seals.segment_note(segment.name))
        assert found.root == tree_of(records[: segment.last_seq]).root()
