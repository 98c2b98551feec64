"""Who is there and what is on the glass: of signs that came themselves, and of those by a relay."""

from progressive.application.signs.desk import (
    ARRIVAL_BURST,
    RELAYED_SECONDS,
    REPORT_BURST,
    REPORTS_A_SECOND,
    SignDesk,
    SignPlace,
)
from progressive.application.signs.reports import Glass, SignEntry
from tests.support.fake_clock import FakeClock


class Notes:
    """A sign log in a list."""

    problem = None

    def __init__(self) -> None:
        self.entries: list[tuple[str, str, SignEntry]] = []

    def note(self, sign: str, link: str, entry: SignEntry, *, keyed: bool) -> None:
        self.entries.append((sign, link, entry))

    @property
    def kinds(self) -> list[str]:
        return [entry.kind for _, _, entry in self.entries]


class Floor:
    """One sign on a wall."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.log = Notes()
        place = SignPlace("main", frozenset(["mega"]))
        self.desk = SignDesk({"wall": place}, self.log, self.clock)

    def hear(self, cents: int = 500, **said: object) -> None:
        report = {"epoch": 1, "seq": 7, "state": "live", "glass": [Glass("mega", cents)]} | said
        self.desk.heard("wall", **report)  # type: ignore[arg-type]

    def pass_seconds(self, seconds: float) -> None:
        self.clock.advance(seconds)
        self.desk.look()


def test_a_sign_with_a_socket_is_there_until_its_last_one_closes() -> None:
    floor = Floor()
    assert not floor.desk.present("wall")
    floor.desk.came("wall")
    floor.desk.came("wall")
    floor.pass_seconds(3600)
    floor.desk.left("wall")
    assert floor.desk.present("wall")
    floor.desk.left("wall")
    assert not floor.desk.present("wall")
    assert floor.log.kinds == ["connected", "gone"]


def test_a_sign_behind_a_relay_is_there_while_it_reports() -> None:
    floor = Floor()
    floor.hear()
    assert floor.desk.present("wall")
    assert floor.desk.relayed("wall")
    floor.pass_seconds(RELAYED_SECONDS - 1)
    assert floor.desk.present("wall")
    floor.pass_seconds(1)
    assert not floor.desk.present("wall")
    floor.hear()
    assert floor.log.kinds == ["connected", "showing", "gone", "connected", "showing"]


def test_a_report_under_way_counts_from_when_it_was_said() -> None:
    floor = Floor()
    floor.hear(age_ms=4_000)
    assert floor.desk.silent_seconds("wall") == 4
    (_, _, connected), (_, _, showing) = floor.log.entries
    floor.hear()
    now = floor.log.entries[-1][2].at_ms
    assert (now - connected.at_ms, now - showing.at_ms) == (4_000, 4_000)


def test_an_older_report_that_comes_late_is_kept_and_is_not_the_last_word() -> None:
    floor = Floor()
    floor.hear(200)
    floor.hear(100, age_ms=5_000)
    word = floor.desk.word("wall")
    assert word is not None
    assert word.entry.glass == (Glass("mega", 200),)
    assert floor.log.kinds == ["connected", "showing", "showing"]


def test_a_report_too_old_brings_nobody_back() -> None:
    floor = Floor()
    floor.hear(age_ms=60_000)
    assert not floor.desk.present("wall")
    assert floor.log.kinds == ["showing"]


def test_what_cannot_be_on_the_glass_is_not_kept() -> None:
    floor = Floor()
    floor.hear(glass=[Glass("mega", 1), Glass("anything", 2)])
    floor.desk.heard("nobody", epoch=1, seq=1, state="live", glass=[])
    floor.desk.came("nobody")
    floor.desk.left("nobody")
    assert [entry.glass for _, _, entry in floor.log.entries] == [(), (Glass("mega", 1),)]
    assert {sign for sign, _, _ in floor.log.entries} == {"wall"}


# --- too many -------------------------------------------------------------------------------------


def test_one_sign_has_so_many_entries_a_second_however_many_speak_for_it() -> None:
    floor = Floor()
    floor.desk.came("wall")
    for _ in range(1_000):
        floor.hear()
    assert floor.log.kinds == ["connected", *["showing"] * int(REPORT_BURST)]
    floor.pass_seconds(1)
    for _ in range(1_000):
        floor.hear()
    assert len(floor.log.entries) == 1 + REPORT_BURST + REPORTS_A_SECOND
    assert floor.desk.refused == 2_000 - REPORT_BURST - REPORTS_A_SECOND


def test_one_that_comes_and_goes_all_the_time_fills_no_log() -> None:
    floor = Floor()
    for _ in range(1_000):
        floor.desk.came("wall")
        floor.desk.left("wall")
    assert len(floor.log.entries) == ARRIVAL_BURST
    assert not floor.desk.present("wall")
