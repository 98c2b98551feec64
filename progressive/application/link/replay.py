"""Reading a journal back into the state it left: proves what it reads, takes and writes nothing.

The closed part is confirmed by the hashes that the store holds of it, the chain of the open part
is checked from there on, the state is replayed from the newest snapshot that the chain confirms,
every replayed record is compared with the amounts it names, then the invariants. So it takes as
long after ten years as after a day. Nothing is ever repaired, guessed or started from zero here. A
standby may replay and follow a link that another process writes; beginning a new epoch is
`take_over`'s job.
"""

import asyncio

from msgspec import Struct, structs

from progressive.application.journal.confirming import ClosedPart, closed_part, described
from progressive.application.journal.ports import JournalReader, StoredSnapshot
from progressive.application.journal.reading import reading
from progressive.application.journal.record import (
    GENESIS,
    ChainCheck,
    JournalBrokenError,
    RecordMissingError,
    decode_record,
)
from progressive.application.link.snapshot import decode_state, digest_of, encode_state
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
    confirmed: tuple[StoredSnapshot, ...] = ()
    """States that a `checkpointed` record after what was known before confirms, as they are here:
    a standby keeps its own."""


async def replay(journal: JournalReader, link: LinkId) -> ReplayedLink:
    """Walk the chain of the open part; replay from the newest snapshot, once it is confirmed.

    Raises StoreError or JournalBrokenError.
    """
    closed = closed_part(link, await journal.segments(link))
    # In another thread: the files are hashed while the chain is walked.
    files = asyncio.create_task(journal.confirm_segments(closed.segments))
    try:
        return await _walked(journal, link, closed, await journal.load_snapshot(link))
    finally:
        # A damaged file says more than what follows from it: its error comes first.
        await files


async def _walked(
    journal: JournalReader, link: LinkId, closed: ClosedPart, snapshot: StoredSnapshot | None
) -> ReplayedLink:
    state = LinkState(link=link)
    if snapshot is not None:
        state = decode_state(snapshot.body)
        if state.seq != snapshot.seq or state.link != link:
            raise JournalBrokenError(f"the snapshot at {snapshot.seq} is of another state")
    checkpoint = 0 if snapshot is None else snapshot.seq + 1
    walk = _Walk(
        ReplayedLink(state=state, head=GENESIS, at="", checkpoint_seq=checkpoint),
        snapshot,
        ChainCheck(seq=closed.last_seq, head=closed.head),
    )
    if walk.chain.seq > state.seq:
        # Only where the last snapshots could not be saved: the state is older than the open part.
        walk.chain = await _chain_at(journal, link, closed, state.seq)
        for segment in closed.after(state.seq):
            await walk.through(journal, until_seq=segment.last_seq)
            if (walk.chain.seq, walk.chain.head) != (segment.last_seq, segment.head):
                raise JournalBrokenError(
                    f"{described(segment)} does not end with the record that its row names"
                )
    try:
        await walk.through(journal)
    except RecordMissingError as error:
        if walk.chain.seq != closed.last_seq:
            raise
        raise JournalBrokenError(
            f"{error}. It is the first after {len(closed.segments)} closed segments: the journal "
            f"file's row of segment {len(closed.segments) + 1}, or its first records, were removed"
        ) from None
    if walk.chain.seq < checkpoint:
        raise JournalBrokenError(f"the journal ends before its snapshot at {state.seq}")
    walk.replayed.head = walk.chain.head
    return walk.replayed


async def _chain_at(
    journal: JournalReader, link: LinkId, closed: ClosedPart, seq: int
) -> ChainCheck:
    """The chain after a closed record. In the middle of a segment the next record says what came
    before it: whether that is true shows at the segment's end, whose hash is known."""
    head = closed.head_at(seq)
    if head is None:
        stored = await journal.record(link, seq + 1)
        if stored is None:
            raise JournalBrokenError(f"record {seq + 1} is missing")
        head = decode_record(stored, seq=seq + 1).prev
    return ChainCheck(seq=seq, head=head)


class _Walk:
    """One way along the records: each is chained, those behind the snapshot are replayed."""

    def __init__(
        self, replayed: ReplayedLink, snapshot: StoredSnapshot | None, chain: ChainCheck
    ) -> None:
        self.replayed = replayed
        self.chain = chain
        self._snapshot = snapshot

    async def through(self, journal: JournalReader, *, until_seq: int | None = None) -> None:
        """The records after the last one."""
        chain, state = self.chain, self.replayed.state
        read = journal.read(state.link, after_seq=chain.seq, until_seq=until_seq)
        async with reading(read) as chunks:
            async for stored_records in chunks:
                known = max(0, state.seq - chain.seq)
                chain.feed_all(stored_records[:known])
                for stored in stored_records[known:]:
                    self._replay(stored)
                # Other links, and whoever asks for our health, have their turn.
                await asyncio.sleep(0)

    def _replay(self, stored: bytes) -> None:
        seq, snapshot = self.chain.seq + 1, self._snapshot
        record = decode_record(stored, seq=seq)
        self.chain.follow(record.seq, record.prev, stored)
        if snapshot is not None and seq == snapshot.seq + 1:
            _check_confirmed(record.event, snapshot)
        replay_event(self.replayed.state, record.event, seq)
        self.replayed.at = record.at


async def follow(
    journal: JournalReader, known: ReplayedLink, *, snapshots: bool = False
) -> ReplayedLink:
    """What has been appended after a known state; that state itself stays as it is.

    `snapshots`: encode the state at each checkpoint, and hold it against what its record confirms.
    Raises StoreError or JournalBrokenError.
    """
    link = ReplayedLink(
        state=known.state.copy(), head=known.head, at=known.at, checkpoint_seq=known.checkpoint_seq
    )
    chain = ChainCheck(seq=known.state.seq, head=known.head)
    async with reading(journal.read(known.state.link, after_seq=known.state.seq)) as chunks:
        async for stored_records in chunks:
            for stored in stored_records:
                record = decode_record(stored, seq=chain.seq + 1)
                chain.follow(record.seq, record.prev, stored)
                if snapshots and isinstance(record.event, Checkpointed):
                    snapshot = StoredSnapshot(link.state.seq, encode_state(link.state))
                    _check_confirmed(record.event, snapshot)
                    link.confirmed = (*link.confirmed, snapshot)
                    link.checkpoint_seq = record.seq
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
