"""Every command in bad surroundings, as a real process: one clear line, one code, no traceback.

0 all is well, 1 a finding, 2 bad input or bad surroundings; `docs/operations.md` has the table.
The tests run as root, who may read every file: a folder, a symbolic link to itself and a missing
file stand for what cannot be read.
"""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click
import pytest
import trustme

from progressive.entry.cli import main
from tests.support.people import PASSWORD
from tests.support.service import FLOOR, ROOT, ServiceProcess, run_command

PROGRESSIVE = ("-m", "progressive")
RELAY = ("-m", "display")
LED = ("-m", "display.led")
ODDS = (*PROGRESSIVE, "odds", "nj-buster", "--paytable", "A", "--decks", "6")
SERVE = (*PROGRESSIVE, "serve", "--log-level", "error", "--floor", str(FLOOR), "--data", "{new}")
ANY_PORT = ("--listen", "127.0.0.1:0")
DEMO = (*PROGRESSIVE, "demo", "--data", "{new}")
SIMULATE = (*PROGRESSIVE, "simulate", "--tables", "1", "--rounds", "1", "--seed", "1")
ACCEPT_LOSS = (*PROGRESSIVE, "accept-loss", "main", "--user", "Ann", "--reason", "burnt")
PURGE = (
    *(*PROGRESSIVE, "purge", "main", "--user", "Ann", "--reason", "agreed"),
    *("--until", "2026-01-02"),
)
RETIRE = (*PROGRESSIVE, "retire", "main", "--user", "Ann", "--reason", "agreed")
APPROVE = (*PROGRESSIVE, "approve", "main", "--user", "Ann", "--reason", "agreed")
USER_ADD = (*PROGRESSIVE, "user", "add", "Bo", "--role", "admin", "--department", "IT")
SIGN_LOG = (*PROGRESSIVE, "sign-log", "pit", "--at", "2026-01-02T03:04:05Z")
RELAY_OF = (*RELAY, "--log-level", "error", "--upstream", "https://127.0.0.1:1")
LED_OF = (*LED, "--log-level", "error", "--link", "main", "--tcp", "127.0.0.1:1")
LED_AT = (*LED_OF, "--upstream", "https://127.0.0.1:1")

Arguments = tuple[str, ...]


class Surroundings(NamedTuple):
    """What the commands are given; each name stands in braces in their arguments."""

    new: Path
    """A data directory that is not there yet."""
    old: Path
    """A data directory that a service has worked on and people are in."""
    missing: Path
    folder: Path
    loop: Path
    """A symbolic link to itself: even root cannot read it."""
    latin: Path
    """Not UTF-8."""
    text: Path
    """Text, but no certificate, no key, no JSON."""
    cert: Path
    key: Path
    other_key: Path
    busy: str
    """A port that somebody listens on."""


@pytest.fixture(scope="module")
def old_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("old") / "data"
    with ServiceProcess(data) as service:
        assert service.terminate() == 0
    who = ("user", "add", "Ann", "--role", "admin", "--department", "IT", "--data", data)
    assert run_command(*who, input=PASSWORD).returncode == 0
    return data


@pytest.fixture
def around(tmp_path: Path, old_data: Path) -> Iterator[Surroundings]:
    def written(name: str, content: bytes) -> Path:
        (tmp_path / name).write_bytes(content)
        return tmp_path / name

    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    authority = trustme.CA()
    mine, another = authority.issue_cert("127.0.0.1"), authority.issue_cert("127.0.0.1")
    with socket.create_server(("127.0.0.1", 0)) as busy:
        yield Surroundings(
            new=tmp_path / "new",
            old=old_data,
            missing=tmp_path / "missing",
            folder=tmp_path / "folder",
            loop=tmp_path / "loop",
            latin=written("latin", b"name = \xe4\n"),
            text=written("text", b"nothing of use\n"),
            cert=written("cert", b"".join(each.bytes() for each in mine.cert_chain_pems)),
            key=written("key", mine.private_key_pem.bytes()),
            other_key=written("other_key", another.private_key_pem.bytes()),
            busy=str(busy.getsockname()[1]),
        )


