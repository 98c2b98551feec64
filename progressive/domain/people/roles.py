"""People: who they are, what their role lets them do, and when a second one is needed.

The role matrix is here and nowhere else: `may` and `unfit` answer from it. What else an act needs
(another person than the validator, an approval) is decided in `domain/decide/acts.py`.
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from progressive.domain.people.names import same_department, same_person
from progressive.domain.signatures import Signature


class Role(StrEnum):
    """What somebody is employed as."""

    DEALER = "dealer"
    SUPERVISOR = "supervisor"
    FINANCE = "finance"
    ADMIN = "admin"
    AUDITOR = "auditor"
    COMPLIANCE = "compliance"


class Act(StrEnum):
    """What can be asked of the service in somebody's name."""

    VIEW_HIDDEN_METERS = "view_hidden_meters"
    LIST_AWARDS = "list_awards"
    VIEW_SHEET = "view_sheet"
    VALIDATE_AWARD = "validate_award"
    PROPOSE_VOID = "propose_void"
    APPROVE_VOID = "approve_void"
    VOID_ROUND = "void_round"
    PAY_AWARD = "pay_award"
    APPROVE_PAYMENT = "approve_payment"
    PROPOSE_CORRECTION = "propose_correction"
    APPROVE_CORRECTION = "approve_correction"
    APPROVE_TERMS = "approve_terms"
    RETIRE_LINK = "retire_link"
    ACCEPT_LOSS = "accept_loss"
    PURGE_RECORDS = "purge_records"
    VIEW_REPORTS = "view_reports"
    ENTER_FIGURES = "enter_figures"
    PREPARE_DAY = "prepare_day"
    CLOSE_DAY = "close_day"
    VIEW_ACTS = "view_acts"
    MANAGE_USERS = "manage_users"
    CONFIRM_USER = "confirm_user"
    UNLOCK_USER = "unlock_user"
    SIGN_ON_TABLE = "sign_on_table"
    ACKNOWLEDGE_ALARM = "acknowledge_alarm"
    VIEW_SIGNS = "view_signs"
    VIEW_SIGN_LOG = "view_sign_log"
    MANAGE_SIGN_KEYS = "manage_sign_keys"


# Administration and money are apart: who makes accounts and keys signs for no payment, no meter and
# no terms (25 CFR 543.20(a)(4)). Who adjusts a meter does not approve its configuration.
_PIT: Final = frozenset({Role.SUPERVISOR})
_BOOKS: Final = frozenset({Role.FINANCE})
_CONFIGURATION: Final = frozenset({Role.COMPLIANCE, Role.SUPERVISOR})
_WATCH: Final = frozenset({Role.ADMIN, Role.AUDITOR, Role.COMPLIANCE})
_OFFICE: Final = _BOOKS | _WATCH

ROLE_MATRIX: Final[Mapping[Act, frozenset[Role]]] = MappingProxyType(
    {
        # Reset, overflow and lifetime meters: not for whoever plays or deals against them.
        Act.VIEW_HIDDEN_METERS: _OFFICE,
        Act.LIST_AWARDS: _OFFICE | _PIT,
        Act.VIEW_SHEET: _OFFICE | _PIT,
        Act.VALIDATE_AWARD: _PIT,
        Act.PROPOSE_VOID: _PIT,
        Act.APPROVE_VOID: _PIT,
        # A locked round, where the terms do not leave its void to the dealer.
        Act.VOID_ROUND: _PIT,
        # At the table by the supervisor, at the cage by finance.
        Act.PAY_AWARD: frozenset({Role.SUPERVISOR, Role.FINANCE}),
        Act.APPROVE_PAYMENT: _BOOKS | _PIT,
        Act.PROPOSE_CORRECTION: _BOOKS,
        Act.APPROVE_CORRECTION: _BOOKS,
        Act.APPROVE_TERMS: _CONFIGURATION,
        Act.RETIRE_LINK: _CONFIGURATION,
        # Records that are gone: whoever runs the machine has no part in it.
        Act.ACCEPT_LOSS: frozenset({Role.FINANCE, Role.COMPLIANCE}),
        # The oldest records, once nobody has to keep them: as with those that are gone.
        Act.PURGE_RECORDS: frozenset({Role.FINANCE, Role.COMPLIANCE}),
        Act.VIEW_REPORTS: _OFFICE,
        # Accounting reconciles, never the pit (N.J.A.C. 13:69D-1.52), and never whoever runs the
        # machine: preparer and reviewer are two people of finance.
        Act.ENTER_FIGURES: _BOOKS,
        Act.PREPARE_DAY: _BOOKS,
        Act.CLOSE_DAY: _BOOKS,
        Act.VIEW_ACTS: _WATCH,
        Act.MANAGE_USERS: frozenset({Role.ADMIN}),
        # Supervisors and finance confirm an administrator's account only, where nobody else is left
        # who could, and two of them together: one alone with the machine could make up anybody.
        Act.CONFIRM_USER: frozenset({Role.ADMIN, Role.COMPLIANCE, Role.SUPERVISOR, Role.FINANCE}),
        Act.UNLOCK_USER: frozenset({Role.SUPERVISOR, Role.ADMIN}),
        # A supervisor who deals could validate what she dealt.
        Act.SIGN_ON_TABLE: frozenset({Role.DEALER}),
        Act.ACKNOWLEDGE_ALARM: frozenset({Role.SUPERVISOR, Role.ADMIN}),
        Act.VIEW_SIGNS: _OFFICE | _PIT,
        # What a sign read is evidence in a dispute: not for those who are part of it.
        Act.VIEW_SIGN_LOG: _OFFICE,
        Act.MANAGE_SIGN_KEYS: frozenset({Role.ADMIN}),
    }
)


