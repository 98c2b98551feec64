"""The people of the upgrade data: every role, and who may not come in."""

from pathlib import Path

from tests.upgrades.clients import People
from tests.upgrades.program import Program
from tests.upgrades.recording import PASSWORD, Recording

CAST = {
    "Dora": ("dealer", "Table games"),
    "Zoë": ("dealer", "Table games"),
    "Ann": ("supervisor", "Table games"),
    "Sue": ("supervisor", "Table games"),
    "Bob": ("finance", "Cage"),
    "Pat": ("finance", "Accounts"),
    "Eve": ("admin", "Systems"),
    "Joe": ("auditor", "Audit"),
    "Cleo": ("compliance", "Compliance"),
    "Amy": ("finance", "Treasury"),
}
DISABLED, LOCKED = "Olga", "Lena"
BAD_TRIES = 5


def hire(program: Program, data: Path, *names: str) -> None:
    """Accounts, made on the command line."""
    for name in names:
        role, department = CAST.get(name, ("supervisor", "Table games"))
        program.output(
            *("user", "add", name, "--role", role, "--department", department, "--data", data),
            given=PASSWORD,
        )


async def turn_away(program: Program, data: Path, people: People, recording: Recording) -> None:
    """One is disabled with a session open, one has tried too often, one has logged out."""
    await people.log_in(DISABLED, PASSWORD)
    del people.tokens[DISABLED]
    program.output("user", "disable", DISABLED, "--data", data)
    for _ in range(BAD_TRIES):
        status, _ = await people.try_log_in(LOCKED, "a wrong password")
        assert status == 401
    for name in (DISABLED, LOCKED):
        status, answer = await people.try_log_in(name, PASSWORD)
        assert status == 401
        code = answer["error"]["code"]
        recording.log_ins.append({"user": name, "status": status, "code": code})
    await people.log_in("Zoë", PASSWORD)
    await people.ask("Zoë", "DELETE", "/v1/sessions")
    await people.log_in("Zoë", PASSWORD)