def run(
    arguments: Arguments, around: Surroundings, *, redirect: str = "", stdin: str | None = None
) -> subprocess.CompletedProcess[str]:
    """A command behind a redirection of the shell."""
    named = [argument.format(**around._asdict()) for argument in arguments]
    return subprocess.run(
        ["sh", "-c", f'exec "$@" {redirect}', "sh", sys.executable, *named],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        input=stdin,
    )


def told(ran: subprocess.CompletedProcess[str]) -> str:
    """The one line that says what is wrong."""
    assert "Traceback" not in ran.stderr, ran.stderr
    lines = ran.stderr.splitlines()
    assert len(lines) == 1, ran.stderr
    assert "[Errno" not in lines[0]
    assert "_ssl.c" not in lines[0]
    return lines[0]


def slow(case: tuple[object, ...]) -> object:
    return pytest.param(*case, marks=pytest.mark.slow)


def slow_for(*commands: str) -> list[object]:
    """The same path through the same code: the whole suite runs them, the quick one does not."""
    return [pytest.param(command, marks=pytest.mark.slow) for command in commands]


def named(cases: dict[str, tuple[object, ...]]) -> list[object]:
    return [pytest.param(*case, id=name) for name, case in cases.items()]


# --- standard output ----------------------------------------------------------------------------

WHOLE: dict[str, Arguments] = {
    "accept-loss": (*ACCEPT_LOSS, "--server", "http://127.0.0.1:1"),
    "approve": (*APPROVE, "--server", "http://127.0.0.1:1"),
    "audit-pack": (
        *(*PROGRESSIVE, "audit-pack", "--data", "{old}", "--day", "2026-01-02", "-o", "{new}"),
        *("--printed-at", "2026-11-18T00:00:00Z"),
    ),
    "backup": (*PROGRESSIVE, "backup", "--data", "{old}", "--to", "{new}"),
    "check": (*PROGRESSIVE, "check", str(FLOOR)),
    "demo": (*DEMO, *ANY_PORT),
    "explain": (*PROGRESSIVE, "explain", "main", "mega", "--data", "{old}"),
    "export": (*PROGRESSIVE, "export", "--link", "main", "--data", "{old}"),
    "init": (*PROGRESSIVE, "init", "{new}"),
    "key": (*PROGRESSIVE, "key", "BJ-01", "--data", "{new}", "--floor", str(FLOOR)),
    "mend-log": (
        *(*PROGRESSIVE, "mend-log", "--data", "{old}", "--store", "redis://127.0.0.1:1/0"),
        *("--link", "main"),
    ),
    "migrate": (
        *(*PROGRESSIVE, "migrate", "--from", "sqlite:{old}", "--to", "redis://127.0.0.1:1/0"),
        *("--link", "main"),
    ),
    "odds": ODDS,
    "purge": (*PURGE, "--server", "http://127.0.0.1:1"),
    "report": (
        *(*PROGRESSIVE, "report", "reconciliation", "--data", "{old}", "--fresh"),
        *("--month", "2026-11", "--format", "csv"),
    ),
    "restore": (*PROGRESSIVE, "restore", "--from", "{old}", "--data", "{new}"),
    "retire": (*RETIRE, "--server", "http://127.0.0.1:1"),
    "seal": (*PROGRESSIVE, "seal", "--link", "main", "--data", "{old}"),
    "seal-key": (*PROGRESSIVE, "seal-key", "--out", "{new}"),
    "serve": (*SERVE, *ANY_PORT),
    "settle": (*PROGRESSIVE, "settle"),
    "sign-log": (*SIGN_LOG, "--data", "{old}"),
    "simulate": (*SIMULATE, "--server", "http://127.0.0.1:1"),
    "user": (*PROGRESSIVE, "user", "list", "--data", "{old}"),
    "verifier": (*PROGRESSIVE, "verifier", "--out", "{new}"),
    "verify": (*PROGRESSIVE, "verify", "--data", "{old}"),
    "witness": (
        *(*PROGRESSIVE, "witness", "--data", "{new}", "--key", "{key}", "--logs", "{text}"),
        *ANY_PORT,
    ),
    "display": (*RELAY_OF, *ANY_PORT),
    "display.led": LED_AT,
}
"""Each command as it would do its work."""


