"""The settlement sheet by look-ups: the round's own messages, then acts until all is final."""

from collections.abc import AsyncIterator, Collection, Sequence

import pytest

from progressive.adapters.memory.journal import MemoryStore
from progressive.application.awards import round_records
from progressive.application.awards.sheet import NoSheetError, Sheet, settlement_sheet
from progressive.application.journal import stretches
from progressive.application.journal.ports import StorePurgedError
from progressive.application.journal.record import JournalBrokenError
from progressive.application.link.batch import ActReceipt
from progressive.domain.acts import (
    ApproveVoid,
    PayAward,
    PersonsAct,
    ProposeVoid,
    SignOn,
    ValidateAward,
    ValidateRound,
)
from progressive.domain.ids import AwardId, LinkId, RoundId, TableId
from progressive.domain.rejections import Refusal
from tests.support.awards import ANN, BEN, CARA, DORA, MEGA_HAND, PAIR
from tests.support.builders import BJ1, BJ2, LINK, Desk, a_desk, a_link, a_lock, a_settle

EVERY = a_link(validation="every")


class LookedUpStore(MemoryStore):
    """Counts what is looked for; whoever reads a stretch of records through fails the test."""

    def __init__(self) -> None:
        super().__init__()
        self.messages: list[tuple[str, int]] = []
        self.searched: list[tuple[int, int]] = []
        self.open = True

    async def message(
        self, link: LinkId, table: TableId, table_seq: int, *, before_seq: int
    ) -> bytes | None:
        self.messages.append((table, table_seq))
        return await super().message(link, table, table_seq, before_seq=before_seq)

    async def acts(
        self,
        link: LinkId,
        *,
        after_seq: int,
        until_seq: int,
        types: Collection[str] = (),
        about: Collection[str] = (),
    ) -> Sequence[bytes]:
        self.searched.append((after_seq, until_seq))
        assert about, "all acts of a stretch"
        return await super().acts(
            link, after_seq=after_seq, until_seq=until_seq, types=types, about=about
        )

    async def read(
        self, link: LinkId, *, after_seq: int = 0, until_seq: int | None = None
    ) -> AsyncIterator[Sequence[bytes]]:
        assert self.open, "read through"
        async for chunk in super().read(link, after_seq=after_seq, until_seq=until_seq):
            yield chunk

    async def read_back(self, link: LinkId, *, before_seq: int) -> AsyncIterator[Sequence[bytes]]:
        assert self.open, "read back"
        async for chunk in super().read_back(link, before_seq=before_seq):
            yield chunk


@pytest.fixture
def store() -> LookedUpStore:
    return LookedUpStore()


async def do(desk: Desk, *acts: PersonsAct) -> None:
    for act in acts:
        done = await desk.worker.perform(act)
        assert isinstance(done, ActReceipt), done


async def play(desk: Desk, first_seq: int, rounds: int, *, table: TableId = BJ2) -> None:
    for seq in range(first_seq, first_seq + 2 * rounds, 2):
        for command in (a_lock(seq), a_settle(seq + 1)):
            assert not isinstance((await desk.ask(command, table=table)).answer, Refusal)


async def sheet_of(store: LookedUpStore, desk: Desk, seq: int) -> Sheet:
    store.messages, store.searched, store.open = [], [], False
    try:
        return await settlement_sheet(store, LINK, seq, last_seq=desk.worker.view.seq)
    finally:
        store.open = True


async def test_awards_that_the_rack_paid_need_no_search(store: LookedUpStore) -> None:
    async with a_desk(store) as desk:
        await play(desk, 1, 5)
        await desk.ask(a_lock(1))
        await play(desk, 11, 5)
        await desk.ask(a_settle(2, seats={1: "7s 7h 9c"}, dealer="5s 9c"))
        won = desk.worker.view.seq
        await play(desk, 21, 5)
        sheet = await sheet_of(store, desk, won)
    assert [award.status for award in sheet.awards] == ["payable"]
    assert store.messages == [(BJ1, 1)]
    assert store.searched == []


async def test_search_ends_with_the_last_act_that_is_possible(
    store: LookedUpStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stretches, "RECORDS_FIRST", 4)
    async with a_desk(store) as desk:
        await desk.ask(a_lock(1))
        await desk.ask(a_settle(2, seats={1: MEGA_HAND}, dealer="5s 9c"))
        won = desk.worker.view.seq
        award = AwardId(f"{LINK}.{won}.1")
        await play(desk, 1, 3)
        open_sheet = await sheet_of(store, desk, won)
        read_to = store.searched[-1][1]
        assert read_to == desk.worker.view.seq
        await do(desk, ValidateAward(award, ANN), PayAward(award, CARA))
        paid = desk.worker.view.seq
        await play(desk, 7, 20)
        sheet = await sheet_of(store, desk, won)
    assert [award.status for award in open_sheet.awards] == ["pending"]
    assert [award.status for award in sheet.awards] == ["paid"]
    assert [entry.what for entry in sheet.history] == ["validated", "paid"]
    after, until = store.searched[-1]
    assert after < paid <= until < paid + 8
    assert len(store.searched) == 2


