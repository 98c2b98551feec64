"""Addresses, waiting, settings and reports of a relay: pure, and checked before anything runs."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from display.catalogue import Catalogue, decode_cards, decode_links
from display.reports import FORGET_SECONDS, SIGNS_MAX, Reports
from display.settings import BadSettingError, own_name, settings
from progressive.common.addresses import BadAddressError, base_of, elsewhere, origin_of
from progressive.common.backoff import FIRST_SECONDS, LONGEST_SECONDS, Backoff
from progressive.wire.feed import UNNAMED, is_id
from progressive.wire.feed_messages import Showing, ShownMeter, SignReport
from progressive.wire.signs import SignCard


@pytest.mark.parametrize(
    ("text", "base"),
    [
        ("http://10.0.0.2:8080", "http://10.0.0.2:8080"),
        ("http://10.0.0.2:8080/", "http://10.0.0.2:8080"),
        (" https://meters.example ", "https://meters.example"),
        ("ws://host:1/v1/links/main/feed?epoch=1", "http://host:1"),
        ("wss://host/prefix/v1/links/main/feed", "https://host/prefix"),
        ("http://host/prefix/", "http://host/prefix"),
        ("http://host/v1", "http://host"),
        ("http://[::1]:8080/v1/signs", "http://[::1]:8080"),
        ("http://HOST:80", "http://host:80"),
    ],
)
def test_base_of_any_address_below_it(text: str, base: str) -> None:
    assert base_of(text) == base


@pytest.mark.parametrize(
    "text",
    ["", "host:8080", "ftp://host", "javascript:alert(1)", "http://", "http://u:p@host", "//host",
     "http://host:99999", "http://host:x", "http://[::1", "http://ho st", "file:///etc/passwd"],
)  # fmt: skip
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(BadAddressError):
        base_of(text)


@pytest.mark.parametrize(
    ("said", "by", "there"),
    [
        ("http://b:2", "http://a:1", "http://b:2"),
        ("ws://b:2/v1/links/main/feed", "http://a:1", "http://b:2"),
        ("/v1/links/main/feed?x=1", "http://a:1", "http://a:1"),
        ("//b:2/v1/links", "http://a:1", "http://b:2"),
        ("https://b", "http://a", "https://b"),
        # Never from a safe connection to an open one.
        ("http://b", "https://a", None),
        ("ws://b", "https://a", None),
        ("ftp://b", "http://a", None),
        ("", "http://a", None),
        ("http://u:p@b", "http://a", None),
    ],
)
def test_where_a_reader_is_sent_on_to(said: str, by: str, there: str | None) -> None:
    assert elsewhere(said, by=by) == there


@given(st.text(), st.sampled_from(["http://a:1", "https://a/x"]))
def test_nothing_an_upstream_may_say_breaks_a_relay(said: str, by: str) -> None:
    there = elsewhere(said, by=by)
    assert there is None or there.startswith(("http://", "https://"))


def test_origin_leaves_the_path_out() -> None:
    assert origin_of("https://a:1/prefix") == "https://a:1"
    assert origin_of("http://a") == "http://a"


def test_waits_grow_to_a_limit_and_begin_anew() -> None:
    backoff = Backoff(lambda: 1.0)
    waits = [backoff.next_seconds() for _ in range(10)]
    assert waits == [0.25, 0.5, 1, 2, 4, 5, 5, 5, 5, 5]
    backoff.reset()
    assert backoff.next_seconds() == FIRST_SECONDS


@given(st.floats(0, 1, exclude_max=True))
def test_wait_is_any_part_of_its_limit(chance: float) -> None:
    backoff = Backoff(lambda: chance)
    for _ in range(10):
        assert 0 <= backoff.next_seconds() <= LONGEST_SECONDS


def test_settings_are_checked_and_each_upstream_taken_once(tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("secret-1\n")
    made = settings(upstreams=("http://a:1/", "ws://a:1", "http://b"), name="north", key_file=key)
    assert (made.upstreams, made.name, made.key) == (
        ("http://a:1", "http://b"),
        "north",
        "secret-1",
    )
    assert settings(upstreams=("http://a",), name=None, key_file=None).name == own_name()
    assert is_id(own_name())


@pytest.mark.parametrize("content", [None, b"", b"  \n", b"two words", b"\xff\xfe", b"a\x00b"])
def test_a_file_without_a_key_is_refused(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "key"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(BadSettingError, match="key"):
        settings(upstreams=("http://a",), name="x", key_file=file)


def test_a_name_that_upstreams_would_not_take_is_refused() -> None:
    with pytest.raises(BadSettingError, match="not a valid name"):
        settings(upstreams=("http://a",), name="two words", key_file=None)


# --- reports ----------------------------------------------------------------------------------


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def reports(clock: Clock) -> Reports:
    return Reports(clock)


def everyone(_: str) -> bool:
    return True


def showing(seq: int) -> Showing:
    return Showing("showing", seq, 2, "ageing", (ShownMeter("mega", seq),))


def test_last_word_of_each_sign_is_passed_on_once_with_its_age(
    reports: Reports, clock: Clock
) -> None:
    reports.note("wall", showing(1), age_ms=0)
    reports.note("wall", showing(2), age_ms=0)
    reports.note("door", showing(3), age_ms=400)
    clock.now += 1
    assert list(reports.due(everyone)) == [
        SignReport("wall", 2, 2, "ageing", (ShownMeter("mega", 2),), 1_000),
        SignReport("door", 3, 2, "ageing", (ShownMeter("mega", 3),), 1_400),
    ]
    assert list(reports.due(everyone)) == []


def test_older_word_that_comes_late_does_not_count(reports: Reports) -> None:
    reports.note("wall", showing(5), age_ms=0)
    reports.note("wall", showing(4), age_ms=2_000)
    assert [report.seq for report in reports.due(everyone)] == [5]


def test_word_waits_until_somebody_listens_but_not_for_ever(reports: Reports, clock: Clock) -> None:
    reports.note("wall", showing(1), age_ms=0)
    assert list(reports.due(lambda _: False)) == []
    clock.now += FORGET_SECONDS - 1
    assert [report.age_ms for report in reports.due(everyone)] == [14_000]
    reports.note("wall", showing(2), age_ms=0)
    clock.now += FORGET_SECONDS + 1
    assert list(reports.due(everyone)) == []
    assert reports._said == {}


def test_reports_are_bounded_and_nameless_readers_report_nothing(reports: Reports) -> None:
    reports.note(UNNAMED, showing(1), age_ms=0)
    for number in range(SIGNS_MAX + 5):
        reports.note(f"sign-{number}", showing(1), age_ms=0)
    reports.note("sign-0", showing(9), age_ms=0)
    passed_on = list(reports.due(everyone))
    assert len(passed_on) == SIGNS_MAX
    assert passed_on[0].seq == 9


# --- catalogue --------------------------------------------------------------------------------


def a_card(sign: str, name: str = "Wall") -> SignCard:
    return SignCard(
        id=sign, name=name, link="main", link_name="Main", floor_name="Floor", currency="USD"
    )


def test_preferred_upstream_has_the_word_and_others_add_to_it() -> None:
    catalogue = Catalogue(("a", "b"))
    catalogue.learn_cards("b", {"x": a_card("x", "of b"), "y": a_card("y")})
    assert [card.name for card in catalogue.cards] == ["of b", "Wall"]
    catalogue.learn_cards("a", {"x": a_card("x", "of a")})
    assert [(card.id, card.name) for card in catalogue.cards] == [("x", "of a"), ("y", "Wall")]
    assert catalogue.card("x") == a_card("x", "of a")
    assert catalogue.card("z") is None


def test_sign_that_this_version_cannot_show_does_not_hide_the_others() -> None:
    body = (
        b'{"signs":[{"id":"a","name":"A","link":"m","link_name":"M","floor_name":"F",'
        b'"currency":"USD","layout":"hologram"},{"id":"b","name":"B","link":"m","link_name":"M",'
        b'"floor_name":"F","currency":"USD","smell":"roses"},{"id":"..","link":"m"}]}'
    )
    assert list(decode_cards(body)) == ["b"]


def test_links_are_known_by_their_names() -> None:
    links = decode_links(b'{"links":[{"id":"main","name":"Main pit"},{"id":"../x"}]}')
    assert list(links) == ["main"]
    catalogue = Catalogue(("a", "b"))
    catalogue.learn_links("b", links)
    assert catalogue.upstreams_of("main") == ["b"]
    assert catalogue.upstreams_of("side") == []
    assert (catalogue.link_name("main"), catalogue.link_name("side")) == ("Main pit", "side")
