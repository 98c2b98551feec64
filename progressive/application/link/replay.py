"""Reading a journal back into the state it left: proves what it reads, takes and writes nothing.

The whole chain is checked, the state is replayed from the newest snapshot that the chain confirms,
every replayed record is compared with the amounts it names, then the invariants. Nothing is ever
repaired, guessed or started from zero here. A standby may replay and follow a link that another
process writes; beginning a new epoch is `take_over`'s job.
"""

import asyncio

from msgspec import Struct, structs

from progressive.application.journal.ports import JournalReader, StoredSnapshot
from progressive.application.journal.record import (
    GENESIS,
    ChainCheck,
    JournalBrokenError,
    decode_record,
)
from progressive.application.link.snapshot import decode_state, digest_of
from progressive.domain.events import Checkpointed, Event, LinkOpened, RoundSettled
from progressive.domain.ids import LinkId
from progressive.domain.state.evolve import apply
from progressive.domain.state.invariants import InvariantBrokenError, check
from progressive.domain.state.link_state import LinkState


class ReplayedLink(Struct, kw_only=True):
    """A link as its journal left it, up to some record."""

    state: LinkState
    head: str
    at: str
    """Time of the last record."""
    checkpoint_seq: int
    """The record that confirms the newest snapshot, 0 where there is none."""
    settled: list[tuple[int, RoundSettled]] = []
    """Rounds with awards after what was known before: durable, but no sign has shown them."""


async def replay(journal: JournalReader, link: LinkId) -> ReplayedLink:
    """Walk the whole chain; replay from the newest snapshot, once the chain has confirmed it.

    Raises StoreError or JournalBrokenError.
    """
    snapshot = await journal.load_snapshot(link)
    state = LinkState(link=link)
    checkpoint = 0
    if snapshot is not None:
        state = decode_state(snapshot.body)
        checkpoint = snapshot.seq + 1
        if state.seq != snapshot.seq or state.link != link:
            raise JournalBrokenError(f"the snapshot at {snapshot.seq} is of another state")
    replayed = ReplayedLink(state=state, head=GENESIS, at="", checkpoint_seq=checkpoint)
    chain = ChainCheck()
    async for stored_records in journal.read(link):
        for stored in stored_records:
            chain.feed(stored)
            if chain.seq <= state.seq:
                continue
            record = decode_record(stored, seq=chain.seq)
            if snapshot is not None and chain.seq == checkpoint:
                _check_confirmed(record.event, snapshot)
            replay_event(state, record.event, chain.seq)
            replayed.at = record.at
        # Other links, and whoever asks for our health, have their turn.
        await asyncio.sleep(0)
    if chain.seq < checkpoint:
        raise JournalBrokenError(f"the journal ends before its snapshot at {state.seq}")
    replayed.head = chain.head
    return replayed


async def follow(journal: JournalReader, known: ReplayedLink) -> ReplayedLink:
    """What has been appended after a known state; that state itself stays as it is.

    Raises StoreError or JournalBrokenError.
    """
    link = ReplayedLink(
        state=known.state.copy(), head=known.head, at=known.at, checkpoint_seq=known.checkpoint_seq
    )
    chain = ChainCheck(seq=known.state.seq, head=known.head)
    async for stored_records in journal.read(known.state.link, after_seq=known.state.seq):
        for stored in stored_records:
            chain.feed(stored)
            record = decode_record(stored, seq=chain.seq)
            replay_event(link.state, record.event, chain.seq)
            link.at = record.at
            if isinstance(record.event, RoundSettled) and record.event.awards:
                link.settled.append((chain.seq, record.event))
    return structs.replace(link, head=chain.head)


def _check_confirmed(event: Event, snapshot: StoredSnapshot) -> None:
    if not isinstance(event, Checkpointed) or event.state_digest != digest_of(snapshot.body):
        raise JournalBrokenError(
            f"the snapshot at {snapshot.seq} is not the one the journal speaks of"
        )


def replay_event(state: LinkState, event: Event, seq: int) -> None:
    """Enter one record's event; raises JournalBrokenError where it cannot follow the state."""
    if isinstance(event, LinkOpened) is not (seq == 1):
        raise JournalBrokenError(f"record {seq}: a journal begins with link_opened, once")
    if isinstance(event, LinkOpened) and event.link != state.link:
        raise JournalBrokenError(f"record {seq} opens the link {event.link}, not {state.link}")
    try:
        apply(state, event)
    except KeyError as missing:
        raise JournalBrokenError(f"record {seq} names {missing}, which the link lacks") from None
    if not isinstance(event, LinkOpened) and event.meters != state.primaries:
        raise JournalBrokenError(f"record {seq}: the meters are not where the one before left them")
    try:
        check(state)
    except InvariantBrokenError as error:
        raise JournalBrokenError(f"record {seq}: {error}") from None
