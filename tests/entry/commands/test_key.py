"""`progressive key`: the key alone on stdout, and a mistyped name named where a floor is known."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from progressive.adapters.keys.signs import RelayKeys, SignKeys
from progressive.adapters.keys.tables import TableKeys
from progressive.domain.ids import TableId
from progressive.entry.cli import main
from tests.support.certificates import Certificates
from tests.support.service import FLOOR, ServiceProcess, run_command

NOT_LOOKED_UP = " (not looked up: no floor is known here; --floor FILE checks it)"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def key(data: Path, *arguments: object) -> Result:
    result = CliRunner().invoke(main, ["key", *map(str, arguments), "--data", str(data)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def test_the_key_is_all_of_standard_output_and_the_rest_is_beside_it(data: Path) -> None:
    table = key(data, "BJ-01", "--floor", FLOOR)
    assert (table.exit_code, table.stderr) == (0, "key issued for table BJ-01\n")
    assert TableKeys(data).fits(TableId("BJ-01"), table.stdout.removesuffix("\n"))
    sign = key(data, "--sign", "entrance", "--floor", FLOOR)
    assert (sign.exit_code, sign.stderr) == (0, "key issued for sign entrance\n")
    assert SignKeys(data).fits_name("entrance", sign.stdout.removesuffix("\n"))
    relay = key(data, "--relay", "north", "--floor", FLOOR)
    assert (relay.exit_code, relay.stderr) == (0, "key issued for relay north\n")
    assert RelayKeys(data).fits_name("north", relay.stdout.removesuffix("\n"))


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["BJ-99"], f"no table BJ-99 on this floor ({FLOOR}); nearest: BJ-09"),
        (["bj-03"], f"no table bj-03 on this floor ({FLOOR}); nearest: BJ-03"),
        (["roulette"], f"no table roulette on this floor ({FLOOR}); it has: BJ-01, BJ-02"),
        (["--sign", "entrence"], f"no sign entrence on this floor ({FLOOR}); nearest: entrance"),
    ],
)
def test_a_name_that_is_not_on_the_floor_is_refused_with_the_nearest(
    data: Path, arguments: list[str], why: str
) -> None:
    result = key(data, *arguments, "--floor", FLOOR)
    assert result.stderr.startswith(f"Error: {why}")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert not data.exists()


def test_without_a_floor_the_name_is_taken_as_it_is_with_a_note(data: Path) -> None:
    for arguments, what in ((["BJ-99"], "table BJ-99"), (["--sign", "nosuch"], "sign nosuch")):
        result = key(data, *arguments)
        assert result.exit_code == 0
        assert result.stderr == f"key issued for {what}{NOT_LOOKED_UP}\n"


def test_removing_a_key_says_so_and_needs_no_floor(data: Path) -> None:
    key(data, "--sign", "attic")
    removed = key(data, "--sign", "attic", "--remove", "--floor", FLOOR)
    assert (removed.exit_code, removed.stdout) == (0, "key of sign attic removed\n")
    assert not SignKeys(data).keyed("attic")


def test_removing_a_key_that_is_not_there_is_a_finding_with_the_nearest(data: Path) -> None:
    key(data, "--relay", "north")
    missed = key(data, "--relay", "norht", "--remove")
    told = "Error: relay norht has no key; nearest with a key: north\n"
    assert (missed.exit_code, missed.stdout, missed.stderr) == (1, "", told)
    nothing = key(data, "--sign", "pit", "--remove")
    assert (nothing.exit_code, nothing.stderr) == (1, "Error: sign pit has no key\n")


@pytest.mark.slow
@pytest.mark.parametrize("tls", [False, True])
def test_a_running_service_knows_its_floor(tmp_path: Path, data: Path, tls: bool) -> None:
    options = Certificates(tmp_path).options if tls else ()
    with ServiceProcess(data, *options) as service:
        missed = run_command("key", "BJ-99", "--data", data)
        why = f"no table BJ-99 on this floor (the running service, {service.url}); nearest: BJ-09"
        assert (missed.returncode, missed.stdout) == (2, "")
        assert missed.stderr.startswith(f"Error: {why}")
        sign = run_command("key", "--sign", "nosuch", "--data", data)
        assert sign.returncode == 2
        assert sign.stderr.startswith("Error: no sign nosuch on this floor (the running service")
        issued = run_command("key", "BJ-09", "--data", data)
        assert (issued.returncode, issued.stderr) == (0, "key issued for table BJ-09\n")
        # A floor file that is not in use yet has the last word: its tables get keys first.
        tomorrow = tmp_path / "floor.toml"
        tomorrow.write_text(FLOOR.read_text("utf-8").replace("BJ-09", "BJ-99"), "utf-8")
        new = run_command("key", "BJ-99", "--data", data, "--floor", tomorrow)
        assert new.returncode == 0
    assert run_command("key", "BJ-99", "--data", data).stderr.endswith(f"{NOT_LOOKED_UP}\n")
