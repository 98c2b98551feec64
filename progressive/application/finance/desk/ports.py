"""The port to the process that answers questions of finance."""

from typing import Protocol

from progressive.application.finance.desk.asked import Answer, Asked


class BookkeeperError(Exception):
    """The process gave no answer; in words for the log."""


class BookkeeperDiedError(BookkeeperError):
    """It ended over this very question, which is not asked again."""


class Bookkeeper(Protocol):
    """Answers one question at a time, in another process."""

    async def ask(self, question: Asked) -> Answer:
        """The answer; the process is started where it is gone.

        Cancelled, it returns once the process is free for another question. Raises
        BookkeeperError.
        """
        ...

    async def stop(self) -> None:
        """End the process."""
        ...