class Second(StrEnum):
    """Who may second what somebody else began."""

    ANOTHER_PERSON = "another person"
    ANOTHER_DEPARTMENT = "another department"


SECONDED: Final[Mapping[Act, Second]] = MappingProxyType(
    {
        Act.APPROVE_VOID: Second.ANOTHER_PERSON,
        Act.APPROVE_PAYMENT: Second.ANOTHER_DEPARTMENT,
        Act.APPROVE_CORRECTION: Second.ANOTHER_DEPARTMENT,
        Act.APPROVE_TERMS: Second.ANOTHER_DEPARTMENT,
        Act.CONFIRM_USER: Second.ANOTHER_PERSON,
        Act.RETIRE_LINK: Second.ANOTHER_DEPARTMENT,
        Act.ACCEPT_LOSS: Second.ANOTHER_DEPARTMENT,
        Act.PURGE_RECORDS: Second.ANOTHER_DEPARTMENT,
        Act.CLOSE_DAY: Second.ANOTHER_PERSON,
    }
)
"""The acts that complete another person's, and how far apart the two must be."""

WITHOUT_CONFIRMATION: Final = frozenset(
    {
        *(Act.VIEW_HIDDEN_METERS, Act.LIST_AWARDS, Act.VIEW_SHEET, Act.VIEW_REPORTS),
        *(Act.VIEW_ACTS, Act.VIEW_SIGNS, Act.VIEW_SIGN_LOG),
        *(Act.SIGN_ON_TABLE, Act.ACKNOWLEDGE_ALARM),
    }
)
"""What somebody may do whose account was made or changed at the machine and who is not confirmed.

Look, deal, and look after alarms; sign for nothing, not even as the first of two: whoever has the
machine could otherwise be both."""


class Person(Struct, frozen=True):
    """Somebody who may log in."""

    name: str
    role: Role
    department: str
    disabled: bool = False
    unconfirmed: bool = False
    """Made or changed at the machine, and no colleague has confirmed it yet."""

    @property
    def signature(self) -> Signature:
        """What is kept of this person with an act."""
        return Signature(self.name, self.department)


class Unfit(StrEnum):
    """Why somebody may not do what was asked, in order of precedence."""

    WRONG_ROLE = "WRONG_ROLE"
    UNCONFIRMED = "UNCONFIRMED"
    SAME_PERSON = "SAME_PERSON"
    SAME_DEPARTMENT = "SAME_DEPARTMENT"


def may(role: Role, act: Act) -> bool:
    """Whether the role matrix allows it."""
    return role in ROLE_MATRIX[act]


def unfit(person: Person, act: Act, *, first: Signature | None = None) -> Unfit | None:
    """Why this person may not do this, to what `first` began; None where all is well.

    Another department implies another person: one who changed departments is still one person.
    """
    if not may(person.role, act):
        return Unfit.WRONG_ROLE
    if person.unconfirmed and act not in WITHOUT_CONFIRMATION:
        return Unfit.UNCONFIRMED
    if first is None or act not in SECONDED:
        return None
    if same_person(person.signature, first):
        return Unfit.SAME_PERSON
    if SECONDED[act] is Second.ANOTHER_DEPARTMENT and same_department(person.signature, first):
        return Unfit.SAME_DEPARTMENT
    return None
