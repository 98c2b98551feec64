"""Whether a link may work: what is proved durable, what others see of it, and why not.

It never starts from an invented amount: what cannot be proved makes the link inoperable, with the
reason, and the last durable amounts stay visible. A link that another node writes is followed.
"""

import logging
from collections.abc import Coroutine, Sequence
from typing import Final, Literal

from msgspec import structs

from progressive.application.clock import Clock
from progressive.application.journal.ports import (
    StoreCorruptError,
    StoreError,
    StoreLostError,
    StoreUnavailableError,
)
from progressive.application.journal.record import JournalBrokenError
from progressive.application.link.absent import absent_reason, retired_reason
from progressive.application.link.guard import JournalLostError, LinkGuard, Loss
from progressive.application.link.loss import AcceptedLoss, is_of
from progressive.application.link.owned_link import OwnedLink
from progressive.application.link.ports import LedElsewhereError, Publisher, Standby, Store
from progressive.application.link.replay import follow, replay
from progressive.application.link.take_over import (
    Approval,
    TermsDifferError,
    TermsRefusedError,
    take_over,
)
from progressive.application.link.view import WINS_KEPT, live_view, wins_of
from progressive.domain.rulebook.floor_record import FloorRecord
from progressive.domain.rulebook.rules import LinkRules
from progressive.domain.state.invariants import InvariantBrokenError
from progressive.domain.views import LinkView, WinView

log = logging.getLogger(__name__)

RETRY_SECONDS: Final = 1.0
"""How often an inoperable link looks whether its store works again."""
INTERNAL_ERROR: Final = "internal error: see the service's log"

ANOTHER_NODE: Final = "another node"
"""Where its address is not known yet."""
TWO_DEPARTMENTS: Final = "two people of two departments, finance or compliance"

_BROKEN: Final = (StoreError, JournalBrokenError, InvariantBrokenError)

Duty = Literal["leads", "follows", "waits"]
"""Of a node among several: it writes the link, shows what another one writes, or none writes it."""


