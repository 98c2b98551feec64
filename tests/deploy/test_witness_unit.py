"""The witness's unit: its command is the program's own, and it is as locked up as the service."""

import shlex

from progressive.entry.commands import witness
from tests.support.service import ROOT

DEPLOY = ROOT / "deploy"


def settings(name: str) -> dict[str, str]:
    lines = (DEPLOY / name).read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line and line[0] != "#")


def test_its_command_is_one_that_the_program_takes() -> None:
    unit = settings("progressive-witness.service")
    program, name, *arguments = shlex.split(unit["ExecStart"])
    assert (program, name) == ("/opt/progressive/bin/progressive", "witness")
    taken = witness.command.make_context(name, arguments)
    assert taken.params["listen"] == ("0.0.0.0", 8095)
    assert str(taken.params["data"]) == f"/var/lib/{unit['StateDirectory']}"
    credential, _ = unit["LoadCredential"].split(":")
    assert str(taken.params["key"]) == f"${{CREDENTIALS_DIRECTORY}}/{credential}"


def test_it_is_as_locked_up_as_the_service() -> None:
    service, mine = settings("progressive.service"), settings("progressive-witness.service")
    hardening = (
        *("NoNewPrivileges", "ProtectSystem", "ProtectHome", "PrivateTmp", "PrivateDevices"),
        *("RestrictAddressFamilies", "User", "StateDirectoryMode"),
    )
    assert {key: mine[key] for key in hardening} == {key: service[key] for key in hardening}
