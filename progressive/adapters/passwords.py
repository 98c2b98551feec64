"""Password hashes by argon2id, in threads of their own and few at a time.

A hash takes 64 MiB and a tenth of a second of one core by design. Two at a time leave the loop and
the journal their share of the machine however many people log in at once; the others wait.
"""

import asyncio
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from progressive.domain.people.passwords import normal_password

HASHES_AT_ONCE_MAX: Final = 2

# RFC 9106, section 4, second recommended option, but for one lane: a log-in keeps one core busy.
TIME_COST: Final = 3
MEMORY_KIB: Final = 64 * 1024
LANES: Final = 1


class Argon2Passwords:
    """`application.people.ports.Passwords`."""

    def __init__(self, *, time_cost: int = TIME_COST, memory_kib: int = MEMORY_KIB) -> None:
        self._hasher = PasswordHasher(
            time_cost=time_cost, memory_cost=memory_kib, parallelism=LANES
        )
        self._nobodys = _nobodys_hash(time_cost, memory_kib)
        self._threads = ThreadPoolExecutor(HASHES_AT_ONCE_MAX, thread_name_prefix="passwords")

    async def hash(self, password: str) -> str:
        """Salt, parameters and hash in one text."""
        return await asyncio.get_running_loop().run_in_executor(
            self._threads, self._hasher.hash, _bytes(password)
        )

    async def fits(self, password_hash: str | None, password: str) -> bool:
        """Whether this is the password."""
        return await asyncio.get_running_loop().run_in_executor(
            self._threads, self._fits, password_hash or self._nobodys, password
        )

    def close(self) -> None:
        """End the threads."""
        self._threads.shutdown()

    def _fits(self, password_hash: str, password: str) -> bool:
        try:
            return self._hasher.verify(password_hash, _bytes(password))
        except (VerificationError, InvalidHashError):
            return False


def _nobodys_hash(time_cost: int, memory_kib: int) -> str:
    """What a name that nobody has is judged by: the answer must not come sooner. No password is
    known to give all zeros."""
    salt, zeros = (b64encode(bytes(size)).decode().rstrip("=") for size in (16, 32))
    return f"$argon2id$v=19$m={memory_kib},t={time_cost},p={LANES}${salt}${zeros}"


def _bytes(password: str) -> bytes:
    return normal_password(password).encode("utf-8", "surrogatepass")
