"""What the feed says, on the glass of a sign: names, amounts, their age, faults and wins."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from display.led import charset
from display.led.composer import (
    METERS_MAX,
    STRING_ROOM_BYTES,
    Look,
    bad_template,
    compose,
    state_of,
)
from display.led.words import Language, age_text
from progressive.wire.feed import LinkView, MeterView, WinView
from progressive.wire.money_text import money_text
from tests.support.led import a_view, a_win, sign_holding


def test_the_longest_of_everything_fits() -> None:
    meters = tuple(MeterView(f"m{n}", "Ñ" * 64, 2**53) for n in range(30))
    look = Look(template="{name}{amount}" + "…" * 15, language="es", currency="EUR")
    sign = sign_holding(compose(look, a_view(meters=meters), 1e9, None))
    assert sign.faults == []
    assert sign.glass.count("EUR 90,071,992,547,409.92 HACE 11574 D") == METERS_MAX


def test_each_meter_is_a_page_with_its_name_and_amount() -> None:
    glass = compose(Look(), a_view(), 0.0, None)
    assert sign_holding(glass).glass == "Mega $100,000.60 | Major $15,000.30 | Minor $3,000.20"
    assert (glass.state, glass.place) == ("live", (3, 41))


def test_service_that_keeps_nothing_is_a_test_on_the_glass_too() -> None:
    view = structs.replace(a_view(), nothing_kept=True)
    shown = sign_holding(compose(Look(("mega",)), view, 0.0, None)).glass
    assert shown == "Mega $100,000.60 | TEST - NOTHING IS KEPT"


def test_only_the_chosen_meters_in_the_chosen_order() -> None:
    look = Look(meters=("minor", "unknown", "mega"), template="{amount}", mode="rotate")
    glass = compose(look, a_view(), 0.0, None)
    assert sign_holding(glass).glass == "$3,000.20   $100,000.60"


def test_the_text_around_an_amount_is_the_templates() -> None:
    glass = compose(Look(("mega",), "*** {name}: {amount}! ***"), a_view(), 0.0, None)
    assert sign_holding(glass).glass == "*** Mega: $100,000.60! ***"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Montaña", "Montaña"),
        ("超级", "mega"),
        ("  Me\x04\x02A0\x03ga ", "Me A0 ga"),
        ("{amount}", "{amount}"),
        ("", "mega"),
    ],
)
def test_a_name_is_drawn_or_stands_back_for_the_id(name: str, shown: str) -> None:
    view = a_view(meters=(MeterView("mega", name, 100),))
    sign = sign_holding(compose(Look(), view, 0.0, None))
    assert (sign.glass, sign.faults) == (f"{shown} $1.00", [])


@pytest.mark.parametrize(
    ("state", "age_seconds", "expected"),
    [
        ("live", 0.0, "live"),
        ("live", 3.0, "live"),
        ("live", 3.1, "ageing"),
        ("live", 10.0, "ageing"),
        ("live", 10.1, "stale"),
        ("inoperable", 0.0, "inoperable"),
        ("inoperable", 9.0, "inoperable"),
        ("inoperable", 10.1, "stale"),
    ],
)
def test_states_of_truth(state: str, age_seconds: float, expected: str) -> None:
    assert state_of(a_view(state=state), age_seconds) == expected


def test_before_the_first_word_there_is_no_amount() -> None:
    glass = compose(Look(), None, 0.0, None)
    assert (glass.state, glass.text, glass.amounts) == ("offline", None, ())
    assert sign_holding(glass).glass == "PLEASE WAIT - NO AMOUNTS YET"


def test_a_link_that_tells_no_amounts_shows_none() -> None:
    glass = compose(Look(language="es"), a_view(meters=()), 0.0, None)
    assert sign_holding(glass).glass == "ESPERE - AUN SIN IMPORTES"


def test_an_ageing_amount_is_not_marked() -> None:
    ageing = compose(Look(), a_view(), 9.0, None)
    assert ageing.amounts == compose(Look(), a_view(), 0.0, None).amounts


@pytest.mark.parametrize(
    ("language", "age_seconds", "shown"),
    [
        ("en", 11, "Mega $100,000.60 10 S OLD"),
        ("en", 59, "Mega $100,000.60 50 S OLD"),
        ("zh", 60, "Mega $100,000.60 1 MIN OLD"),
        ("es", 7_300, "Mega $100,000.60 HACE 2 H"),
    ],
)
def test_a_stale_amount_says_how_old_it_is(
    language: Language, age_seconds: float, shown: str
) -> None:
    glass = compose(Look(("mega",), language=language), a_view(), age_seconds, None)
    assert (glass.state, sign_holding(glass).glass) == ("stale", shown)


def test_a_fault_has_the_sign_and_gives_its_reason() -> None:
    view = a_view(state="inoperable", reason="the disk is full\n")
    assert sign_holding(compose(Look(), view, 0.0, None)).glass == (
        "OUT OF SERVICE - the disk is full"
    )
    unreasoned = structs.replace(view, reason=None)
    assert sign_holding(compose(Look(language="es"), unreasoned, 0.0, None)).glass == (
        "FUERA DE SERVICIO"
    )


@pytest.mark.parametrize(
    ("language", "shown"),
    [
        (
            "en",
            "Mega WON! $100,001.20 - TABLE BJ-01 SEAT 5 - STARTS AGAIN AT $25,000.10",
        ),
        (
            "es",
            "¡Mega GANADO! $100,001.20 - MESA BJ-01 PUESTO 5 - VUELVE A EMPEZAR EN $25,000.10",
        ),
    ],
)
def test_a_win_tells_amount_table_seat_and_the_new_beginning(
    language: Language, shown: str
) -> None:
    glass = compose(Look(language=language), a_view(), 0.0, a_win())
    assert sign_holding(glass).glass == shown


@pytest.mark.parametrize(
    ("language", "shown"),
    [
        (
            "en",
            "10% OF Mega: $10,000.10 - TABLE BJ-01 SEAT 5 - THE METER GOES ON AT $90,000.90",
        ),
        (
            "es",
            "10% DE Mega: $10,000.10 - MESA BJ-01 PUESTO 5 - EL CONTADOR SIGUE EN $90,000.90",
        ),
    ],
)
def test_a_part_of_a_meter_is_told_as_one(language: Language, shown: str) -> None:
    part = a_win(amount_cents=1_000_010, next_cents=9_000_090, share_percent=10)
    glass = compose(Look(language=language), a_view(), 0.0, part)
    assert sign_holding(glass).glass == shown


def test_a_win_comes_before_a_fault_and_before_its_age() -> None:
    for view, age in ((a_view(state="inoperable"), 0.0), (a_view(), 99.0)):
        assert "WON!" in sign_holding(compose(Look(), view, age, a_win())).glass


def test_a_win_leaves_out_whole_parts_that_do_not_fit() -> None:
    win = structs.replace(a_win(), table="T" * 64)
    drawn = sign_holding(compose(Look(language="es"), a_view(), 0.0, win)).glass
    assert drawn == f"¡Mega GANADO! $100,001.20 - MESA {'T' * 64} PUESTO 5"


LINK_VIEWS = st.builds(
    LinkView,
    link=st.just("main"),
    epoch=st.integers(0, 2**53),
    seq=st.integers(0, 2**53),
    at=st.just(""),
    state=st.sampled_from(["live", "inoperable", "nonsense"]),
    reason=st.none() | st.text(max_size=300),
    meters=st.lists(
        st.builds(MeterView, st.text(min_size=1), st.text(), st.integers(0, 2**53)), max_size=30
    ).map(tuple),
)


@given(
    LINK_VIEWS,
    st.floats(0, 1e9),
    st.none() | st.builds(structs.replace, st.just(a_win()), table=st.text(), meter=st.text()),
    st.sampled_from(["en", "es", "zh"]),
    st.sampled_from(["EUR", "USD", "GBP"]),
)
def test_whatever_the_feed_says_the_sign_takes_it(
    view: LinkView, age_seconds: float, win: WinView | None, language: Language, currency: str
) -> None:
    glass = compose(Look(language=language, currency=currency), view, age_seconds, win)
    sign = sign_holding(glass)
    assert sign.faults == []
    assert all(len(amount.value) <= STRING_ROOM_BYTES for amount in glass.amounts)
    assert len(glass.amounts) == min(len(view.meters), METERS_MAX)
    assert not re.search("[\x00-\x1f\x7f]", sign.glass)


@pytest.mark.parametrize(
    ("cents", "currency", "text"),
    [
        (0, "USD", "$0.00"),
        (7, "USD", "$0.07"),
        (10_000_060, "USD", "$100,000.60"),
        (2**53, "USD", "$90,071,992,547,409.92"),
        (123, "EUR", "EUR 1.23"),
        (123, "GBP", "£1.23"),
        (123, "CAD", "CAD 1.23"),
    ],
)
def test_an_amount_is_exact_and_can_be_drawn(cents: int, currency: str, text: str) -> None:
    assert money_text(cents, currency) == text
    assert charset.is_drawable(text)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (10.1, "10 S"),
        (59.9, "50 S"),
        (60, "1 MIN"),
        (3_599, "59 MIN"),
        (3_600, "1 H"),
        (86_400, "1 D"),
    ],
)
def test_an_age_is_at_least_what_it_says(seconds: float, text: str) -> None:
    assert age_text(seconds) == text


@pytest.mark.parametrize(
    ("template", "good"),
    [
        ("{amount}", True),
        ("{name} {amount}", True),
        ("{name}", False),
        ("{amount} {amount}", False),
        ("{name}{name}{amount}", False),
        ("{amount}" + "x" * 60, False),
        ("{amount}" + "…" * 20, False),
    ],
)
def test_a_template_has_its_amount_once(template: str, good: bool) -> None:
    assert (bad_template(template) is None) is good