async def test_every_award_before_the_peek_is_on_the_sheet(store: LookedUpStore) -> None:
    """The first was voided by two people, the second one stands: the settlement shows both."""
    async with a_desk(store, EVERY) as desk:
        await desk.ask(a_lock(1))
        for seq, hand in ((2, "7c 2c"), (3, PAIR)):
            early = a_settle(
                seq, round="r1", seats={1: hand}, dealer="As", early=True, complete=False
            )
            assert not isinstance((await desk.ask(early)).answer, Refusal)
            first = AwardId(f"{LINK}.{desk.worker.view.seq}.1")
            if seq == 2:
                await do(desk, ProposeVoid(first, ANN, "misread"), ApproveVoid(first, BEN))
        settle = a_settle(4, round="r1", seats={1: "7s 7h 7c"}, dealer="As 9h")
        answer = (await desk.ask(settle)).answer
        assert not isinstance(answer, Refusal), answer
        settled = desk.worker.view.seq
        await do(desk, ValidateRound(BJ1, RoundId("r1"), ANN))
        sheet = await sheet_of(store, desk, settled)
    assert [made.line for made in sheet.early] == ["one_7", "two_7"]
    assert [entry.what for entry in sheet.history][:2] == ["void proposed", "void"]
    assert "validated" in [entry.what for entry in sheet.history]
    assert store.messages == [(BJ1, 3), (BJ1, 2), (BJ1, 1)]


class PurgedStore(LookedUpStore):
    """The first records were removed."""

    purged_seq = 0

    async def record(self, link: LinkId, seq: int) -> bytes | None:
        if seq <= self.purged_seq:
            raise StorePurgedError(f"{link}: purged", last_seq=self.purged_seq)
        return await super().record(link, seq)


async def test_dealer_is_looked_up_by_the_number_of_the_sign_on() -> None:
    store = PurgedStore()
    async with a_desk(store) as desk:
        await do(desk, SignOn(BJ1, DORA))
        signed_on = desk.worker.view.seq
        await desk.ask(a_lock(1))
        await desk.ask(a_settle(2, seats={1: MEGA_HAND}, dealer="5s 9c"))
        won = desk.worker.view.seq
        await do(desk, SignOn(BJ1, BEN))
        sheet = await sheet_of(store, desk, won)
        assert (sheet.dealt_by, sheet.dealt_seq) == (DORA, signed_on)
        store.purged_seq = signed_on
        sheet = await sheet_of(store, desk, won)
        assert (sheet.dealt_by, sheet.dealt_seq) == (None, signed_on)
        store.purged_seq = 0
        journal = store._journals[LINK].records
        journal[signed_on - 1] = journal[signed_on - 1].replace(b'"BJ-01"', b'"BJ-02"')
        with pytest.raises(JournalBrokenError, match=f"record {signed_on} is no sign-on at BJ-01"):
            await sheet_of(store, desk, won)


async def test_lock_out_that_is_missing_is_damage_and_not_looked_for_without_end(
    store: LookedUpStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with a_desk(store) as desk:
        await play(desk, 1, 3, table=BJ1)
        await desk.ask(a_lock(7))
        await desk.ask(a_settle(8, seats={1: MEGA_HAND}, dealer="5s 9c"))
        won = desk.worker.view.seq
        monkeypatch.setattr(round_records, "ROUND_MESSAGES_MAX", 0)
        with pytest.raises(JournalBrokenError, match="the lock-out of round r7"):
            await sheet_of(store, desk, won)
        monkeypatch.undo()
        journal = store._journals[LINK].records
        # Another round's lock-out stands where its own was.
        journal[won - 2] = journal[won - 2].replace(b'"round":"r7"', b'"round":"r6"')
        with pytest.raises(JournalBrokenError, match="the lock-out of round r7"):
            await sheet_of(store, desk, won)
        assert store.messages == [(BJ1, 7)]


@pytest.mark.parametrize("seq", [0, 1, 2, 99])
async def test_record_that_settles_nothing_has_no_sheet(store: LookedUpStore, seq: int) -> None:
    async with a_desk(store) as desk:
        await play(desk, 1, 1)
        with pytest.raises(NoSheetError):
            await sheet_of(store, desk, seq)
