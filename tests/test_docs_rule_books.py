"""The worked examples of the rule books' pages, run through the real commands."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from msgspec import Struct

from progressive.application.settle_tool.messages import (
    MeterAfter,
    ResultRow,
    SettleRequest,
    SettleResult,
)
from progressive.domain.commands import Wager
from progressive.domain.games.base_game import PlayedSeat
from progressive.domain.rejections import Rejection
from tests.support.service import ANSWER_SECONDS, ROOT, run_command

PAGES = ("rule-books.md", "settle.md")
FENCE = re.compile(r"^```(?P<kind>[a-z]+ [a-z]+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


class Example(NamedTuple):
    """Two fenced blocks that belong together."""

    page: str
    asked: str
    told: str


def examples(page: str, asked: str, told: str) -> list[Example]:
    """The blocks of one kind, each with the block of the other kind that follows it."""
    blocks = [
        (found["kind"], found["text"].rstrip("\n"))
        for found in FENCE.finditer((ROOT / "docs" / page).read_text(encoding="utf-8"))
    ]
    kept = [block for block in blocks if block[0] in (asked, told)]
    assert [kind for kind, _ in kept] == [asked, told] * (len(kept) // 2), f"{page}: unpaired"
    texts = [text for _, text in kept]
    return [Example(page, *pair) for pair in zip(texts[::2], texts[1::2], strict=True)]


ROUNDS = [each for page in PAGES for each in examples(page, "json request", "json result")]
EDITS = [each for page in PAGES for each in examples(page, "toml edit", "text told")]


@pytest.fixture(scope="module")
def answers() -> dict[str, object]:
    """What the command says to each request, all in one run."""
    lines = [json.dumps(json.loads(each.asked)) for each in ROUNDS]
    ran = subprocess.run(
        [sys.executable, "-m", "progressive", "settle"],
        cwd=ROOT,
        input="\n".join(lines),
        capture_output=True,
        text=True,
        timeout=ANSWER_SECONDS,
        check=True,
    )
    told = [json.loads(line) for line in ran.stdout.splitlines()]
    return {each.asked: answer for each, answer in zip(ROUNDS, told, strict=True)}


def shown_part(answer: object, shown: object) -> object:
    """The answer without the fields that the page leaves out."""
    if isinstance(answer, dict) and isinstance(shown, dict):
        return {key: shown_part(answer[key], shown[key]) for key in shown if key in answer}
    if isinstance(answer, list) and isinstance(shown, list) and len(answer) == len(shown):
        return [shown_part(*pair) for pair in zip(answer, shown, strict=True)]
    return answer


@pytest.mark.parametrize("example", ROUNDS, ids=lambda each: f"{each.page}-{each.told[:50]}")
def test_worked_example_is_what_the_command_says(
    example: Example, answers: dict[str, object]
) -> None:
    shown = json.loads(example.told)
    assert shown_part(answers[example.asked], shown) == shown


@pytest.mark.parametrize("example", EDITS, ids=lambda each: each.told[:60])
def test_edit_of_the_floor_is_told_as_shown(example: Example, tmp_path: Path) -> None:
    old, new = example.asked.splitlines()
    good = (ROOT / "config" / "floor.toml").read_text(encoding="utf-8")
    assert old in good
    file = tmp_path / "floor.toml"
    file.write_text(good.replace(old, new, 1), encoding="utf-8")
    told = run_command("check", file).stdout.splitlines()
    assert f"{file}: {example.told}" in told


@pytest.mark.parametrize(
    "message", [SettleRequest, Wager, PlayedSeat, ResultRow, MeterAfter, SettleResult]
)
def test_page_names_every_field(message: type[Struct]) -> None:
    page = (ROOT / "docs" / "settle.md").read_text(encoding="utf-8")
    missing = [
        field for field in message.__struct_fields__ if not re.search(rf'[`"]{field}[`"]', page)
    ]
    assert missing == []


def test_pages_have_an_example_of_every_game_and_code() -> None:
    asked = [json.loads(each.asked) for each in ROUNDS]
    assert {each["game"] for each in asked} == {
        file.stem for file in (ROOT / "config" / "games").glob("*.toml")
    }
    page = (ROOT / "docs" / "settle.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| `([A-Z_]+)` \|", page, re.MULTILINE))
    assert listed <= set(Rejection)
    shown = {json.loads(each.told).get("error", {}).get("code") for each in ROUNDS} - {None}
    assert shown <= listed
