"""Who is shown what when a link moves: the real hub and messages, one sign, two listeners."""

import re

import pytest
from msgspec import structs

from progressive.domain.ids import LinkId
from progressive.domain.views import LinkView, MeterView, WinView
from progressive.entry.publishing import FloorPublisher
from progressive.live.hub import Hub
from progressive.wire.feed import FeedEncoding
from tests.live.test_hub import FakeTransport

MAIN, SIDE = LinkId("main"), LinkId("side")
AT = "2026-01-01T00:00:00.000000Z"
UNKNOWN = LinkView(MAIN, 0, 0, AT, "inoperable", "starting", ())
LIVE = LinkView(MAIN, 1, 7, AT, "live", None, (MeterView("mega", "Mega", 700),))
GROWN = structs.replace(LIVE, seq=8, meters=(MeterView("mega", "Mega", 800),))
STOPPED = structs.replace(GROWN, state="inoperable", reason="disk full")
WIN = WinView(1, 9, AT, "main.9.1", "BJ-01", 1, "mega", "three_7_diamonds", 800, 100)


class Stage:
    """A publisher, a sign of each link, and whoever else is called."""

    def __init__(self) -> None:
        encoding = FeedEncoding(lambda: AT)
        self.publisher = FloorPublisher(encoding)
        self._signs = {}
        for link in (MAIN, SIDE):
            hub = Hub(structs.replace(UNKNOWN, link=link), encoding)
            self._signs[link] = FakeTransport()
            hub.join(self._signs[link], "entrance")
            self.publisher.add_hub(link, hub)
        self.views: list[LinkView] = []
        self.states: list[LinkView] = []
        self.publisher.on_view(self.views.append)
        self.publisher.on_state(self.states.append)

    def read(self, link: LinkId = MAIN) -> list[str]:
        """The kinds of messages that a link's sign got since it was last asked."""
        frames, self._signs[link].frames = b"".join(self._signs[link].frames), []
        return re.findall(r'"type":"(\w+)"', frames.decode(errors="replace"))


@pytest.fixture
async def stage() -> Stage:
    made = Stage()
    assert made.read() == made.read(SIDE) == ["snapshot"]
    return made


async def test_a_link_that_comes_to_life_gives_its_signs_the_names_of_its_meters(
    stage: Stage,
) -> None:
    stage.publisher.publish(LIVE)
    assert stage.read() == ["update", "state", "update", "snapshot"]


async def test_a_state_is_announced_once_and_every_view_is_passed_on(stage: Stage) -> None:
    for view in (LIVE, GROWN, STOPPED, STOPPED):
        stage.publisher.publish(view)
    assert stage.states == [LIVE, STOPPED]
    assert stage.views == [LIVE, GROWN, STOPPED, STOPPED]


async def test_growth_alone_waits_for_the_hubs_own_pace(stage: Stage) -> None:
    stage.publisher.publish(LIVE)
    stage.read()
    stage.publisher.publish(GROWN)
    assert stage.read() == []


async def test_another_reason_is_another_state(stage: Stage) -> None:
    worse = structs.replace(STOPPED, reason="journal damaged")
    for view in (STOPPED, worse):
        stage.publisher.publish(view)
    assert stage.states == [STOPPED, worse]
    # No snapshot: a link that takes no wagers confirms no amounts.
    assert stage.read() == ["update", "state", "update", "state"]


async def test_a_win_is_on_the_signs_of_its_link_at_once(stage: Stage) -> None:
    stage.publisher.announce(MAIN, [WIN, structs.replace(WIN, award="main.9.2")])
    assert stage.read() == ["win", "win"]
    assert stage.read(SIDE) == []


async def test_links_do_not_share_their_state(stage: Stage) -> None:
    stage.publisher.publish(LIVE)
    stage.publisher.publish(structs.replace(LIVE, link=SIDE))
    assert stage.read(SIDE) == ["update", "state", "update", "snapshot"]