def test_every_command_is_in_the_table() -> None:
    known = main.list_commands(click.Context(main))
    assert set(WHOLE) == {*known, "display", "display.led"}


@pytest.mark.slow
@pytest.mark.parametrize("command", WHOLE)
def test_closed_standard_output_stops_every_command_before_it_does_anything(
    command: str, around: Surroundings
) -> None:
    ran = run(WHOLE[command], around, redirect=">&-")
    assert "standard output is closed" in told(ran)
    assert ran.returncode == 2
    assert not around.new.exists()


@pytest.mark.slow
@pytest.mark.parametrize("command", WHOLE)
def test_help_on_a_full_disk_is_an_error(command: str, around: Surroundings) -> None:
    program = WHOLE[command][:2]
    words = (command,) if program == PROGRESSIVE else ()
    ran = run((*program, *words, "--help"), around, redirect="> /dev/full")
    assert told(ran) == "Error: standard output: No space left on device"
    assert ran.returncode == 2


@pytest.mark.parametrize(
    "command",
    [
        *("check", "odds", "settle"),
        *slow_for("demo", "key", "serve", "user", "verify", "display"),
    ],
)
def test_results_on_a_full_disk_are_an_error(command: str, around: Surroundings) -> None:
    ran = run(WHOLE[command], around, redirect="> /dev/full", stdin="{}\n")
    error = [line for line in ran.stderr.splitlines() if line.startswith("Error")]
    assert len(error) == 1
    assert "standard output: No space left on device" in error[0]
    assert "Traceback" not in ran.stderr
    assert ran.returncode == 2


def test_a_key_that_could_not_be_shown_says_that_it_counts(around: Surroundings) -> None:
    ran = run(WHOLE["key"], around, redirect="> /dev/full")
    assert "table BJ-01 is stored but was not shown: issue it again" in told(ran)


@pytest.mark.parametrize("command", ["check", "key", *slow_for("odds", "user", "verify")])
def test_a_reader_that_has_enough_is_no_error(command: str, around: Surroundings) -> None:
    arguments = [each.format(**around._asdict()) for each in WHOLE[command]]
    reading, writing = os.pipe()
    os.close(reading)
    with subprocess.Popen(
        [sys.executable, *arguments], cwd=ROOT, stdout=writing, stderr=subprocess.PIPE, text=True
    ) as process:
        os.close(writing)
        _, error = process.communicate(timeout=120)
    # A key that nobody read is worth a word.
    assert (process.returncode, error) == ((2, error) if command == "key" else (141, ""))
    assert "Traceback" not in error


# --- standard input -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "redirect", "why"),
    named(
        {
            "settle": (WHOLE["settle"], "<&-", "standard input is closed"),
            "settle unreadable": (WHOLE["settle"], "0> /dev/null", "standard input: Bad file"),
            "user add": ((*USER_ADD, "--data", "{new}"), "<&-", "standard input is closed"),
            "user add unreadable": ((*USER_ADD, "--data", "{new}"), "0> /dev/null", "Bad file"),
            "user add latin": ((*USER_ADD, "--data", "{new}"), "< {latin}", "not UTF-8 text"),
            "user add endless": ((*USER_ADD, "--data", "{new}"), "< /dev/zero", "rejected"),
            "user password": (
                (*PROGRESSIVE, "user", "password", "Ann", "--data", "{old}"),
                "<&-",
                "standard input is closed",
            ),
        }
    ),
)
def test_standard_input_that_cannot_be_read_is_named(
    arguments: Arguments, redirect: str, why: str, around: Surroundings
) -> None:
    ran = run(arguments, around, redirect=redirect.format(**around._asdict()))
    assert why in told(ran)
    assert (ran.returncode, ran.stdout) == (2, "")


def test_a_folder_as_standard_input_is_refused_by_python_itself(around: Surroundings) -> None:
    """The interpreter ends before any code of ours runs, with words and a code of its own."""
    ran = run(WHOLE["settle"], around, redirect=f"< {around.folder}")
    assert "<stdin> is a directory" in ran.stderr
    assert "Traceback" not in ran.stderr
    assert ran.returncode == 1


