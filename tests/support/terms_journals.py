"""A journal written by the pure writer, event by event, and read by the verifier at once."""

from collections.abc import Callable
from hashlib import sha256

import msgspec

from progressive.application.journal.record import GENESIS, encode_record
from progressive.application.link.take_over import terms_digest
from progressive.domain.acts import ApproveTerms, PersonsAct
from progressive.domain.commands import TableCommand
from progressive.domain.decide.acts import decide_act
from progressive.domain.decide.decide import Repeat, decide, open_link
from progressive.domain.events import Event
from progressive.domain.rejections import Refusal
from progressive.domain.rulebook.floor_record import floor_record
from progressive.domain.rulebook.rules import LinkRules
from progressive.domain.state.evolve import apply
from progressive.domain.state.link_state import LinkState
from progressive.domain.time_text import Moment
from progressive.verifier.rules.books import Books
from tests.support.builders import BJ1, LINK, NOW
from tests.support.journals import Row
from tests.support.recorded import decoded


class TermsJournal:
    """The writer's state, and the records it led to."""

    def __init__(self, rules: LinkRules) -> None:
        self.rules = rules
        self.state = LinkState(link=LINK)
        self.records: list[bytes] = []
        self.write(open_link(rules, floor_record(rules, program="0.2.0", started_by="ann")))

    def write(self, event: Event, at: str = NOW.at) -> None:
        apply(self.state, event)
        prev = sha256(self.records[-1]).hexdigest() if self.records else GENESIS
        self.records.append(encode_record(self.state.seq, at, prev, event))

    def play(self, *commands: TableCommand) -> None:
        for command in commands:
            event = decide(self.state, self.rules, BJ1, command, NOW)
            assert not isinstance(event, Refusal | Repeat), event
            self.write(event)

    def act(self, *acts: PersonsAct, when: Moment = NOW) -> None:
        for act in acts:
            if isinstance(act, ApproveTerms):
                digest = terms_digest(act.terms)
                act = msgspec.structs.replace(act, terms_digest=digest)
            event = decide_act(self.state, self.rules, act, when)
            assert not isinstance(event, Refusal), event
            self.write(event, when.at)

    def forge(self, seq: int, change: Callable[[Row], None]) -> None:
        """Change a record; the chain is not looked at here."""
        record = msgspec.json.decode(self.records[seq - 1])
        change(record["event"])
        self.records[seq - 1] = msgspec.json.encode(record)

    def forge_last(self, change: Callable[[Row], None]) -> None:
        self.forge(len(self.records), change)

    def prove(self) -> Books:
        """The verifier's books; raises DiscrepancyError at the first wrong record."""
        books = Books(LINK)
        for stored in self.records:
            books.enter(decoded(stored), stored)
        books.check_balance()
        return books
