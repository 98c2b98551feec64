"""From lines to what happened: joined, cut to the range, and the same whenever it is read."""

import pytest

from progressive.application.floor.happenings_fold import SILENT_SECONDS, HappeningsFold
from progressive.domain.happenings import Happened, HappenedKind, HappeningLine, Noted
from progressive.domain.ids import LinkId
from tests.support.happened import after, alive, line, said

MAIN, HIGH = LinkId("main"), LinkId("high")
STALE = {"kind": "sign_stale", "about": "wall", "name": "sign_stale.wall.1", "link": "main"}


def folded(
    lines: list[HappeningLine],
    from_seconds: float = 0,
    to_seconds: float = 3600,
    link: LinkId | None = MAIN,
) -> tuple[Happened, ...]:
    fold = HappeningsFold(after(from_seconds), after(to_seconds), link)
    fold.over(lines)
    return fold.finish()


def test_an_hour_in_which_nothing_happened() -> None:
    assert folded([line(0, Noted.STARTED), *alive(60, 3600)]) == ()


@pytest.mark.parametrize("clean", [True, False])
def test_an_outage_is_from_the_last_sign_of_life_to_the_next_start(clean: bool) -> None:
    lines = [
        *alive(0, 600),
        *([line(610, Noted.STOPPED)] if clean else []),
        line(900, Noted.STARTED, since=after(610 if clean else 600), clean=clean),
        *alive(960, 3600),
    ]
    (outage,) = folded(lines)
    assert outage.kind is HappenedKind.OUTAGE
    assert (outage.at, outage.until) == (after(610 if clean else 600), after(900))
    assert (outage.clean, outage.lasts, outage.link) == (clean, True, None)


def test_an_outage_keeps_its_end_beyond_the_range() -> None:
    lines = [*alive(0, 600), line(9000, Noted.STARTED, since=after(600))]
    assert said(folded(lines)) == [("outage", "", after(600), after(9000), 1)]
    # The days in between, and the day after.
    assert said(folded(lines, 3600, 7200)) == [("outage", "", after(600), after(9000), 1)]
    assert folded(lines, 9000, 9060) == ()


def test_a_service_that_was_stopped_and_did_not_come_back() -> None:
    lines = [*alive(0, 600), line(610, Noted.STOPPED)]
    (outage,) = folded(lines)
    assert (outage.kind, outage.at, outage.until) == ("outage", after(610), "")
    assert outage.clean


@pytest.mark.parametrize(
    ("silent_seconds", "found"), [(SILENT_SECONDS, []), (SILENT_SECONDS + 1, ["no sign of life"])]
)
def test_no_sign_of_life(silent_seconds: int, found: list[str]) -> None:
    goes_on = [*alive(0, 600), *alive(600 + silent_seconds, 3600)]
    assert [str(each.kind) for each in folded(goes_on)] == found
    # Nobody knows yet whether it was killed.
    at_the_end = alive(0, 3600 - silent_seconds)
    last = (3600 - silent_seconds) // 60 * 60
    assert [str(each.kind) for each in folded(at_the_end, to_seconds=last + silent_seconds)] == (
        found
    )


def test_a_start_with_a_clock_that_was_set_back_is_no_outage() -> None:
    lines = [*alive(0, 600), line(300, Noted.STARTED, since=after(600)), *alive(660, 3600)]
    assert folded(lines) == ()


def test_an_alarm_is_joined_with_its_end() -> None:
    lines = [
        *alive(0, 60),
        line(100, Noted.RAISED, message="no contact", **STALE),
        *alive(120, 180),
        line(200, Noted.ENDED, since=after(100), **STALE),
        *alive(240, 3600),
    ]
    (stale,) = folded(lines)
    assert said((stale,)) == [("sign_stale", "wall", after(100), after(200), 1)]
    assert (stale.message, stale.link, stale.lasts) == ("no contact", "main", True)


def test_an_end_alone_knows_its_beginning() -> None:
    lines = [*alive(0, 60), line(90, Noted.ENDED, since=after(-500), **STALE), *alive(120, 3600)]
    assert said(folded(lines)) == [("sign_stale", "wall", after(-500), after(90), 1)]


def test_what_stands_at_the_beginning_of_a_file_began_before() -> None:
    lines = [line(0, Noted.STANDS, since=after(-500), **STALE), *alive(0, 3600)]
    assert said(folded(lines)) == [("sign_stale", "wall", after(-500), "", 1)]
    raised_too = [line(-500, Noted.RAISED, **STALE), *alive(-480, 0), *lines]
    assert said(folded(raised_too)) == said(folded(lines))


def test_what_lasts_beyond_the_range_has_no_end_in_it() -> None:
    """So that a report over days that are past does not change any more."""
    lines = [*alive(0, 60), line(90, Noted.RAISED, **STALE), *alive(120, 3600)]
    ended = [*lines, line(3600, Noted.ENDED, since=after(90), **STALE)]
    assert folded(ended) == folded(lines)
    assert said(folded(lines)) == [("sign_stale", "wall", after(90), "", 1)]


def test_what_was_over_before_the_range_is_not_in_it() -> None:
    lines = [
        line(100, Noted.RAISED, **STALE),
        line(200, Noted.ENDED, since=after(100), **STALE),
        line(200, Noted.REFUSED, kind="BAD_CARD", about="BJ-01", link="main"),
        *alive(240, 3600),
    ]
    assert folded(lines, 201) == ()
    assert [each.code for each in folded(lines, 200)] == ["BAD_CARD"]
    assert [each.code for each in folded(lines, 0, 200)] == ["sign_stale"]


@pytest.mark.parametrize("how", [Noted.STOPPED, Noted.STARTED])
def test_what_lasts_ends_with_the_service(how: Noted) -> None:
    lines = [line(100, Noted.RAISED, message="no contact", **STALE), *alive(120, 600)]
    if how is Noted.STOPPED:
        lines += [line(600, Noted.STOPPED)]
    lines += [line(700, Noted.STARTED, since=after(600)), *alive(720, 3600)]
    (stale, outage) = folded(lines)
    assert (stale.at, stale.until) == (after(100), after(600))
    assert stale.message == "no contact; the service ended before it did"
    assert outage.at == after(600)


@pytest.mark.parametrize(("link", "found"), [(MAIN, 2), (HIGH, 1), (None, 2)])
def test_a_link_hears_of_itself_and_of_the_whole_service(link: LinkId | None, found: int) -> None:
    lines = [
        *alive(0, 3600),
        line(3000, Noted.REFUSED, kind="BAD_CARD", about="BJ-01", link="main"),
        line(3000, Noted.ACT_REFUSED, kind="WRONG_ROLE", about="pay_award", who="Ann"),
    ]
    assert len(folded(lines, link=link)) == found


def test_a_moment_of_a_past_outage_is_no_sign_of_life() -> None:
    lines = [
        *alive(0, 600),
        line(800, Noted.MOMENT, kind="account_ended", about="Mal"),
        line(900, Noted.STARTED, since=after(600)),
        *alive(960, 3600),
    ]
    assert [each.code or str(each.kind) for each in folded(lines)] == ["outage", "account_ended"]


def test_words_of_a_newer_version_are_passed_over() -> None:
    lines = [*alive(0, 60), HappeningLine(at=after(120), what="danced"), *alive(180, 3600)]
    assert folded(lines) == ()


def test_what_was_not_written_is_said() -> None:
    (lost,) = folded([*alive(0, 3600), line(3000, Noted.LOST, times=12)])
    assert (lost.kind, lost.times) == ("not logged", 12)
