"""Real argon2id with the parameters that people's passwords get."""

from collections.abc import Iterator

import pytest
from argon2 import extract_parameters
from argon2.low_level import Type

from progressive.adapters.passwords import Argon2Passwords


@pytest.fixture(scope="module")
def passwords() -> Iterator[Argon2Passwords]:
    made = Argon2Passwords()
    yield made
    made.close()


async def test_a_password_fits_its_hash_and_no_other(passwords: Argon2Passwords) -> None:
    hashed = await passwords.hash("correct horse")
    assert await passwords.fits(hashed, "correct horse")
    assert not await passwords.fits(hashed, "correct house")
    assert not await passwords.fits("not a hash", "correct horse")


async def test_parameters_are_not_weakened(passwords: Argon2Passwords) -> None:
    # RFC 9106, section 4: 64 MiB and three passes.
    used = extract_parameters(await passwords.hash("correct horse"))
    assert (used.type, used.memory_cost, used.time_cost) == (Type.ID, 65536, 3)
    assert (used.salt_len, used.hash_len) == (16, 32)


async def test_nobodys_password_is_judged_as_thoroughly_as_anybodys(
    passwords: Argon2Passwords,
) -> None:
    assert not await passwords.fits(None, "correct horse")
    somebodys = extract_parameters(await passwords.hash("correct horse"))
    assert extract_parameters(passwords._nobodys) == somebodys
