"""HOT. One writer per link: the only one that moves its meters. This is its face and its life.

The way of a message is in `pipeline`, what happens when the store fails in `faults`, approval of
another floor file in `terms_approval`.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from progressive.application.clock import Clock
from progressive.application.link.appender import Appender, has_uncheckpointed
from progressive.application.link.batch import (
    ActReceipt,
    ActSubmission,
    Answer,
    Calling,
    Reply,
    give,
)
from progressive.application.link.faults import Faults
from progressive.application.link.guard import LinkGuard
from progressive.application.link.loss_acceptance import LossAcceptance
from progressive.application.link.mailbox import Mailbox
from progressive.application.link.memory import CommittedMark
from progressive.application.link.old_answers import OldAnswers
from progressive.application.link.owned_link import OwnedLink, gaming_days
from progressive.application.link.pipeline import UNEXPECTED, Pipeline
from progressive.application.link.ports import Publisher, Standby, Store, Telemetry
from progressive.application.link.replies import FateUnknownError, resolve
from progressive.application.link.standing import INTERNAL_ERROR, Duty, LinkStanding
from progressive.application.link.take_over import Approval
from progressive.application.link.terms_approval import TermsApproval
from progressive.domain.acts import PersonsAct
from progressive.domain.commands import TableCommand
from progressive.domain.ids import TableId
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.rulebook.floor_record import FloorRecord
from progressive.domain.rulebook.rules import LinkRules
from progressive.domain.signatures import Signature
from progressive.domain.state.link_state import NEW_TABLE, LinkState, TableState
from progressive.domain.views import LinkView

log = logging.getLogger(__name__)


class LinkWorker:
    """The only one that moves a link's meters."""

    def __init__(
        self,
        rules: LinkRules,
        *,
        store: Store,
        clock: Clock,
        publisher: Publisher,
        telemetry: Telemetry,
        floor: FloorRecord | None = None,
        guard: LinkGuard | None = None,
        nothing_kept: bool = False,
        standby: Standby | None = None,
    ) -> None:
        """`guard`: compares the journal with what was committed before; None: nothing is.

        `nothing_kept`: a store that ends with the process; whoever looks at the link is told.
        `standby`: how to follow another node that writes the link; None: there is no other.
        """
        self.rules: Final = rules
        self._mailbox = Mailbox()
        self._standing = LinkStanding(
            rules,
            store=store,
            clock=clock,
            publisher=publisher,
            floor=floor,
            guard=guard,
            nothing_kept=nothing_kept,
            standby=standby,
        )
        self._old_answers = OldAnswers(store, rules.id, on_damage=self.lose_soon)
        self._faults = Faults(
            rules,
            mailbox=self._mailbox,
            standing=self._standing,
            old_answers=self._old_answers,
            clock=clock,
            telemetry=telemetry,
        )
        self._pipeline = Pipeline(
            rules,
            mailbox=self._mailbox,
            standing=self._standing,
            appender=Appender(store, clock, gaming_days(rules), self._checkpointed),
            faults=self._faults,
            old_answers=self._old_answers,
            clock=clock,
            telemetry=telemetry,
        )
        self._approval = TermsApproval(
            rules.id, mailbox=self._mailbox, standing=self._standing, faults=self._faults
        )
        self._loss = LossAcceptance(
            rules.id,
            mailbox=self._mailbox,
            standing=self._standing,
            faults=self._faults,
            guard=guard,
            clock=clock,
        )
        self._task: asyncio.Task[None] | None = None
        self._end_of_day_asked = False
        self.on_checkpoint: Callable[[], None] = lambda: None
        """Called after every snapshot."""
        self.on_performed: Callable[[ActReceipt], None] = lambda _: None
        """Called when a person's act is durable."""
        self.on_loss_accepted: Callable[[], None] = lambda: None
        """Called when the link works again without records that two people accepted are gone."""

    # --- for sockets and pages ---------------------------------------------------------------

    @property
    def view(self) -> LinkView:
        """What others may see of the link: durable values only."""
        return self._standing.view

    @property
    def queue_depth(self) -> int:
        """Messages that wait for the next commit."""
        return self._mailbox.depth

    @property
    def state(self) -> LinkState | None:
        """The last state proved durable; None where nothing is known."""
        return None if self._standing.known is None else self._standing.known.state

    @property
    def has_left(self) -> bool:
        """Whether it is retired and not in the floor file: nobody waits for it to take wagers."""
        state = self.state
        return self.rules.absent and state is not None and state.retired

    @property
    def leader(self) -> str | None:
        """URL of the node that writes the link, where it is another one, or may be by now."""
        return self._standing.leader_now

    @property
    def duty(self) -> Duty | None:
        """What this node does for the link; None where it shares it with no other."""
        return self._standing.duty

    @property
    def may_be_behind(self) -> bool:
        """Whether another node may have written what this one has not read: then a table is not
        welcomed with a number that it has used already."""
        return self._standing.may_be_behind

    def table_state(self, table: TableId) -> TableState:
        """A table's durable state, as far as it is known."""
        state = self.state
        return NEW_TABLE if state is None else state.tables.get(table, NEW_TABLE)

    def submit_nowait(self, table: TableId, command: TableCommand, reply: Reply) -> None:
        """HOT. Take a message; it is answered through `reply` once it is durable or refused."""
        mailbox = self._mailbox
        batch = mailbox.gathering
        if (
            batch is not None
            and not mailbox.queue
            and len(batch.decided) < batch.limit
            and not mailbox.stopping
        ):
            try:
                batch.decide_message(table, command, reply)
            except Exception as error:
                log.exception(UNEXPECTED, extra={"link": self.rules.id})
                self._pipeline.cannot_decide(batch, error, (table, command, reply))
        elif mailbox.full:
            refusal = Refusal(Rejection.TRY_AGAIN, "the link is busy: send it again")
            give(reply, command.seq, refusal, False)
        else:
            mailbox.put((table, command, reply))

    async def perform(self, act: PersonsAct) -> ActReceipt | Refusal:
        """Decide a person's act in its turn; the answer means durable.

        Raises FateUnknownError where the journal failed under it: whoever asked looks again.
        """
        if self._mailbox.full:
            return Refusal(Rejection.TRY_AGAIN, "the link is busy: try again")
        done: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._mailbox.put(ActSubmission(act, Calling(lambda _, answer, __: resolve(done, answer))))
        answer = await done
        if isinstance(answer, ActReceipt):
            self.on_performed(answer)
            return answer
        if isinstance(answer, Refusal):
            return answer
        raise FateUnknownError(self.rules.id)

    async def approve_terms(self, by: Signature, reason: str) -> Refusal | None:
        """Somebody approves the floor file, where it is not the journal's; None: that is durable.

        Raises FateUnknownError where the journal failed under it.
        """
        return await self._approval.ask(Approval(by, reason))

    async def accept_loss(self, by: Signature, reason: str) -> Refusal | None:
        """Somebody accepts that records are missing from the journal; None: that is durable.

        Raises FateUnknownError where the store failed under it.
        """
        refusal = await self._loss.ask(by, reason)
        if refusal is None and self._standing.link is not None:
            self.on_loss_accepted()
        return refusal

    # --- for whoever watches over the store ---------------------------------------------------

    def sealed(self, size: int) -> None:
        """So many records are sealed: that is remembered with the next mark."""
        known = self._standing.known
        if known is not None and size <= known.state.seq:
            known.sealed_size = max(known.sealed_size, size)

    @property
    def mark(self) -> CommittedMark | None:
        """The newest record that is durable; None where nothing is known."""
        return None if self._standing.known is None else self._standing.known.mark

    @property
    def lacks_records(self) -> bool:
        """Whether it stands still because committed records are gone, which people may accept."""
        return self._standing.loss is not None

    @property
    def archivable(self) -> OwnedLink | None:
        """The link, where its older records may move into segments: nothing of it is doubted."""
        return self._standing.link

    def end_day_soon(self) -> None:
        """A gaming day is over and nobody plays: save a snapshot, where something follows the last
        one."""
        self._end_of_day_asked = True
        self._mailbox.wake()

    def lose_soon(self, reason: str) -> None:
        """The journal was taken away: the link stops once a running commit has ended."""
        if self._standing.link is not None:
            self._standing.doubted = True
            self._mailbox.undecidable = reason
            self._mailbox.wake()

    def stand_by_soon(self, leader: str) -> None:
        """Another node has taken the link: it is followed once a running commit has ended."""
        if self._standing.link is not None:
            self._mailbox.led_by = leader
            self._mailbox.wake()

    def doubt_soon(self, reason: str) -> None:
        """The store cannot be relied on: the link stops once a running commit has ended, and works
        again as soon as the store can be opened."""
        if self._standing.link is not None:
            self._mailbox.undecidable = reason
            self._mailbox.may_retry = True
            self._mailbox.wake()

    def stop_for_good_soon(self, reason: str) -> None:
        """Damage was found in what is stored: the link stops once a running commit has ended, and
        does not come back by itself. Answers that were given still hold."""
        standing = self._standing
        before, standing.damage = standing.damage, reason
        if standing.link is not None:
            self._mailbox.undecidable = reason
            self._mailbox.wake()
        elif standing.may_retry or before is not None:
            self._faults.fail(reason, may_retry=False)

    def open_again_soon(self) -> None:
        """What is stored was found to be whole again: a link that damage keeps closed opens."""
        standing = self._standing
        if standing.damage is not None and standing.link is None:
            standing.damage = None
            standing.may_retry, standing.retry_at = True, 0.0
            self._mailbox.wake()

    # --- life --------------------------------------------------------------------------------

    async def start(self) -> None:
        """Recover the link, then work. A link that cannot be recovered starts inoperable."""
        await self._faults.recover()
        self._task = asyncio.create_task(self._run(), name=f"link {self.rules.id}")

    async def stop(self) -> None:
        """Answer all that waits, save a snapshot, and stop."""
        self._mailbox.stopping = True
        self._mailbox.wake()
        if self._task is not None:
            await self._task
        await self._old_answers.finish()
        self._approval.refuse()
        self._loss.refuse()
        link = self._standing.link
        if link is not None and has_uncheckpointed(link):
            await self._pipeline.checkpoint(link)

    def _checkpointed(self) -> None:
        self.on_checkpoint()

    async def _run(self) -> None:
        mailbox = self._mailbox
        while mailbox.queue or not mailbox.stopping:
            try:
                await self._turn()
            except Exception:
                # A bug must stop this link only, and say so, rather than hang its tables.
                log.exception("link stopped", extra={"link": self.rules.id})
                self._faults.fail(INTERNAL_ERROR, may_retry=False)

    async def _turn(self) -> None:
        link = self._standing.link
        if link is None:
            self._faults.refuse_waiting()
            if self._approval.waiting and not self._mailbox.stopping:
                await self._approval.enter()
            elif self._loss.waiting and not self._mailbox.stopping:
                await self._loss.enter()
            elif self._standing.leader is not None and not self._mailbox.stopping:
                await self._faults.stand_by()
            elif not self._mailbox.stopping:
                await self._faults.wait_or_recover()
        elif self._mailbox.led_by is not None:
            self._faults.give_up_to(self._mailbox.led_by)
        elif self._mailbox.undecidable is not None:
            self._faults.fail(self._mailbox.undecidable, may_retry=self._mailbox.may_retry)
        elif self._mailbox.queue:
            await self._pipeline.work(link)
        elif self._end_of_day_asked:
            self._end_of_day_asked = False
            if has_uncheckpointed(link) and self._pipeline.day_is_over(link):
                await self._pipeline.checkpoint(link)
        else:
            await self._mailbox.wait(timeout_seconds=None)
