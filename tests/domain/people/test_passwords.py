import pytest

from progressive.domain.people.passwords import normal_password, password_problem


@pytest.mark.parametrize(
    ("password", "name", "expected"),
    [
        ("correct horse", "ann", None),
        ("twelve chars", "ann", None),
        ("eleven char", "ann", "it is shorter than 12 characters"),
        ("x" * 257, "ann", "it is longer than 256 characters"),
        ("x" * 12, "ann", "it is one character over and over"),
        ("Annabel Smith", "annabel  SMITH", "it is the name"),
        ("two lines\nof text", "ann", "it holds a character that cannot be seen"),
        ("пароль из слов", "ann", None),
    ],
)  # fmt: skip
def test_password_policy(password: str, name: str, expected: str | None) -> None:
    assert password_problem(password, name=name) == expected


def test_two_keyboards_one_password() -> None:
    assert normal_password("cafe\u0301 latte no") == normal_password("caf\u00e9 latte no")
