"""docs/security.md and docs/protocol.md say what the code does."""

import re
from pathlib import Path

import pytest

from progressive.application.people.sessions import NoSession
from progressive.domain.people.roles import SECONDED, Act, Role, Unfit, may

DOCS = Path(__file__).parent.parent / "docs"
SECURITY = (DOCS / "security.md").read_text("utf-8")
PROTOCOL = (DOCS / "protocol.md").read_text("utf-8")


def documented_matrix() -> dict[str, list[str]]:
    rows = re.findall(r"^\| `(\w+)` \|(.*)\|$", SECURITY, re.MULTILINE)
    return {name: [cell.strip() for cell in cells.split("|")] for name, cells in rows}


def test_the_roles_stand_in_the_order_of_the_columns() -> None:
    assert f"| act | {' | '.join(Role)} | second person |" in SECURITY


@pytest.mark.parametrize("act", Act)
def test_the_documented_role_matrix_is_the_one_that_decides(act: Act) -> None:
    allowed = ["yes" if may(role, act) else "" for role in Role]
    second = str(SECONDED[act]) if act in SECONDED else ""
    assert documented_matrix()[act] == [*allowed, second]


def test_no_act_is_documented_that_does_not_exist() -> None:
    assert set(documented_matrix()) == set(Act)


@pytest.mark.parametrize(
    "code",
    [
        *[*NoSession, *Unfit],
        *["BAD_CREDENTIALS", "TOO_MANY_TRIES", "TOO_MANY_REFUSALS", "CROSS_SITE", "UNAVAILABLE"],
        *["KEY_REUSED", "KEY_UNDER_WAY", "BAD_KEY", "BAD_QUERY"],
    ],
)
def test_every_refusal_at_the_door_is_documented(code: str) -> None:
    assert f"`{code}`" in PROTOCOL