# --- files --------------------------------------------------------------------------------------

TLS = ("--tls-cert", "{cert}", "--tls-key", "{key}")
OPTIONS_THAT_TAKE_A_FILE: dict[str, Arguments] = {
    "serve --floor": (*PROGRESSIVE, "serve", "--data", "{new}", "--floor"),
    "demo --floor": (*DEMO, "--floor"),
    "key --floor": (*PROGRESSIVE, "key", "BJ-01", "--data", "{new}", "--floor"),
    "sign-log --floor": (*SIGN_LOG, "--data", "{old}", "--floor"),
    "simulate --keys": (*SIMULATE, "--server", "http://127.0.0.1:1", "--keys"),
    "simulate --ca": (*SIMULATE, "--server", "https://127.0.0.1:1", "--ca"),
    "approve --ca": (*APPROVE, "--server", "https://127.0.0.1:1", "--ca"),
    "display --ca": (*RELAY_OF, "--ca"),
    "display.led --ca": (*LED_AT, "--ca"),
    "display --key-file": (*RELAY_OF, "--key-file"),
    "display.led --key-file": (*LED_AT, "--key-file"),
    "serve --tls-cert": (*SERVE, *ANY_PORT, *TLS, "--tls-cert"),
    "serve --tls-key": (*SERVE, *ANY_PORT, *TLS, "--tls-key"),
    "serve --tls-client-ca": (*SERVE, *ANY_PORT, *TLS, "--tls-client-ca"),
}


@pytest.mark.slow
@pytest.mark.parametrize("option", OPTIONS_THAT_TAKE_A_FILE)
@pytest.mark.parametrize("file", ["missing", "folder", "loop", "latin", "text"])
def test_a_file_that_is_of_no_use_is_named(option: str, file: str, around: Surroundings) -> None:
    ran = run((*OPTIONS_THAT_TAKE_A_FILE[option], f"{{{file}}}"), around)
    assert f"/{file}" in told(ran)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert not around.new.exists()


@pytest.mark.parametrize("file", ["missing", "folder", "loop", "latin"])
def test_check_prints_its_one_line_as_its_result(file: str, around: Surroundings) -> None:
    ran = run((*PROGRESSIVE, "check", f"{{{file}}}"), around)
    assert ran.stdout.startswith(f"{around._asdict()[file]}: ")
    assert (ran.stdout.count("\n"), ran.stderr, ran.returncode) == (1, "", 2)


@pytest.mark.slow
@pytest.mark.parametrize("file", ["missing", "folder", "loop", "latin"])
def test_odds_of_a_game_file_that_cannot_be_read(file: str, around: Surroundings) -> None:
    as_game = around.folder / f"{file}.toml"
    if file != "missing":
        as_game.symlink_to(around._asdict()[file])
    ran = run((*PROGRESSIVE, "odds", str(as_game), "--decks", "6"), around)
    assert str(as_game) in told(ran)
    assert (ran.returncode, ran.stdout) == (2, "")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "folder", "why"),
    named(
        {
            "key": ((*PROGRESSIVE, "key", "BJ-01", "--floor", str(FLOOR)), "loop", "loop"),
            "user list": ((*PROGRESSIVE, "user", "list"), "loop", "nobody has been added in"),
            "user add": (USER_ADD, "loop", "/loop: File exists"),
            "verify": ((*PROGRESSIVE, "verify"), "loop", "loop is not a directory"),
            "verify nothing": ((*PROGRESSIVE, "verify"), "folder", "no journal in"),
            "sign-log": (SIGN_LOG, "loop", "no sign log in"),
            "serve": ((*SERVE[:-2], *ANY_PORT), "loop", "loop"),
            "serve on a file": ((*SERVE[:-2], *ANY_PORT), "text", "is a file"),
            "demo": ((*DEMO[:-2], *ANY_PORT), "loop", "loop"),
            "simulate": ((*SIMULATE, "--server", "http://127.0.0.1:1"), "missing", "missing"),
        }
    ),
)
def test_a_data_directory_that_cannot_be_used_is_named(
    arguments: Arguments, folder: str, why: str, around: Surroundings
) -> None:
    ran = run((*arguments, "--data", f"{{{folder}}}"), around, stdin=PASSWORD)
    assert why in told(ran)
    assert (ran.returncode, ran.stdout) == (2, "")


