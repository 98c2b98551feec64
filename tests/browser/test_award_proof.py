"""The page that checks award proofs, in a real browser: what it takes, and every lie it refuses."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from progressive.adapters.seals.key_file import new_signer
from progressive.application.seals.note import COSIGNATURE
from progressive.entry.bootstrap import running
from tests.support.accessibility import assert_accessible
from tests.support.screens import EXPECT_MS, LOOKS, a_screen
from tests.support.sealed_award import HOUSE, WITNESS, seal
from tests.support.service import TableClient, issue_key, lock, settle, shipped_rules
from tests.support.staff import DAN, JOE, working

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]

HOUSE_LINE = HOUSE.key().text
WITNESS_LINE = WITNESS.key(COSIGNATURE).text


class Proved(NamedTuple):
    """A service with an award that is sealed."""

    url: str
    award: str
    text: str
    other: str
    """The proof of another award of the same seal."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def proved(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Proved]:
    data: Path = tmp_path_factory.mktemp("proof")
    rules = shipped_rules()
    async with (
        running(rules, data=data, host="127.0.0.1", port=0) as service,
        working(service.url, data) as staff,
    ):
        await staff.post(DAN, "/v1/tables/BJ-01/dealer")
        key = issue_key(data, "BJ-01")
        awards = []
        async with TableClient.connect(service.url, "BJ-01", key) as table:
            for seq, cards in ((1, ["7d", "7d", "7d"]), (3, ["7d", "7h", "7d"])):
                await table.ask(lock(seq, f"r{seq}", seats=(5,)))
                seats = [{"seat": 5, "cards": cards}]
                won = settle(seq + 1, f"r{seq}", dealer={"cards": ["9c"]}, seats=seats)
                awards.append((await table.ask(won))["awards"][0]["award"])
        await seal(data)
        texts = []
        for award in awards:
            status, text = await staff.ask(JOE, "GET", f"/v1/awards/{award}/proof")
            assert status == 200
            texts.append(text)
        yield Proved(service.url, awards[0], *texts)


async def check(page: Page, text: str, keys: str = HOUSE_LINE) -> tuple[str, str]:
    """What the page says: its kind and its words."""
    await page.locator("#proof").fill(text)
    await page.locator("#keys").fill(keys)
    result = page.locator("#result")
    # Whatever stood there goes first: the answer is then this one's.
    await result.evaluate("element => { element.hidden = true; }")
    await page.get_by_role("button", name="Check").click()
    await expect(result).to_be_visible(timeout=EXPECT_MS)
    return await result.get_attribute("data-kind") or "", await result.inner_text()


async def test_a_proof_is_checked_and_says_what_was_won(browser: Browser, proved: Proved) -> None:
    async with a_screen(browser, proved.url) as screen:
        await screen.go("/proof")
        asked: list[str] = []
        screen.page.on("request", lambda request: asked.append(request.url))
        kind, words = await check(screen.page, proved.text, f"{HOUSE_LINE}\n{WITNESS_LINE}\n")
        assert kind == "good"
        for expected in (
            *("The proof holds", proved.award, "$100,000.60", "seat 5 at table BJ-01, round r1"),
            *("casino.example", "witness.example/w1, 15 Jan 2027", "validated, paid or voided"),
        ):
            assert expected in words, expected
        assert "not checked" not in words
        assert asked == []
        kind, words = await check(screen.page, proved.text, "")
        assert (kind, "no key was given" in words) == ("warn", True)
        kind, words = await check(screen.page, proved.text)
        assert (kind, "not checked: its public line was not given" in words) == ("good", True)


async def test_a_witness_whose_line_was_given_must_have_cosigned(
    browser: Browser, proved: Proved
) -> None:
    lines = proved.text.splitlines(keepends=True)
    alone = "".join(lines[:-1])
    name, at = WITNESS.name, proved.text.rindex(WITNESS.name)
    renamed = proved.text[:at] + "W" + proved.text[at + 1 :]
    both = f"{HOUSE_LINE}\n{WITNESS_LINE}"
    async with a_screen(browser, proved.url) as screen:
        await screen.go("/proof")
        for text in (alone, renamed):
            kind, words = await check(screen.page, text, both)
            assert (kind, f"not cosigned by {name}, whose line was given" in words) == ("bad", True)
            kind, _ = await check(screen.page, text, HOUSE_LINE)
            assert kind == "good"
        kind, words = await check(screen.page, proved.text, WITNESS_LINE)
        assert (kind, "the casino's key was not given" in words) == ("warn", True)


async def test_a_file_is_taken_by_keyboard_and_paper_is_compared(
    browser: Browser, proved: Proved, tmp_path: Path
) -> None:
    files = {name: tmp_path / f"{name}.award-proof" for name in ("right", "wrong")}
    files["right"].write_text(proved.text, "utf-8")
    files["wrong"].write_text(proved.other, "utf-8")
    async with a_screen(browser, proved.url) as screen:
        await screen.go(f"/proof#award={proved.award}&leaf=&size=1&root=")
        page = screen.page
        await expect(page.locator("#paper")).to_contain_text(proved.award)
        await screen.go("/proof")
        await page.locator("#keys").fill(HOUSE_LINE)
        await page.locator("#file").set_input_files(files["right"])
        await expect(page.locator("#result")).to_contain_text("The proof holds")
        await page.locator("#keys").focus()
        await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")
        await expect(page.locator("#result")).to_contain_text("The proof holds")
    async with a_screen(browser, proved.url) as screen:
        await screen.go(f"/proof#award={proved.award}")
        await screen.page.locator("#file").set_input_files(files["wrong"])
        await expect(screen.page.locator("#result")).to_contain_text("not the proof of the award")


