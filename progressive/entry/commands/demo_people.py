"""People for the demo floor, with passwords that nobody knew before it started."""

import asyncio
import secrets
from typing import Final

from msgspec import Struct

from progressive.application.people.accounts import People
from progressive.domain.people.names import name_key
from progressive.domain.people.roles import Person, Role

PASSWORD_BYTES: Final = 12
WHERE: Final = "demo"

# Names that no real person has: a demo on a real folder must not change a real password.
DEMO_PEOPLE: Final = (
    Person("demo-dealer", Role.DEALER, "Table games"),
    Person("demo-supervisor", Role.SUPERVISOR, "Table games"),
    Person("demo-supervisor-2", Role.SUPERVISOR, "Table games"),
    Person("demo-cashier", Role.FINANCE, "Cage"),
    Person("demo-finance", Role.FINANCE, "Finance"),
    Person("demo-accountant", Role.FINANCE, "Accounting"),
    Person("demo-compliance", Role.COMPLIANCE, "Compliance"),
    Person("demo-admin", Role.ADMIN, "Systems"),
    Person("demo-auditor", Role.AUDITOR, "Audit"),
)


class DemoLogIn(Struct, frozen=True):
    """Who one may log in as, and how."""

    person: Person
    password: str


async def renewed_people(people: People) -> list[DemoLogIn]:
    """The demo's people, each with a new password; those of the last start are no good any more."""
    await people.begin_demo()
    there = {name_key(known.person.name) for known in await people.everybody()}
    renewed = [DemoLogIn(person, secrets.token_urlsafe(PASSWORD_BYTES)) for person in DEMO_PEOPLE]
    # Together: hashes are slow on purpose.
    await asyncio.gather(
        *[_renew(people, each, name_key(each.person.name) in there) for each in renewed]
    )
    return renewed


async def _renew(people: People, new: DemoLogIn, there: bool) -> None:
    if there:
        await people.set_password(new.person.name, new.password, where=WHERE)
        await people.enable(new.person.name, where=WHERE)
    else:
        await people.add(new.person, new.password, where=WHERE)