# --- the network --------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("command", ["serve", "demo", "display"])
@pytest.mark.parametrize(
    ("listen", "why"),
    [
        ("127.0.0.1:{busy}", "127.0.0.1:{busy} is in use (use --listen for another port)"),
        *map(
            slow,
            [
                ("nosuch.invalid:0", "cannot listen on nosuch.invalid:0: unknown host"),
                ("a..b:0", "cannot listen on a..b:0: unknown host"),
                ("192.0.2.1:0", "192.0.2.1:0: this machine does not have that address"),
            ],
        ),
    ],
)
def test_an_address_that_cannot_be_had_is_named_and_the_code_is_the_same_for_all_servers(
    command: str, listen: str, why: str, around: Surroundings
) -> None:
    ran = run((*WHOLE[command], "--listen", listen), around)
    assert why.format(**around._asdict()) in told(ran)
    assert (ran.returncode, ran.stdout) == (2, "")


@pytest.mark.slow
def test_a_folder_that_another_service_works_on_is_the_same_code_in_serve_and_demo(
    around: Surroundings,
) -> None:
    with ServiceProcess(around.new):
        for command in ("serve", "demo"):
            ran = run(WHOLE[command], around)
            assert f"{around.new} is in use by another progressive (process" in told(ran)
            assert ran.returncode == 2


@pytest.mark.slow
@pytest.mark.parametrize("command", [SIMULATE, APPROVE])
@pytest.mark.parametrize(
    ("server", "why"),
    [
        ("http://127.0.0.1:1", "http://127.0.0.1:1 cannot be reached: Connection refused"),
        ("http://nosuch.invalid:1", "cannot be reached: unknown host 'nosuch.invalid'"),
        ("http://a..b:1", "http://a..b:1 cannot be reached: unknown host"),
        ("127.0.0.1:1", "'127.0.0.1:1' is not http://HOST:PORT"),
        ("ftp://127.0.0.1", "'ftp://127.0.0.1' is not http://HOST:PORT"),
    ],
)
def test_a_server_that_cannot_be_reached_is_named(
    command: Arguments, server: str, why: str, around: Surroundings
) -> None:
    ran = run((*command, "--server", server), around, stdin=PASSWORD)
    assert why in told(ran)
    assert (ran.returncode, ran.stdout) == (2, "")


@pytest.mark.slow
@pytest.mark.parametrize("command", [RELAY, LED_OF])
def test_an_upstream_that_is_no_address_is_named(command: Arguments, around: Surroundings) -> None:
    ran = run((*command, "--upstream", "ftp://127.0.0.1"), around)
    assert "'ftp://127.0.0.1' is not http(s)://HOST:PORT" in told(ran)
    assert ran.returncode == 2


@pytest.mark.slow
def test_a_key_of_another_certificate_is_a_mismatch(around: Surroundings) -> None:
    ran = run((*SERVE, *ANY_PORT, *TLS, "--tls-key", "{other_key}"), around)
    assert "/cert and" in told(ran)
    assert "/other_key do not belong together (mismatch)" in ran.stderr
    assert ran.returncode == 2


def test_the_documented_table_has_every_command() -> None:
    page = (ROOT / "docs" / "operations.md").read_text("utf-8")
    section = page.split("## Exit codes")[1].split("\n## ")[0]
    for command in WHOLE:
        program = f"python -m {command}" if command.startswith("display") else command
        assert f"`{program}" in section or f"`progressive {program}" in section, command


@pytest.mark.slow
def test_help_says_what_the_exit_codes_mean(around: Surroundings) -> None:
    for program in (PROGRESSIVE, RELAY, LED):
        ran = run((*program, "--help"), around)
        assert ran.returncode == 0
        said = " ".join(ran.stdout.split())
        assert "Exit codes: 0 all is well; 1 a finding; 2 bad input, or bad surroundings" in said
