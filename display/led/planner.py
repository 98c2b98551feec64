"""What the sign should hold against what it was told: the one command to send next. Pure.

Nothing waits in a queue. After each command the question is asked anew, so a slow line skips
amounts and never sends an old one. Takeovers come first; amounts take turns. The sign's clock, by
which its amounts expire, is set again every minute.
"""

from typing import Final, NamedTuple

from display.led import alpha, expiry
from display.led.composer import Amount, Glass, memory_for

REFRESH_SECONDS: Final = 60.0
"""Nobody tells when a sign was switched off and on: all it holds is written again this often."""
REBUILD_SECONDS: Final = 3_600.0
"""So often its memory is laid out anew, which blanks it for seconds: it may be another sign."""
CLEAR_SETTLE_SECONDS: Final = 2.0
MEMORY_SETTLE_SECONDS: Final = 3.0
"""A sign that was cleared starts itself again, and is deaf for about five seconds in all."""

_CLEAR: Final = "clear"
_MEMORY: Final = "memory"
_SEQUENCE: Final = "sequence"
_TEXT: Final = "text"
_PRIORITY: Final = "priority"


class Step(NamedTuple):
    """A command to send, and how long the sign then wants to be left alone."""

    key: str
    command: bytes
    settle_seconds: float = 0.0
    amount: Amount | None = None
    place: tuple[int, int] = (0, 0)
    is_takeover: bool = False


class _Written(NamedTuple):
    command: bytes
    at: float
    number: int


