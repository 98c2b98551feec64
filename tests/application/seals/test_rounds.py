"""Which witness is asked what, and when."""

from pathlib import Path

import pytest

from progressive.adapters.seals.key_file import new_signer
from progressive.adapters.seals.signing import signatures_by
from progressive.application.seals.note import COSIGNATURE, read_note
from progressive.application.seals.rounds import ASK_AGAIN_SECONDS, RETRY_SECONDS, Rounds
from progressive.application.seals.sealing import WitnessNews
from progressive.application.seals.witnessing import Answer, Witness
from progressive.domain.ids import LinkId
from tests.support.fake_clock import FakeClock
from tests.support.sealed import ListedJournal, SealedLink, checkpoint_of

REGULATOR = new_signer("regulator")
WITNESS = Witness("http://w", REGULATOR.key(COSIGNATURE))


class Desk:
    """One log with ten records, one witness, and what it was sent."""

    def __init__(self, tmp_path: Path) -> None:
        self.link = SealedLink(tmp_path / "data", ListedJournal(10))
        self.log = self.link.seal()
        self.clock = FakeClock()
        self.sent: list[bytes] = []
        self.rounds = Rounds(
            [WITNESS], send=self._send, checked=signatures_by, monotonic=self.clock.monotonic
        )

    def _send(self, witness: Witness, link: LinkId, body: bytes) -> None:
        del witness, link
        self.sent.append(body)

    def agrees(self, at: int) -> list[WitnessNews]:
        text = read_note(self.sent[-1].partition(b"\n\n")[2]).text
        line = REGULATOR.cosign(text, at).line.encode()
        return self.rounds.answered(WITNESS, self.log, Answer(200, line))

    def look(self) -> int:
        """How many questions the next look sends."""
        before = len(self.sent)
        self.rounds.begin(self.log)
        return len(self.sent) - before


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_a_seal_is_sent_once_until_it_is_answered(desk: Desk) -> None:
    assert desk.look() == 1
    assert desk.look() == 0
    assert desk.rounds.waits_for(desk.log)
    assert desk.rounds.next_at([desk.log]) is None
    [news] = desk.agrees(1)
    assert (news.standing, news.size) == ("agrees", 10)
    assert desk.look() == 0


def test_a_witness_that_agreed_is_asked_again_while_nothing_is_new(desk: Desk) -> None:
    """A night without play: five minutes after its last seal every witness was said to be gone."""
    desk.look()
    desk.agrees(1)
    assert desk.rounds.next_at([desk.log]) == ASK_AGAIN_SECONDS
    desk.clock.advance(ASK_AGAIN_SECONDS - 1)
    assert desk.look() == 0
    desk.clock.advance(1)
    assert desk.look() == 1
    # About the same seal: nothing is to be proved, and the signature is of now.
    assert desk.sent[-1].startswith(b"old 10\n\n")
    [news] = desk.agrees(60)
    assert news.standing == "agrees"
    note = read_note(desk.link.folder.newest() or b"")
    assert len(note.signatures) == 2
    assert note.signatures[1] == REGULATOR.cosign(note.text, 60)
    assert desk.rounds.next_at([desk.log]) == 2 * ASK_AGAIN_SECONDS


def test_a_newer_seal_does_not_wait(desk: Desk) -> None:
    desk.look()
    desk.agrees(1)
    desk.link.journal.add()
    assert desk.log.advance(desk.link.journal.target(), records_max=10)
    assert desk.look() == 1
    assert desk.sent[-1].startswith(b"old 10\n")


def test_a_seal_that_is_made_while_a_question_is_under_way_is_sent_with_its_answer(
    desk: Desk,
) -> None:
    """Question and seal are due every minute: each seal waited for the minute after its own, and
    the answer about the one before was dropped, so that none ever bore a cosignature."""
    desk.look()
    desk.agrees(1)
    desk.clock.advance(ASK_AGAIN_SECONDS)
    assert desk.look() == 1
    desk.link.journal.add()
    assert desk.log.advance(desk.link.journal.target(), records_max=10)
    assert desk.look() == 0
    [news] = desk.agrees(60)
    assert (news.standing, news.size) == ("agrees", 10)
    assert desk.sent[-1].startswith(b"old 10\n")
    assert desk.rounds.waits_for(desk.log)
    # What was confirmed meanwhile is there, though it is not the newest any more.
    [stored] = desk.link.folder.cosigned()
    assert (checkpoint_of(stored).size, len(read_note(stored).signatures)) == (10, 2)
    [news] = desk.agrees(61)
    assert news.size == 11
    assert desk.link.newest().size == 11
    assert len(read_note(desk.link.folder.newest() or b"").signatures) == 2
    assert not desk.rounds.waits_for(desk.log)


def test_a_witness_that_fell_silent_leaves_what_it_confirmed_last(desk: Desk) -> None:
    desk.look()
    desk.agrees(1)
    desk.link.journal.add()
    assert desk.log.advance(desk.link.journal.target(), records_max=10)
    assert desk.look() == 1
    desk.rounds.answered(WITNESS, desk.log, Answer(0, why="refused"))
    assert len(read_note(desk.link.folder.newest() or b"").signatures) == 1
    [stored] = desk.link.folder.cosigned()
    assert checkpoint_of(stored).size == 10


def test_one_that_went_away_is_noticed_and_asked_again_later(desk: Desk) -> None:
    desk.look()
    desk.agrees(1)
    desk.clock.advance(ASK_AGAIN_SECONDS)
    desk.look()
    [news] = desk.rounds.answered(WITNESS, desk.log, Answer(0, why="refused"))
    assert (news.standing, news.size) == ("silent", 10)
    assert desk.look() == 0
    next_at = desk.rounds.next_at([desk.log])
    assert next_at is not None
    assert 0 < next_at - desk.clock.monotonic() <= RETRY_SECONDS
    desk.clock.advance(RETRY_SECONDS)
    assert desk.look() == 1


def test_a_log_that_is_not_open_is_waited_for_by_nobody(desk: Desk) -> None:
    desk.look()
    desk.agrees(1)
    assert desk.rounds.next_at([]) is None
