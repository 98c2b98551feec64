"""PURE. What one feed of a link says, by itself; what is made of it is the mirror's business."""

from msgspec import structs

from progressive.wire.feed import MeterView, Place, view_of
from progressive.wire.feed_messages import FeedMessage, Snapshot, StateChanged, Tick, Update


class FeedSource:
    """What one feed says, by itself."""

    def __init__(self, snapshot: Snapshot, now: float) -> None:
        self.view = view_of(snapshot)
        self.vouched_at = now - snapshot.age_ms / 1000
        """When it last said something new for its place."""
        self.spoke_at = self.vouched_at
        """When it last said anything for its place."""

    @property
    def place(self) -> Place:
        """Where it stands."""
        return self.view.epoch, self.view.seq

    def follow(self, message: FeedMessage, now: float, *, new: bool) -> bool:
        """What came after the snapshot; whether it vouches for what this source says."""
        match message:
            case Update() if (message.epoch, message.seq) >= self.place:
                new = (message.epoch, message.seq) > self.place
                self._move(message)
            case Tick() if (message.epoch, message.seq) == self.place:
                pass
            case StateChanged():
                self.view = structs.replace(self.view, state=message.state, reason=message.reason)
                return False
            case _:
                return False
        self.spoke_at = now
        if new:
            self.vouched_at = now
        return new

    def _move(self, update: Update) -> None:
        """Newer amounts; the names are those of the snapshot."""
        names = {meter.id: meter.name for meter in self.view.meters}
        self.view = structs.replace(
            self.view,
            epoch=update.epoch,
            seq=update.seq,
            at=update.at,
            meters=tuple([MeterView(m.id, names.get(m.id, m.id), m.cents) for m in update.meters]),
        )