class Planner:
    """What one sign was told since its line was opened."""

    def __init__(
        self,
        mode: alpha.Mode,
        *,
        refresh_seconds: float = REFRESH_SECONDS,
        rebuild_seconds: float = REBUILD_SECONDS,
    ) -> None:
        self._mode = mode
        self._refresh_seconds = refresh_seconds
        self._rebuild_seconds = rebuild_seconds
        self._written: dict[str, _Written] = {}
        self._shown: dict[str, int] = {}
        self._shown_place = (0, 0)
        self._number = 0
        self._release_since: int | None = None

    def forget(self) -> None:
        """The line was lost, or somebody asked for it: write everything anew."""
        self._written.clear()
        self._shown.clear()

    def next_step(self, glass: Glass, now: float) -> Step | None:
        """The most urgent command; None when the sign holds what it should."""
        takeover = self._takeover(glass)
        if glass.text is None:
            # No amounts, so no files: the takeover alone, which needs no memory.
            return takeover or self._due([_priority(glass)], now)
        self._rebuild_if_due(glass, now)
        return (
            self._memory(glass, glass.text)
            or takeover
            or self._kept_alive(glass, now)
            or self._files(glass, glass.text)
            or self._release(glass)
            # Before the amounts, which on a busy floor are never all written. Few, and seldom.
            or self._due(_all_steps(glass, glass.text, self._mode), now)
            or self._oldest(self._dirty(glass))
        )

    def written(self, step: Step, now: float) -> None:
        """The command has left."""
        self._number += 1
        if step.key in (_CLEAR, _MEMORY):
            self.forget()
        self._written[step.key] = _Written(step.command, now, self._number)
        if step.amount is not None:
            self._shown[step.amount.meter] = step.amount.cents
            self._shown_place = step.place

    def holds_takeover(self, glass: Glass) -> bool:
        """Whether the takeover that should be on the glass is."""
        step = _priority(glass)
        return step.is_takeover and not self._is_dirty(step)

    def shown(self) -> dict[str, int] | None:
        """Meter to the cents that can be read now: none under a takeover.

        None while the sign has not been told enough to be certain.
        """
        priority = self._written.get(_PRIORITY)
        if priority is None:
            return None
        released = priority.command == alpha.release_priority()
        return dict(self._shown) if released and _TEXT in self._written else {}

    def place(self, glass: Glass) -> tuple[int, int]:
        """The newest place that what can be read is of: nothing on the glass is past it."""
        return self._shown_place if self._dirty(glass) else glass.place

    def _is_dirty(self, step: Step) -> bool:
        known = self._written.get(step.key)
        return known is None or known.command != step.command

    def _takeover(self, glass: Glass) -> Step | None:
        step = _priority(glass)
        if not step.is_takeover:
            return None
        self._release_since = None
        return step if self._is_dirty(step) else None

    def _rebuild_if_due(self, glass: Glass, now: float) -> None:
        memory = self._written.get(_MEMORY)
        # Not in the middle of a win: it would be gone for seconds.
        if memory and not glass.takeover and now - memory.at >= self._rebuild_seconds:
            self.forget()

    def _memory(self, glass: Glass, text: bytes) -> Step | None:
        """The layout of the memory; other signs than this one may have been on the line before."""
        step = Step(_MEMORY, alpha.set_memory(memory_for(glass, text)), MEMORY_SETTLE_SECONDS)
        if not self._is_dirty(step):
            return None
        if _CLEAR not in self._written:
            return Step(_CLEAR, alpha.clear_memory(), CLEAR_SETTLE_SECONDS)
        return step

    def _kept_alive(self, glass: Glass, now: float) -> Step | None:
        """The sign's clock, back into the time of its amounts: without it they would expire."""
        if glass.notice is None:
            return None
        since = now - expiry.CLOCK_SECONDS
        for key, command in expiry.settings().items():
            known = self._written.get(key)
            if known is None or known.at <= since:
                return Step(key, command)
        return None

    def _files(self, glass: Glass, text: bytes) -> Step | None:
        """What must be there before the TEXT file is worth seeing."""
        laid_out = {} if glass.notice is None else expiry.layout(glass.notice)
        # First of all when which file runs: a driver that dies among these leaves no amount that
        # stays for ever.
        for step in (*(Step(*each) for each in laid_out.items()), _sequence_step(glass)):
            if self._is_dirty(step):
                return step
        for amount in glass.amounts:
            step = _string(amount, glass)
            if step.key not in self._written:
                return step
        step = _text_step(text, self._mode)
        return step if self._is_dirty(step) else None

    def _release(self, glass: Glass) -> Step | None:
        """Give the sign back to its amounts, each of which is looked after once before."""
        step = _priority(glass)
        if step.is_takeover or not self._is_dirty(step):
            return None
        if self._release_since is None:
            self._release_since = self._number
        since = self._release_since
        behind = [each for each in self._dirty(glass) if self._written[each.key].number <= since]
        return self._oldest(behind) or step

    def _dirty(self, glass: Glass) -> list[Step]:
        """Amounts that have changed since they were written."""
        steps = (_string(amount, glass) for amount in glass.amounts)
        return [step for step in steps if self._is_dirty(step)]

    def _oldest(self, steps: list[Step]) -> Step | None:
        return min(steps, key=lambda step: self._written[step.key].number, default=None)

    def _due(self, steps: list[Step], now: float) -> Step | None:
        """One that was written so long ago that it is written again, changed or not."""
        since = now - self._refresh_seconds
        return self._oldest([step for step in steps if self._written[step.key].at <= since])


def _priority(glass: Glass) -> Step:
    if glass.takeover is None:
        return Step(_PRIORITY, alpha.release_priority())
    return Step(_PRIORITY, alpha.write_priority(glass.takeover, "rotate"), is_takeover=True)


def _string(amount: Amount, glass: Glass) -> Step:
    return Step(
        f"string {amount.label}",
        alpha.write_string(amount.label, amount.value),
        amount=amount,
        place=glass.place,
    )


def _text_step(text: bytes, mode: alpha.Mode) -> Step:
    return Step(_TEXT, alpha.write_text(text, mode))


def _sequence_step(glass: Glass) -> Step:
    if glass.notice is None:
        return Step(_SEQUENCE, alpha.set_run_sequence(alpha.TEXT_LABEL))
    labels = alpha.TEXT_LABEL + alpha.NOTICE_LABELS
    return Step(_SEQUENCE, alpha.set_run_sequence(labels, by_times=True))


def _all_steps(glass: Glass, text: bytes, mode: alpha.Mode) -> list[Step]:
    strings = [_string(amount, glass) for amount in glass.amounts]
    return [*strings, _text_step(text, mode), _sequence_step(glass), _priority(glass)]
