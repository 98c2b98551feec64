"""Layouts, languages and themes of the signs: everything is there, and nothing is cropped."""

import asyncio
import re
from typing import get_args

import pytest
from playwright.async_api import Locator, expect

from progressive.domain.options import SignLanguage, SignLayout, SignTheme
from progressive.domain.rulebook.line_names import line_names
from tests.support.accessibility import assert_accessible
from tests.support.signs import (
    MEGA,
    SIZES,
    Glass,
    Size,
    Wall,
    posted_terms,
    snapshot,
    update,
)

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


@pytest.mark.parametrize("size", [*SIZES, (320, 568), (844, 390)], ids=str)
async def test_everything_fits_on_every_glass(wall: Wall, size: Size) -> None:
    feed = wall.feed()
    async with wall.hang(feed, size=size) as sign:
        for theme, counts in (("midnight", (1, 3)), ("deco", (3, 6))):
            for count in counts:
                seq = 20 + count
                feed.greeting = [
                    snapshot(
                        seq,
                        meters=[
                            {"id": f"m{n}", "name": f"Progressive {n}", "cents": 10 ** (10 - n)}
                            for n in range(count)
                        ],
                    )
                ]
                await sign.page.goto(wall.address(feed, f"?theme={theme}"))
                await expect(sign.amounts).to_have_count(count)
                assert await overflowing(sign) == []


async def overflowing(sign: Glass) -> list[str]:
    """What does not stay within the glass, or within the panel it belongs to."""
    found: list[str] = await sign.page.evaluate(
        """() => {
          const inside = (box, room) => box.left >= room.left - 1 && box.top >= room.top - 1
            && box.right <= room.right + 1 && box.bottom <= room.bottom + 1;
          const box = (element) => element.getBoundingClientRect();
          const bad = [];
          const glass = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
          for (const element of document.querySelectorAll("header > *, .meter, .bet, #status")) {
            if (!inside(box(element), glass)) bad.push(`off the glass: ${element.className}`);
          }
          for (const part of document.querySelectorAll(
              ".meter .name, .meter .reels, .bet .line, .bet .rules, .bet .line-odds")) {
            if (part.closest("[hidden]")) continue;
            if (!inside(box(part), box(part.closest(".meter, .bet")))) {
              bad.push(`out of its panel: ${part.className} ${part.textContent}`);
            }
          }
          return bad;
        }"""
    )
    return found


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_paytable_posts_lines_odds_wager_and_rules(wall: Wall, size: Size) -> None:
    feed = wall.feed(layout="paytable", theme="ivory")
    feed.posted = posted_terms()
    async with wall.hang(feed, size=size, frozen=True) as sign:
        mega = sign.page.locator('[data-line="three_7_diamonds"]')
        await expect(mega.locator(".line-odds")).to_have_text("1 in 263,420")
        await expect(mega.locator(".amount")).to_have_text("$103,417.20")
        await feed.send(update(11, mega=MEGA + 60))
        await sign.roll_to("mega", MEGA + 60)
        blazing, buster = (
            sign.page.locator(f'[data-bet="{bet}"]') for bet in ("blazing7", "buster")
        )
        await expect(blazing.locator(".bet-wager")).to_have_text("Bet $5")
        await expect(buster.locator(".bet-wager")).to_have_text("Bet $1 to $100")
        await expect(blazing.locator(".rules")).to_contain_text("Mega starts again at $25,000")
        await expect(blazing.locator(".rules")).to_contain_text("from the dealer's right")
        await expect(blazing.locator(".rules")).to_contain_text("Your first three cards count.")
        await expect(buster.locator(".rules")).to_contain_text("wager, and not above it.")
        await expect(buster.locator(".rules")).to_contain_text("Dealer hits soft 17.")
        await expect(buster.locator('[data-line="bust_8_or_more"]')).to_contain_text("250 to 1")
        await expect(buster.locator(".bonus")).to_contain_text("8 or more cards: $8,000")
        await expect(buster.locator(".bonus")).to_contain_text("a bet of $5 or more")
        assert await overflowing(sign) == []


