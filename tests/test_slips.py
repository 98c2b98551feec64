"""Plausible slips in the rule books: each one, made on purpose, must break a test of its module.

A slip is a small edit of one file. It is held against the tests of its module, those that bear its
name, and no others; the modules as they are must pass them.
"""

import json
import subprocess
import sys

import pytest

from tests.support.service import ROOT
from tests.support.slips import SLIPS, Slip

pytestmark = pytest.mark.slow

PASSED, FAILED = 0, 1
"""pytest's exit codes; any other is no answer, such as a module that cannot be loaded."""

MODULES = sorted({slip.module for slip in SLIPS})


def source(file: str) -> str:
    return (ROOT / file).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def exit_codes() -> dict[Slip, int]:
    """pytest's exit code for each slip, and for each module as it is."""
    plain = [Slip(module, "", "") for module in MODULES]
    runs = [*plain, *(slip for slip in SLIPS if slip.old in source(slip.file))]
    asked = [
        {
            "file": slip.file,
            "tests": slip.tests,
            "source": source(slip.file).replace(slip.old, slip.new, 1),
        }
        for slip in runs
    ]
    ran = subprocess.run(
        [sys.executable, "-m", "tests.support.slip_runner"],
        cwd=ROOT,
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=True,
    )
    answers = [json.loads(line) for line in ran.stdout.splitlines()]
    return {runs[place]: code for place, code in answers}


@pytest.mark.parametrize("module", MODULES)
def test_module_as_it_is_passes_its_tests(module: str, exit_codes: dict[Slip, int]) -> None:
    assert exit_codes[Slip(module, "", "")] == PASSED


@pytest.mark.parametrize("slip", SLIPS, ids=str)
def test_slip_breaks_a_test(slip: Slip, exit_codes: dict[Slip, int]) -> None:
    found = source(slip.file).count(slip.old)
    assert found == 1, f"{slip.file} has {found} times {slip.old!r}: this slip must be brought up"
    assert exit_codes[slip] == FAILED, f"{slip.tests} does not notice {slip.new!r} in {slip.file}"


def test_slips_are_many_and_different() -> None:
    assert len(set(SLIPS)) == len(SLIPS)
    assert len(SLIPS) >= 80
