"""`make` says what it does and how long it takes, before it does it."""

import subprocess

from tests.support.service import ROOT


def make(*arguments: str) -> str:
    done = subprocess.run(
        ["make", "--no-print-directory", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
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


def test_the_tests_install_the_servers_that_they_start() -> None:
    planned = make("--dry-run", "--assume-old=.venv/installed-dev", "test").splitlines()
    begun = next(number for number, line in enumerate(planned) if "pytest" in line)
    for script in ("tests/install-browser.sh", "tests/install-redis.sh"):
        assert planned.index(f"sh {script}") < begun
        assert (ROOT / script).stat().st_mode & 0o111


def test_the_cluster_has_its_servers_and_may_have_other_ports() -> None:
    options = ("--dry-run", "--assume-old=.venv/installed-dev", "cluster")
    assert "sh tests/install-redis.sh" in make(*options).splitlines()
    assert "--ports" not in make(*options)
    assert make("PORTS=1,2,3", *options).rstrip().endswith("--ports 1,2,3")
