"""The role matrix cell by cell, and who counts as a second person."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from progressive.domain.people.names import key_to_find, name_key, name_problem
from progressive.domain.people.roles import (
    ROLE_MATRIX,
    SECONDED,
    Act,
    Person,
    Role,
    Second,
    Unfit,
    may,
    unfit,
)
from progressive.domain.signatures import Signature

# d(ealer) s(upervisor) f(inance) a(dmin) u: auditor, c(ompliance). Written out by hand, as an
# auditor would.
MATRIX = {
    Act.VIEW_HIDDEN_METERS: "..fauc",
    Act.LIST_AWARDS: ".sfauc",
    Act.VIEW_SHEET: ".sfauc",
    Act.VALIDATE_AWARD: ".s....",
    Act.PROPOSE_VOID: ".s....",
    Act.APPROVE_VOID: ".s....",
    Act.VOID_ROUND: ".s....",
    Act.PAY_AWARD: ".sf...",
    Act.APPROVE_PAYMENT: ".sf...",
    Act.PROPOSE_CORRECTION: "..f...",
    Act.APPROVE_CORRECTION: "..f...",
    Act.APPROVE_TERMS: ".s...c",
    Act.RETIRE_LINK: ".s...c",
    Act.ACCEPT_LOSS: "..f..c",
    Act.PURGE_RECORDS: "..f..c",
    Act.VOID_ROUND: ".s....",
    Act.VIEW_REPORTS: "..fauc",
    Act.ENTER_FIGURES: "..f...",
    Act.PREPARE_DAY: "..f...",
    Act.CLOSE_DAY: "..f...",
    Act.VIEW_ACTS: "...auc",
    Act.MANAGE_USERS: "...a..",
    Act.CONFIRM_USER: ".sfa.c",
    Act.UNLOCK_USER: ".s.a..",
    Act.SIGN_ON_TABLE: "d.....",
    Act.ACKNOWLEDGE_ALARM: ".s.a..",
    Act.VIEW_SIGNS: ".sfauc",
    Act.VIEW_SIGN_LOG: "..fauc",
    Act.MANAGE_SIGN_KEYS: "...a..",
}
COLUMNS = [Role.DEALER, Role.SUPERVISOR, Role.FINANCE, Role.ADMIN, Role.AUDITOR]
COLUMNS += [Role.COMPLIANCE]
CELLS = [
    pytest.param(role, act, mark != ".", id=f"{role}-{act}")
    for act, marks in MATRIX.items()
    for role, mark in zip(COLUMNS, marks, strict=True)
]


@pytest.mark.parametrize(("role", "act", "allowed"), CELLS)
def test_each_cell_of_the_role_matrix(role: Role, act: Act, allowed: bool) -> None:
    assert may(role, act) is allowed


def test_the_matrix_has_a_row_for_every_act() -> None:
    assert set(ROLE_MATRIX) == set(Act) == set(MATRIX)
    assert list(Role) == COLUMNS


def test_whoever_watches_changes_nothing() -> None:
    views = {Act.VIEW_HIDDEN_METERS, Act.LIST_AWARDS, Act.VIEW_SHEET}
    views |= {Act.VIEW_REPORTS, Act.VIEW_ACTS, Act.VIEW_SIGNS, Act.VIEW_SIGN_LOG}
    assert {act for act in Act if may(Role.AUDITOR, act)} == views


MONEY = {Act.VALIDATE_AWARD, Act.PROPOSE_VOID, Act.APPROVE_VOID, Act.VOID_ROUND, Act.PAY_AWARD}
MONEY |= {Act.APPROVE_PAYMENT, Act.PROPOSE_CORRECTION, Act.APPROVE_CORRECTION}


def test_administration_and_money_are_apart() -> None:
    assert not {act for act in MONEY | {Act.APPROVE_TERMS} if may(Role.ADMIN, act)}
    assert {role for role in Role if may(role, Act.MANAGE_USERS)} == {Role.ADMIN}


def test_nobody_both_adjusts_a_meter_and_approves_its_configuration() -> None:
    adjusting = ROLE_MATRIX[Act.PROPOSE_CORRECTION] | ROLE_MATRIX[Act.APPROVE_CORRECTION]
    assert not adjusting & ROLE_MATRIX[Act.APPROVE_TERMS]


ANN = Person("Ann", Role.SUPERVISOR, "Table games")


@pytest.mark.parametrize(
    ("act", "first", "expected"),
    [
        (Act.APPROVE_VOID, Signature("Bob", "Table games"), None),
        (Act.APPROVE_VOID, Signature("Ann", "Cage"), Unfit.SAME_PERSON),
        (Act.APPROVE_VOID, Signature(" aNN ", "Table games"), Unfit.SAME_PERSON),
        (Act.APPROVE_VOID, Signature("Ａｎｎ", "Table games"), Unfit.SAME_PERSON),
        (Act.APPROVE_PAYMENT, Signature("Bob", "Cage"), None),
        (Act.APPROVE_PAYMENT, Signature("Bob", "table  GAMES"), Unfit.SAME_DEPARTMENT),
        (Act.APPROVE_PAYMENT, Signature("Ann", "Cage"), Unfit.SAME_PERSON),
        (Act.APPROVE_CORRECTION, Signature("Bob", "Cage"), Unfit.WRONG_ROLE),
        (Act.VALIDATE_AWARD, Signature("Ann", "Table games"), None),
        (Act.APPROVE_PAYMENT, None, None),
    ],
)
def test_the_second_one_is_another(act: Act, first: Signature | None, expected: str | None) -> None:
    assert unfit(ANN, act, first=first) == expected


@pytest.mark.parametrize("act", Act)
def test_unconfirmed_account_looks_deals_and_signs_for_nothing(act: Act) -> None:
    looks = act.startswith(("view_", "list_")) or act in (Act.SIGN_ON_TABLE, Act.ACKNOWLEDGE_ALARM)
    for role in Role:
        found = unfit(Person("Max", role, "Cage", unconfirmed=True), act)
        if not may(role, act):
            assert found is Unfit.WRONG_ROLE
        else:
            assert found is (None if looks else Unfit.UNCONFIRMED)


@pytest.mark.parametrize("act", [Act.APPROVE_PAYMENT, Act.APPROVE_CORRECTION, Act.APPROVE_TERMS])
def test_money_is_approved_across_departments(act: Act) -> None:
    assert SECONDED[act] is Second.ANOTHER_DEPARTMENT


@given(st.text(max_size=30))
def test_a_name_key_is_its_own_key(name: str) -> None:
    assert name_key(name_key(name)) == name_key(name)


@given(st.text(max_size=30))
def test_case_and_outer_spaces_never_make_another_person(name: str) -> None:
    assert name_key(f"  {name.upper()}\t") == name_key(name.upper())
    assert name_key(name.lower().upper()) == name_key(name.upper().lower().upper())


@pytest.mark.parametrize(
    "name",
    ["", "  ", "\u00a0", "a\x00b", "a\nb", "a\u200bb", "a\ud800", "x" * 65, "\u202eann"],
)
def test_what_cannot_be_a_name_is_nobodys(name: str) -> None:
    assert name_problem(name) is not None
    assert key_to_find(name) == ""


@pytest.mark.parametrize("name", ["Ann", "Müller, J.", "O'Neill", "王芳", "x" * 64])
def test_names_of_people(name: str) -> None:
    assert name_problem(name) is None
    assert key_to_find(name) == name_key(name)
