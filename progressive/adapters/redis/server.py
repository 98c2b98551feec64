"""One Redis server: its connections, calls with their errors turned into the port's own.

No call is ever sent twice by the client library: an append without an answer may have taken effect,
and what became of it is read. A call that is cut short drops its connection, so that no later one
reads its answer.
"""

from collections.abc import Awaitable, Sequence
from typing import Any, Final, TypeVar

from redis.exceptions import RedisError, ResponseError

from progressive.adapters.redis import functions
from progressive.adapters.redis.place import RedisPlace
from progressive.adapters.redis.primary import Primary
from progressive.adapters.redis.safety import ASKED, loss_case, unsafe
from progressive.application.journal.ports import StoreUnavailableError
from progressive.application.shared.ports import UnsafeLogError

CALL_SECONDS: Final = 2.0
"""Without an answer for so long, what became of a call is unknown."""
WAIT_MILLISECONDS: Final = 1_000
"""For replicas to have what was written."""
Word = str | bytes | int
T = TypeVar("T")
_NO_FUNCTION: Final = "Function not found"
_DRIVER_ERRORS: Final = (RedisError, OSError, TimeoutError)


class RedisServer:
    """The primary that a log lies on."""

    def __init__(self, place: RedisPlace) -> None:
        self.place: Final = place
        self._primary = Primary(place, call_seconds=CALL_SECONDS)
        self._client = self._primary.client

    async def check(self) -> str:
        """What a failure could lose; raises UnsafeLogError where that is more than may be."""
        settings = {
            _text(name): _text(value)
            for name, value in (await self._do(self._client.config_get(*ASKED))).items()
        }
        replication = await self._do(self._client.info("replication"))
        if (why := unsafe(self.place, settings, replication)) is not None:
            await self._primary.drop()
            raise UnsafeLogError(why)
        return loss_case(self.place, int(replication.get("connected_slaves", 0)))

    async def write(self, function: str, keys: Sequence[str], *args: Word) -> list[Any]:
        """Call a function; all wanted replicas have its effect when this returns.

        Raises StoreUnavailableError: it may have taken effect all the same.
        """
        replied = await self._called(function, keys, args)
        if isinstance(replied[0], ResponseError) and _NO_FUNCTION in str(replied[0]):
            # It has not run: a server that was replaced, or one whose functions were removed.
            await self._do(self._client.function_load(functions.SOURCE, replace=True))
            replied = await self._called(function, keys, args)
        for each in replied:
            if isinstance(each, Exception):
                await self._primary.drop()
                raise StoreUnavailableError(f"{self.place.shown}: {each}") from each
        answer: list[Any] = replied[0]
        if self.place.replicas and replied[1] < self.place.replicas:
            await self._primary.drop()
            raise StoreUnavailableError(
                f"{replied[1]} of {self.place.replicas} replicas of {self.place.shown} have what "
                "was written"
            )
        return answer

    async def _called(self, function: str, keys: Sequence[str], args: Sequence[Word]) -> list[Any]:
        # One pipeline, so one connection: WAIT counts what came before it on its own.
        pipeline = self._client.pipeline(transaction=False)
        pipeline.execute_command("FCALL", function, len(keys), *keys, *args)
        if self.place.replicas:
            pipeline.execute_command("WAIT", self.place.replicas, WAIT_MILLISECONDS)
        return await self._do(pipeline.execute(raise_on_error=False))

    async def ask(self, *command: Word) -> list[Any]:
        """A command that reads, and answers with a list."""
        asked: Awaitable[list[Any]] = self._client.execute_command(*command)  # type: ignore[no-untyped-call]
        return await self._do(asked)

    async def get(self, key: str) -> str | None:
        """The text under a key."""
        found = await self._do(self._client.get(key))
        return None if found is None else _text(found)

    async def fields(self, key: str) -> dict[str, str]:
        """The hash under a key."""
        found = self._client.hgetall(key)
        return {_text(name): _text(value) for name, value in (await self._do(found)).items()}

    async def close(self) -> None:
        """Close all connections."""
        await self._primary.close()

    async def _do(self, call: Awaitable[T]) -> T:
        try:
            return await call
        except _DRIVER_ERRORS as error:
            await self._primary.drop()
            said = str(error) or type(error).__name__
            raise StoreUnavailableError(f"{self.place.shown}: {said}") from error


def _text(value: str | bytes | None) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value or ""
