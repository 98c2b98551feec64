"""`progressive settle` in a process of its own: lines in, lines out, whatever the lines hold."""

import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import pytest

from progressive.application.settle_tool.request import LINE_BYTES_MAX
from tests.support.service import ANSWER_SECONDS, ROOT

ROUND = {
    "game": "nj-buster",
    "paytable": "A",
    "decks": 6,
    "wagers": [{"seat": 1, "bet": "buster", "amount_cents": 500, "base_cents": 500}],
    "dealer": {"cards": ["Ts", "6h", "Kd"]},
    "seats": [{"seat": 1, "cards": ["9s", "9h"]}],
}
GOOD = json.dumps(ROUND).encode()
COMMAND = (sys.executable, "-m", "progressive", "settle")


def run(text: bytes, *options: str) -> tuple[int, list[dict[str, Any]]]:
    """The exit code, and the answers; nothing may be said on the side."""
    ran = subprocess.run(
        [*COMMAND, *options],
        cwd=ROOT,
        input=text,
        capture_output=True,
        timeout=ANSWER_SECONDS,
        check=False,
    )
    assert ran.stderr == b""
    assert ran.stdout == b"" or ran.stdout.endswith(b"\n")
    return ran.returncode, [json.loads(line) for line in ran.stdout.splitlines()]


def kinds(answers: Sequence[dict[str, Any]]) -> str:
    """One letter an answer: settled or error."""
    return "".join("e" if "error" in answer else "s" for answer in answers)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"", ""),
        (b"\n\n  \n\r\n", ""),
        (GOOD + b"\n", "s"),
        # No final newline, lines of other systems, blank lines between.
        (GOOD, "s"),
        (GOOD + b"\r\n" + GOOD + b"\r\n", "ss"),
        (b"\n" + GOOD + b"\n\n\t\n" + GOOD, "ss"),
        (b"  " + GOOD + b"  \n", "s"),
        # A bad line is answered and the rest still run.
        (b"{\n" + GOOD + b"\n", "es"),
        (b"\xff\xfe\n" + GOOD + b"\n", "es"),
        (b'{"game":"\xc3\x28"}\n' + GOOD + b"\n", "es"),
        (b"\x00\n" + GOOD + b"\n", "es"),
        (b"\xef\xbb\xbf" + GOOD + b"\n" + GOOD + b"\n", "es"),
        (b"[" * 50_000 + b"\n" + GOOD + b"\n", "es"),
        (b'{"dealer":' * 50_000 + b"\n" + GOOD + b"\n", "es"),
        (b"null\n[]\n0\n" + GOOD + b"\n", "eees"),
        # Twice as long as a line may be: one answer, and the next line is a line again.
        (b"x" * (2 * LINE_BYTES_MAX) + b"\n" + GOOD + b"\n", "es"),
        (b"x" * (2 * LINE_BYTES_MAX), "e"),
        (GOOD.ljust(2 * LINE_BYTES_MAX) + b"\n" + GOOD + b"\n", "es"),
        # Too long and blank as far as it is read: it is a line, and is answered like one.
        (b" " * (2 * LINE_BYTES_MAX) + GOOD + b"\n" + GOOD + b"\n", "es"),
        # As long as a line may be; what ends it is not counted.
        (GOOD.ljust(LINE_BYTES_MAX) + b"\n" + GOOD + b"\n", "ss"),
        (GOOD.ljust(LINE_BYTES_MAX), "s"),
    ],
    ids=lambda value: value if isinstance(value, str) else repr(value[:12]),
)
def test_every_line_with_something_in_it_gets_one_answer(text: bytes, expected: str) -> None:
    code, answers = run(text)
    assert (code, kinds(answers)) == (0, expected)
    for answer in answers:
        if "error" in answer:
            assert answer["error"]["code"] == "BAD_MESSAGE"
            assert answer["error"]["message"]


@pytest.mark.parametrize("value", ["500.0", "5e2", "true", '"500"', "null", "-1", "1" + "0" * 30])
def test_amount_is_a_whole_number_and_nothing_like_it(value: str) -> None:
    line = GOOD.replace(b'"amount_cents": 500', b'"amount_cents": ' + value.encode())
    assert line != GOOD
    _, (answer,) = run(line)
    assert answer["error"]["code"] == "BAD_MESSAGE"
    assert "amount_cents" in answer["error"]["message"]


def test_strict_tells_by_the_exit_code_that_a_line_was_refused() -> None:
    assert run(GOOD + b"\n", "--strict")[0] == 0
    assert run(b"\n", "--strict")[0] == 0
    code, answers = run(b"{\n" + GOOD + b"\n", "--strict")
    assert (code, kinds(answers)) == (1, "es")


def test_result_is_the_round_settled() -> None:
    _, (answer,) = run(GOOD)
    (row,) = answer["results"]
    assert (row["line"], row["pay_cents"], row["stake_returned_cents"]) == ("bust_3", 1_000, 500)
    assert answer["dealer"]["bust"]


def test_answer_comes_before_the_next_question() -> None:
    # Whoever asks round by round waits for each answer.
    with subprocess.Popen(
        COMMAND, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for line in (GOOD, b"{", GOOD):
            process.stdin.write(line + b"\n")
            process.stdin.flush()
            assert process.stdout.readline().endswith(b"}\n")
        process.stdin.close()
        assert process.wait(timeout=ANSWER_SECONDS) == 0


def test_unknown_option_is_bad_input() -> None:
    ran = subprocess.run([*COMMAND, "--lenient"], cwd=ROOT, capture_output=True, check=False)
    assert (ran.returncode, ran.stdout) == (2, b"")


def test_reader_that_leaves_early_is_no_fault() -> None:
    # `progressive settle < rounds | head -1`
    with subprocess.Popen(
        COMMAND,
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        try:
            process.stdin.write((GOOD + b"\n") * 100)
            process.stdin.close()
        except BrokenPipeError:
            pass
        assert b"Traceback" not in process.stderr.read()
        process.wait(timeout=ANSWER_SECONDS)
