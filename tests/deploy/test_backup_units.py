"""The units of backups and drills: systemd reads them, and their commands are the program's own."""

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from progressive.entry.commands import backup, restore
from tests.support.service import ROOT

DEPLOY = ROOT / "deploy"
UNITS = ("progressive-backup", "progressive-restore-drill")


def settings(name: str) -> dict[str, str]:
    lines = (DEPLOY / name).read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line and line[0] != "#")


@pytest.mark.parametrize("unit", UNITS)
def test_the_command_of_a_unit_is_one_that_the_program_takes(unit: str) -> None:
    program, name, *arguments = shlex.split(settings(f"{unit}.service")["ExecStart"])
    assert program == "/opt/progressive/bin/progressive"
    command = {"backup": backup.command, "restore": restore.command}[name]
    taken = command.make_context(name, arguments)
    assert str(taken.params.get("place") or taken.params["source"]) == "/var/backups/progressive"
    # Without rests the lowest priority alone makes tables wait several times as long.
    assert taken.params["rest"] == 19


@pytest.mark.parametrize("unit", UNITS)
def test_a_unit_is_as_locked_up_as_the_service(unit: str) -> None:
    service, mine = settings("progressive.service"), settings(f"{unit}.service")
    hardening = ("NoNewPrivileges", "ProtectSystem", "ProtectHome", "PrivateTmp", "PrivateDevices")
    assert {key: mine[key] for key in hardening} == {key: service[key] for key in hardening}
    assert mine["User"] == service["User"]
    assert mine["ReadWritePaths"] == "/var/backups/progressive"
    # Not on the system's own disk, where nothing is mounted.
    assert mine["ConditionPathIsMountPoint"] == mine["ReadWritePaths"]
    assert settings(f"{unit}.timer")["Persistent"] == "yes"


def test_systemd_understands_the_units(tmp_path: Path) -> None:
    """Where its checker is installed; elsewhere the lines above have to do."""
    units = Path("/usr/lib/systemd/system")
    if shutil.which("systemd-analyze") is None or not (units / "sysinit.target").exists():
        return
    shutil.copytree(units, tmp_path / units.relative_to("/"), symlinks=True)
    (tmp_path / "lib").symlink_to("usr/lib")
    program = tmp_path / "opt" / "progressive" / "bin" / "progressive"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    names = [f"{unit}.{kind}" for unit in UNITS for kind in ("service", "timer")]
    for name in names:
        shutil.copy(DEPLOY / name, tmp_path / units.relative_to("/"))
    verified = subprocess.run(
        ["systemd-analyze", "verify", f"--root={tmp_path}", *names],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (verified.returncode, verified.stderr) == (0, "")
    for unit in UNITS:
        when = settings(f"{unit}.timer")["OnCalendar"]
        asked = subprocess.run(
            ["systemd-analyze", "calendar", when], capture_output=True, check=False
        )
        assert asked.returncode == 0, when