async def test_paytable_without_terms_says_so_and_still_shows_amounts(wall: Wall) -> None:
    feed = wall.feed(layout="paytable")
    async with wall.hang(feed) as sign:
        await expect(sign.page.locator(".missing")).to_contain_text("not available")
        await expect(sign.page.locator(".amount").first).to_have_text("$103,417.20")
        feed.posted = posted_terms()
        await sign.page.reload()
        await expect(sign.page.locator(".bet[data-bet]")).to_have_count(2)


async def test_paytable_of_a_game_that_a_player_banks(wall: Wall) -> None:
    feed = wall.feed(layout="paytable", language="es")
    names = line_names("bust_3", player_dealer=True)
    line = {"id": "bust_3", "name": names["en"], "names": names, "to_one": 3, "per": 2}
    young = {"id": "brand_new", "name": "Something New", "for_one": 1_000}
    terms = posted_terms()
    feed.posted = terms | {"bets": [terms["bets"][1] | {"lines": [line, young]}]}
    async with wall.hang(feed) as sign:
        lines = sign.page.locator(".line[data-line]")
        await expect(lines.nth(0)).to_contain_text("El jugador-crupier se pasa con 3 cartas")
        await expect(lines.nth(0)).to_contain_text("3 a 2")
        await expect(lines.nth(1)).to_contain_text("Something New")
        await expect(lines.nth(1)).to_contain_text("1,000 por 1")


async def test_more_bets_than_fit_take_turns(wall: Wall) -> None:
    feed = wall.feed(layout="paytable")
    terms = posted_terms()
    third = terms["bets"][1] | {"id": "third", "name": "Third"}
    feed.posted = terms | {"bets": [*terms["bets"], third]}
    async with wall.hang(feed, frozen=True) as sign:
        sign.may_lose_contact = True
        await expect(sign.page.locator(".bet[data-bet]")).to_have_count(3)
        seen = set()
        for _ in range(4):
            await sign.page.clock.run_for(7_000)
            seen.add(await sign.page.locator(".bet[data-bet]:visible").count())
            await feed.send(feed.tick)
        assert seen == {1, 2}


@pytest.mark.parametrize("size", [(1920, 160), (640, 64), (3840, 160)], ids=str)
async def test_strip_shows_every_meter_on_one_line(wall: Wall, size: Size) -> None:
    feed = wall.feed(layout="strip", theme="neon")
    async with wall.hang(feed, size=size, frozen=True) as sign:
        sign.may_lose_contact = True
        await sign.wait_state("live")
        shown = sign.page.locator("#meters .meter:visible")
        seen: set[str] = set()
        for _ in range(4):
            seen |= {str(await each.get_attribute("data-meter")) for each in await shown.all()}
            # Words of a state take room from the amounts: the browser tells a moment later.
            while not all([await is_inside(each, size) for each in await shown.all()]):
                await asyncio.sleep(0.02)
            await sign.pass_time(5_000)
        assert seen == {"mega", "major", "minor"}


async def is_inside(part: Locator, size: Size) -> bool:
    box = await part.bounding_box()
    assert box is not None
    across = box["x"] >= 0 and box["x"] + box["width"] <= size[0]
    return across and box["y"] >= -1 and box["y"] + box["height"] <= size[1] + 1


@pytest.mark.parametrize(
    ("language", "tag", "live", "wager", "line"),
    [
        ("en", "en", "Live", "Bet $5 on Blazing 7's", "Three 7s of diamonds"),
        ("es", "es", "En vivo", "Apueste $5 a Blazing 7's", "Tres 7 de diamantes"),
        ("zh", "zh-Hans", "实时", "Blazing 7's 投注 $5", "三张方块 7"),
    ],
)
async def test_sign_speaks_its_language(
    wall: Wall, language: str, tag: str, live: str, wager: str, line: str
) -> None:
    feed = wall.feed(layout="paytable", language=language)
    feed.posted = posted_terms()
    async with wall.hang(feed) as sign:
        await sign.wait_state("live")
        await expect(sign.page.locator("html")).to_have_attribute("lang", tag)
        await expect(sign.status).to_have_text(live)
        await expect(sign.page.locator("#wager-note")).to_have_text(wager)
        await expect(sign.page.locator(".line-name").nth(1)).to_contain_text(line)