class LinkStanding:
    """A link between its store and those who look at it."""

    def __init__(
        self,
        rules: LinkRules,
        *,
        store: Store,
        clock: Clock,
        publisher: Publisher,
        floor: FloorRecord | None = None,
        guard: LinkGuard | None = None,
        nothing_kept: bool = False,
        standby: Standby | None = None,
    ) -> None:
        self._rules = rules
        self._standby = standby
        self._floor = floor
        self._store = store
        self._guard = guard
        self._clock = clock
        self._publisher = publisher
        self.link: OwnedLink | None = None
        """None while the link is inoperable: there is then no state to decide against."""
        self.known: OwnedLink | None = None
        """The last state proved durable; outlives a fault."""
        self.terms_differ = False
        """Whether all that keeps the link from working is a floor file nobody has approved."""
        self.loss: Loss | None = None
        """What the journal lacks of what was committed, where that keeps the link from working."""
        self.doubted = False
        """Whether what is known may not be durable any more: the journal is not all there."""
        self.damage: str | None = None
        """What was found to be wrong with the stored past: the link works no more."""
        self.may_retry = True
        self.retry_at = 0.0
        self.leader: str | None = None
        """URL of the node that writes the link, where it is another one."""
        self.view = LinkView(
            link=rules.id,
            epoch=0,
            seq=0,
            at=clock.now(),
            state="inoperable",
            reason="the journal has not been read yet",
            meters=(),
            nothing_kept=nothing_kept,
        )

    @property
    def duty(self) -> Duty | None:
        """What this node does for the link; None where it shares it with no other."""
        if self._standby is None:
            return None
        if self.link is not None:
            return "leads"
        return "waits" if self.leader is None else "follows"

    @property
    def may_be_behind(self) -> bool:
        """Whether another node may have written what this one has not read."""
        return self._standby is not None and self.link is None

    @property
    def leader_now(self) -> str | None:
        """Who leads, where it is not this node for certain: one that hung may not know yet."""
        if self.leader is None and self.link is not None and self._standby is not None:
            return None if self._standby.holds(self._rules.id) else ANOTHER_NODE
        return self.leader

    async def recover(
        self, *, approval: Approval | None = None, accepted: AcceptedLoss | None = None
    ) -> None:
        """Read the journal; the link works afterwards, or says why it does not.

        Raises TermsRefusedError where an approval of the floor file does not count.
        """
        self.terms_differ = False
        self.loss = None
        if self.damage is not None:
            self.fail(self.damage, may_retry=False)
            return
        link = await self._read(self._taken_over(approval, accepted))
        if link is None:
            return
        self.leader = None
        self.link = self.known = link
        self.doubted = False
        if self.damage is not None:
            # Found while the journal was read.
            self.fail(self.damage, may_retry=False)
            return
        # An append that failed may have been kept after all, and a win with it.
        self.show(link, won=self._wins_of(link))
        place = {"link": self._rules.id, "epoch": link.epoch, "seq": link.state.seq}
        if self.view.state == "live":
            log.info("link live", extra=place)
        else:
            log.error("link inoperable", extra=place | {"reason": self.view.reason})

    async def _taken_over(
        self, approval: Approval | None, accepted: AcceptedLoss | None
    ) -> OwnedLink:
        if self._standby is not None:
            # First: what this node lacks because it was away is not lost.
            await self._standby.follow(self._rules.id)
        return await take_over(
            self._store,
            self._rules,
            self._clock,
            floor=self._floor,
            guard=self._guard,
            known=self.known,
            approval=approval,
            accepted=accepted,
        )

    async def follow_leader(self) -> None:
        """Copy and show what the leader has appended meanwhile; try to lead where nobody does."""
        if self._standby is None or self.damage is not None:
            await self.recover()
            return
        followed = await self._read(self._followed(self._standby))
        if followed is None:
            return
        before, self.known = self.known, followed
        if before is None or followed.state.seq > before.state.seq:
            self.show(followed, won=self._wins_of(followed))
        if self.leader is None:
            await self.recover()

    async def _followed(self, standby: Standby) -> OwnedLink:
        """The link as the copy on this node has it now."""
        leading = await standby.follow(self._rules.id)
        self.leader, known = leading.leader, self.known
        if known is not None and (known.epoch, known.state.seq) == (leading.epoch, leading.seq):
            return known
        if known is None:
            replayed = await replay(self._store, self._rules.id)
        else:
            replayed = await follow(self._store, known, snapshots=True)
        for snapshot in replayed.confirmed:
            await standby.save_followed_snapshot(
                self._rules.id, seq=snapshot.seq, body=snapshot.body
            )
        return OwnedLink(
            state=replayed.state,
            head=replayed.head,
            at=replayed.at,
            checkpoint_seq=replayed.checkpoint_seq,
            settled=replayed.settled,
            epoch=leading.epoch,
        )

    def _wins_of(self, link: OwnedLink) -> list[WinView]:
        """Wins that this node has not shown yet. Those of another node are shown as that one did: a
        sign that changes from it to here sees none of them twice."""
        won = wins_of(link.settled, epoch=link.epoch)
        standby = self._standby
        if standby is None:
            return won
        epochs = [standby.epoch_of(self._rules.id, win.seq) for win in won]
        return [
            structs.replace(win, epoch=epoch or win.epoch)
            for win, epoch in zip(won, epochs, strict=True)
        ]

    async def _read(self, reading: Coroutine[None, None, OwnedLink]) -> OwnedLink | None:
        """What was proved of the link; None: it is out of service, or led by another node."""
        try:
            return await reading
        except TermsRefusedError:
            self.terms_differ = True
            raise
        except TermsDifferError as error:
            self.terms_differ = True
            self.fail(str(error), may_retry=False)
        except JournalLostError as error:
            self.loss = error.loss
            self.doubted = True
            self.fail(await self._in_words(error.loss), may_retry=False)
        except StoreLostError as error:
            self.lose(str(error))
        except LedElsewhereError as error:
            self.stand_by(error.leader)
        except StoreUnavailableError as error:
            self.fail(f"the journal cannot be opened: {error}", may_retry=True)
        except _BROKEN as error:
            # Only a person can mend this: trying again would only hide it, but for a shared log.
            may_pass = isinstance(error, StoreCorruptError) and error.may_pass
            self.fail(str(error), may_retry=may_pass)
        except Exception:
            log.exception("recovery failed", extra={"link": self._rules.id})
            self.fail(INTERNAL_ERROR, may_retry=False)
        return None

    def stand_by(self, leader: str) -> None:
        """Another node writes the link: this one follows it, and shows what it reads."""
        if self.leader is None:
            log.info("standing by", extra={"link": self._rules.id, "leader": leader})
        self.link, self.leader = None, leader
        self.may_retry = True
        if self.known is not None:
            self.show(self.known)
        else:
            self._publish(structs.replace(self.view, leader=leader))

    def lose(self, reason: str) -> None:
        """The journal was taken away under the running service: it does not come back by itself."""
        self.doubted = True
        self.fail(reason, may_retry=False)

    async def _in_words(self, loss: Loss) -> str:
        """What is missing, and who has accepted that already."""
        words = f"{loss.words} ({TWO_DEPARTMENTS}): progressive accept-loss {loss.link}"
        try:
            first = None if self._guard is None else await self._guard.memory.acceptance(loss.link)
        except StoreError:
            first = None
        if first is None or not is_of(first, loss):
            return words
        return f"{words} (accepted by {first.by.name}; it takes a second person)"

    def fail(self, reason: str, *, may_retry: bool) -> None:
        """Out of service, said on every sign and table."""
        self.link = self.leader = None
        self.may_retry = may_retry
        self.retry_at = self._clock.monotonic() + RETRY_SECONDS
        if (self.view.state, self.view.reason) != ("inoperable", reason):
            log.error("link inoperable", extra={"link": self._rules.id, "reason": reason})
        self._publish(structs.replace(self.view, state="inoperable", reason=reason, leader=None))

    def _publish(self, view: LinkView) -> None:
        self.view = view
        self._publisher.publish(view)

    def show(self, link: OwnedLink, won: Sequence[WinView] = ()) -> None:
        """Publish what is now durable."""
        wins = (*self.view.wins, *won)[-WINS_KEPT:]
        rules, reason = self._rules, None
        if link.state.retired:
            # Its meters stand at nothing, and stay so.
            rules = structs.replace(rules, terms=link.state.terms or rules.terms)
            wins, reason = (), retired_reason(link.state)
        elif rules.absent:
            reason = absent_reason(rules, link.state)
        view = live_view(rules, link, wins, nothing_kept=self.view.nothing_kept)
        view = structs.replace(view, leader=self.leader)
        if reason is not None:
            view = structs.replace(view, state="inoperable", reason=reason)
        self._publish(view)
        if won:
            self._publisher.announce(self._rules.id, won)