def lies(proved: Proved) -> list[tuple[str, str]]:
    """Each changes one thing."""
    lines = proved.text.split("\n")
    places = [at for at, line in enumerate(lines) if line.startswith("record ")]
    lock_at, settled_at = places[0] + 1, places[1] + 1
    note_at = lines.index("") + 1

    def put(at: int, line: str) -> str:
        return "\n".join([*lines[:at], line, *lines[at + 1 :]])

    def without(at: int) -> str:
        return "\n".join([*lines[:at], *lines[at + 1 :]])

    def flipped(line: str) -> str:
        return ("B" if line[0] == "A" else "A") + line[1:]

    found = [
        ("form", put(0, "progressive.award-proof/v2")),
        ("award", put(1, f"award {proved.other.split(chr(10))[1].removeprefix('award ')}")),
        ("no award", put(1, "award main.999.1")),
        ("link", put(1, lines[1].replace("main", "other"))),
        ("seq of the lock-out", put(places[0], f"record {int(lines[places[0]][7:]) + 1}")),
        ("seq of the settlement", put(places[1], f"record {int(lines[places[1]][7:]) - 1}")),
        ("log", put(note_at, lines[note_at].replace("main", "other"))),
        ("size", put(note_at + 1, str(int(lines[note_at + 1]) + 1))),
        ("root", put(note_at + 2, flipped(lines[note_at + 2]))),
        ("signature", put(note_at + 4, lines[note_at + 4][:-6] + "AAAAA=")),
        ("no seal", "\n".join(lines[:note_at])),
        ("no settlement", "\n".join([*lines[: places[1]], *lines[note_at - 1 :]])),
        ("no lock-out", "\n".join([*lines[: places[0]], *lines[places[1] :]])),
        ("no hash", without(settled_at + 1)),
        ("a hash twice", put(settled_at + 1, f"{lines[settled_at + 1]}\n{lines[settled_at + 1]}")),
        ("hash", put(settled_at + 1, flipped(lines[settled_at + 1]))),
        ("not base64", put(settled_at + 1, "*")),
        ("not JSON", put(settled_at, lines[settled_at][:-1])),
        ("half", proved.text[: len(proved.text) // 2]),
        ("nothing", "hello"),
    ]
    for at in (lock_at, settled_at):
        record = json.loads(lines[at])
        for name, value in record["event"].items():
            changed = json.loads(lines[at])
            changed["event"][name] = [value] if name != "type" else "round_voided"
            found.append((f"{name} of {at}", put(at, json.dumps(changed, separators=(",", ":")))))
        for name in ("by", "dealt_by"):
            named = json.loads(lines[at])
            named["event"][name] = {"name": "Dan"}
            found.append((f"{name} added", put(at, json.dumps(named, separators=(",", ":")))))
    won = json.loads(lines[settled_at])
    for name in won["event"]["awards"][0]:
        changed = json.loads(lines[settled_at])
        changed["event"]["awards"][0][name] = 7
        found.append((f"award {name}", put(settled_at, json.dumps(changed, separators=(",", ":")))))
    return found


async def test_no_changed_field_is_taken(browser: Browser, proved: Proved) -> None:
    async with a_screen(browser, proved.url) as screen:
        await screen.go("/proof")
        all_lies = lies(proved)
        assert len(all_lies) > 50
        for name, text in all_lies:
            assert text != proved.text, name
            kind, words = await check(screen.page, text)
            assert (kind, words.startswith("The proof does not hold")) == ("bad", True), name
        kind, _ = await check(screen.page, proved.text)
        assert kind == "good"


@pytest.mark.parametrize(
    "keys",
    [
        new_signer("casino.example").key().text,
        new_signer("another").key().text,
        HOUSE_LINE.replace("casino.example", "casino.example2"),
        HOUSE_LINE[:-4],
        "casino.example",
        f"{HOUSE_LINE}\n{new_signer(WITNESS.name).key(COSIGNATURE).text[:-4]}",
    ],
    ids=["other key", "other name", "wrong name", "cut off", "no key", "bad witness"],
)
async def test_another_key_or_none_is_told_apart(
    browser: Browser, proved: Proved, keys: str
) -> None:
    async with a_screen(browser, proved.url) as screen:
        await screen.go("/proof")
        kind, words = await check(screen.page, proved.text, keys)
        assert (kind, words.startswith("The proof does not hold")) == ("bad", True)


@pytest.mark.parametrize(("size", "theme"), LOOKS, ids=str)
async def test_the_page_is_usable_by_everyone_at_every_size(
    browser: Browser, proved: Proved, size: tuple[int, int], theme: str
) -> None:
    async with a_screen(browser, proved.url, size=size, theme=theme) as screen:
        await screen.go("/proof")
        await assert_accessible(screen.page)
        await check(screen.page, proved.text)
        await assert_accessible(screen.page)
