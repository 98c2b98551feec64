"""Names that can be taken for each other, and names that cannot."""

import pytest

from progressive.domain.people.look_alikes import look_of, looks_like_another


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("Ann", "Аnn"),
        ("Ann", "ΑNN"),
        ("Cage", "Саgе"),
        ("Bob", "Воb"),
        ("Bob", "B0b"),
        ("Ian", "lan"),
        ("Ian", "1an"),
        ("Max Hill", "MAX HI11"),
        ("Tom", "ТОМ"),
    ],
)
def test_names_that_look_alike(name: str, other: str) -> None:
    assert looks_like_another(name, other)
    assert looks_like_another(other, name)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("Ann", "ann"),
        ("Ann", "Anne"),
        ("René", "Rene"),
        ("Ольга", "Olga"),
        ("王芳", "王方"),
        ("person 2", "person 3"),
    ],
)
def test_names_that_do_not(name: str, other: str) -> None:
    assert not looks_like_another(name, other)


def test_look_of_a_look_is_itself() -> None:
    for name in ("Ann", "Аnn", "Ian", "ΑΒΓ", "Дмитрий"):
        assert look_of(look_of(name)) == look_of(name)
