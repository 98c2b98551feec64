"""`make` says what it does and how long it takes, before it does it."""

import subprocess

from tests.support.service import ROOT


def make(*arguments: str) -> str:
    done = subprocess.run(
        ["make", *arguments], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout


def test_help_says_how_long_the_tests_take() -> None:
    (line,) = [line for line in make("help").splitlines() if line.startswith("make test ")]
    assert "minutes" in line


def test_the_tests_say_at_their_start_how_long_they_take() -> None:
    # What would be run, everything installed already.
    planned = make("--dry-run", "--assume-old=.venv/installed-dev", "test").splitlines()
    said = next(number for number, line in enumerate(planned) if "minutes" in line)
    begun = next(number for number, line in enumerate(planned) if "pytest" in line)
    assert said < begun