@pytest.mark.parametrize("theme", get_args(SignTheme))
async def test_sign_can_be_read_and_heard(wall: Wall, theme: str) -> None:
    feed = wall.feed(theme=theme)
    feed.posted = posted_terms()
    async with wall.hang(feed) as sign:
        for layout in get_args(SignLayout)[::2]:
            await sign.page.goto(wall.address(feed, f"?layout={layout}"))
            await sign.wait_state("live")
            await expect(sign.page.locator("#layout")).to_have_css("opacity", "1")
            await assert_accessible(sign.page)


async def test_every_language_has_every_word(wall: Wall) -> None:
    feed = wall.feed()
    async with wall.hang(feed) as sign:
        words: dict[str, dict[str, str]] = await sign.page.evaluate(
            """async () => {
              const { LANGUAGES } = await import("/assets/sign/words.js");
              return LANGUAGES;
            }"""
        )
    english = words["en"]
    assert words.keys() == set(get_args(SignLanguage))
    for texts in words.values():
        assert texts.keys() == english.keys()
        for key, text in texts.items():
            assert text
            assert set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", english[key]))


async def test_address_may_ask_for_another_look(wall: Wall) -> None:
    feed = wall.feed()
    query = "?theme=deco&layout=strip&language=es&meters=minor,mega"
    async with wall.hang(feed, query=query, size=(3840, 160)) as sign:
        await sign.wait_state("live")
        root = sign.page.locator("html")
        await expect(root).to_have_attribute("data-theme", "deco")
        await expect(root).to_have_attribute("data-layout", "strip")
        await expect(sign.names).to_have_text(["Minor", "Mega"])
    async with wall.hang(feed, query="?theme=%22onload&layout=x&language=q") as sign:
        await sign.wait_state("live")
        await expect(sign.page.locator("html")).to_have_attribute("data-theme", "midnight")


async def test_drift_wanders_within_its_room(wall: Wall) -> None:
    feed = wall.feed()
    async with wall.hang(feed, frozen=True) as sign:
        sign.may_lose_contact = True
        await sign.wait_state("live")
        places = set()
        for _ in range(8):
            await sign.page.clock.run_for(60_000)
            box = await sign.page.locator("#stage").bounding_box()
            assert box is not None
            assert box["x"] >= 0
            assert box["y"] >= 0
            assert box["x"] + box["width"] <= 1280
            assert box["y"] + box["height"] <= 720
            places.add((box["x"], box["y"]))
        assert len(places) > 3


@pytest.mark.parametrize(
    ("language", "none", "reserve", "both"),
    [
        (
            "en",
            "Mega starts again at $0",
            "Major starts again from what its reserve has gathered",
            "Minor starts again at $2,500, and what its reserve has gathered",
        ),
        (
            "es",
            "Mega vuelve a empezar en $0",
            "Major vuelve a empezar con lo reunido en su reserva",
            "Minor vuelve a empezar en $2,500, más lo reunido en su reserva",
        ),
        (
            "zh",
            "Mega 重新从 $0 开始",
            "Major 以储备金累积额重新开始",
            "Minor 重新从 $2,500 加储备金累积额开始",
        ),
    ],
)
async def test_reserve_is_posted_only_where_there_is_one(
    wall: Wall, language: str, none: str, reserve: str, both: str
) -> None:
    """A meter without a reset amount and without a reset rate was said to have a reserve."""
    feed = wall.feed(layout="paytable", language=language)
    feed.posted = posted_terms(feed.link)
    mega, major, _ = feed.posted["bets"][0]["meters"]
    mega |= {"reset_cents": 0, "reset_rate_ppm": 0}
    major |= {"reset_cents": 0, "reset_rate_ppm": 10_000}
    feed.posted["bets"][0]["meters"][2] |= {"reset_rate_ppm": 10_000}
    async with wall.hang(feed) as sign:
        rules = sign.page.locator('.bet[data-bet="blazing7"] .rules li')
        await expect(rules.nth(0)).to_have_text(none)
        await expect(rules.nth(1)).to_have_text(reserve)
        await expect(rules.nth(2)).to_have_text(both)
