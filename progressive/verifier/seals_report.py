"""What comes out of a look at the seals of a link."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WitnessReport:
    """The newest seal that a witness cosigned."""

    witness: str
    seq: int
    at: int
    """Seconds since 1970, by the witness's clock."""


@dataclass(frozen=True, slots=True)
class LostSeal:
    """A seal of records that are gone, as two people accepted."""

    file: str
    origin: str
    size: int
    """How many records were sealed."""
    left: int
    """How many the loss has left, at the most: whether they are those of then, nobody can tell."""
    brought: bool
    """Whether the auditor brought it along."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SealsReport:
    """What the seals of a link prove. All of them fit the records, or there is a problem."""

    count: int
    """Those that fit the records that are here."""
    origin: str
    """Whose newest of them is: the name of the log. Empty where none is of records here."""
    earlier_logs: bool
    """Whether some of them are of logs that ended before, with an accepted loss."""
    sealed_seq: int
    """The last record that one of them covers."""
    signatures_checked: bool
    of_purged: int
    """Seals of purged records: only their signatures can be checked."""
    of_lost: int
    """Seals of records that are gone, as two people accepted."""
    lost: tuple[LostSeal, ...]
    """Those, one by one."""
    witnesses: tuple[WitnessReport, ...]
    """By the seals that fit the records here. Whoever's key was given is among them, or there is a
    problem."""


@dataclass(frozen=True, slots=True)
class UntriedKeys:
    """Keys that were given where no seal is that they could be tried on."""

    houses: tuple[str, ...]
    witnesses: tuple[str, ...]
