"""What a turn of the benchmark measured."""

from collections.abc import Sequence

from msgspec import Struct


class CpuSeconds(Struct, frozen=True):
    """Processor time of a process, and how much of it the kernel spent on its behalf."""

    total: float
    kernel: float
    """Counted in hundredths of a second only."""

    def __sub__(self, before: "CpuSeconds") -> "CpuSeconds":
        return CpuSeconds(self.total - before.total, self.kernel - before.kernel)


class Measured(Struct, frozen=True):
    """Messages a second and how long they took."""

    messages: int
    seconds: float
    p50_ms: float
    p99_ms: float
    errors: int
    """Refusals to tables; updates that signs were not sent."""
    cpu: CpuSeconds
    """Processor time of the server: steadier than the clock on a noisy machine."""
    load_busy: float = 0.0
    """Share of the time that the load worked. Near one, the load is what was measured."""

    @property
    def rate(self) -> float:
        return self.messages / self.seconds

    @property
    def cpu_us(self) -> float:
        """Also the processor seconds of a million messages."""
        return self.cpu.total / self.messages * 1e6

    @property
    def kernel_us(self) -> float:
        return self.cpu.kernel / self.messages * 1e6


def percentile_ms(took_seconds: Sequence[float], percent: int) -> float:
    ordered = sorted(took_seconds)
    return ordered[len(ordered) * percent // 100] * 1000


def fastest(turns: Sequence[Measured]) -> Measured:
    """A neighbour on the machine can only make a turn slower, never faster."""
    return max(turns, key=lambda turn: turn.rate)


def cheapest(turns: Sequence[Measured]) -> Measured:
    """Of turns at a given pace: the one that cost the server least."""
    return min(turns, key=lambda turn: turn.cpu_us)
